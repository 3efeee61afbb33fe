#include "load/request.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* RFC 9110, 5.6.2. */
static bool request_is_token(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c > 126 || (!isalnum(c) && !strchr("!#$%&'*+-.^_`|~", c))) {
            return false;
        }
    }
    return len > 0;
}

static bool request_is_path(const char *path) {
    if (path[0] != '/') {
        return false;
    }
    for (const char *p = path; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c <= ' ' || c == 127) {
            return false;
        }
    }
    return true;
}

static bool request_is_ours(const char *header, size_t name) {
    static const char *const ours[] = {"Host", "Content-Length", "Transfer-Encoding", "Connection"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (strlen(ours[i]) == name && strncasecmp(ours[i], header, name) == 0) {
            return true;
        }
    }
    return false;
}

/* One header line without its CRLF. */
static int request_check_header(const char *line, size_t len, struct err *e) {
    const char *colon = memchr(line, ':', len);
    const char *wrong = NULL;
    if (!colon || !request_is_token(line, (size_t)(colon - line))) {
        wrong = "not of the form Name: value";
    } else if (request_is_ours(line, (size_t)(colon - line))) {
        wrong = "the runner sets this one itself";
    }
    for (size_t i = 0; !wrong && i < len; i++) {
        unsigned char c = (unsigned char)line[i];
        if ((c < ' ' && c != '\t') || c == 127) {
            wrong = "a control character in its value";
        }
    }
    return wrong ? err_set(e, ERR_USAGE, "header '%.*s': %s", (int)len, line, wrong) : 0;
}

static int request_check_headers(const char *headers, struct err *e) {
    while (*headers) {
        const char *end = strstr(headers, "\r\n");
        if (!end) {
            return err_set(e, ERR_USAGE, "header '%s': not ended by CRLF", headers);
        }
        if (request_check_header(headers, (size_t)(end - headers), e) != 0) {
            return -1;
        }
        headers = end + 2;
    }
    return 0;
}

int request_write(FILE *out, const struct load_request *request, const char *host, int port,
                  struct err *e) {
    const char *method = request->method ? request->method : "GET";
    const char *headers = request->headers ? request->headers : "";
    if (!request_is_token(method, strlen(method))) {
        return err_set(e, ERR_USAGE, "method '%s': not an HTTP method", method);
    }
    if (!request->path || !request_is_path(request->path)) {
        return err_set(e, ERR_USAGE,
                       "path '%s': must begin with / and hold no space or control character",
                       request->path ? request->path : "");
    }
    if (request_check_headers(headers, e) != 0) {
        return -1;
    }
    bool v6 = strchr(host, ':') != NULL;
    fprintf(out, "%s %s HTTP/1.1\r\nHost: %s%s%s:%d\r\n%s", method, request->path, v6 ? "[" : "",
            host, v6 ? "]" : "", port, headers);
    if (request->body) {
        fprintf(out, "Content-Length: %zu\r\n", request->body_len);
    }
    fputs(request->close ? "Connection: close\r\n\r\n" : "\r\n", out);
    if (request->body) {
        fwrite(request->body, 1, request->body_len, out);
    }
    return 0;
}

void request_write_lua(FILE *out, const char *data, size_t len) {
    fputc('"', out);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)data[i];
        if (c == '\\' || c == '"') {
            fputc('\\', out);
            fputc(c, out);
        } else if (c >= ' ' && c < 127) {
            fputc(c, out);
        } else {
            fprintf(out, "\\%03u", c); /* three digits, so that a digit may follow */
        }
    }
    fputc('"', out);
}
