/* Parsing replies: llhttp in response mode, with the bytes of the head kept as they came. */
#include "target/http.h"

#include <llhttp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct http_parser {
    llhttp_t parser;
    llhttp_settings_t settings;
    struct http_reply *reply;
    size_t head_room, body_room;
    bool to_head, head_done, done;
    enum http_result failed; /* of a callback: HTTP_OK, HTTP_TOO_LARGE or HTTP_FAILED */
};

/* Appends, keeping a NUL behind the bytes. */
static enum http_result http_append(char **buf, size_t *used, size_t *room, size_t max,
                                    const char *data, size_t len) {
    if (len > max - *used) {
        return HTTP_TOO_LARGE;
    }
    if (!*buf || *used + len + 1 > *room) {
        size_t want = *room * 2 > *used + len + 1 ? *room * 2 : *used + len + 256;
        char *grown = realloc(*buf, want);
        if (!grown) {
            return HTTP_FAILED;
        }
        *buf = grown;
        *room = want;
    }
    memcpy(*buf + *used, data, len);
    *used += len;
    (*buf)[*used] = '\0';
    return HTTP_OK;
}

static int http_on_headers_complete(llhttp_t *parser) {
    struct http_parser *p = parser->data;
    p->head_done = true;
    p->reply->status = parser->status_code;
    p->reply->minor = parser->http_minor;
    p->reply->framed = p->to_head || !llhttp_message_needs_eof(parser);
    return p->to_head ? 1 : 0; /* 1: no body follows, whatever Content-Length says */
}

static int http_on_body(llhttp_t *parser, const char *at, size_t len) {
    struct http_parser *p = parser->data;
    struct http_reply *r = p->reply;
    p->failed = http_append(&r->body, &r->body_len, &p->body_room, HTTP_BODY_MAX, at, len);
    return p->failed == HTTP_OK ? 0 : -1;
}

static int http_on_message_complete(llhttp_t *parser) {
    struct http_parser *p = parser->data;
    p->done = true;
    p->reply->keep_alive = llhttp_should_keep_alive(parser) != 0;
    return HPE_PAUSED; /* what follows belongs to the next reply */
}

struct http_parser *http_parser_new(struct http_reply *reply, bool to_head) {
    struct http_parser *p = calloc(1, sizeof *p);
    http_reply_release(reply);
    if (!p) {
        return NULL;
    }
    llhttp_settings_init(&p->settings);
    p->settings.on_headers_complete = http_on_headers_complete;
    p->settings.on_body = http_on_body;
    p->settings.on_message_complete = http_on_message_complete;
    llhttp_init(&p->parser, HTTP_RESPONSE, &p->settings);
    p->parser.data = p;
    p->reply = reply;
    p->to_head = to_head;
    return p;
}

static enum http_result http_malformed(struct http_parser *p, const char *why) {
    snprintf(p->reply->why, sizeof p->reply->why, "%s", why ? why : "not HTTP");
    return HTTP_MALFORMED;
}

/* Gives llhttp some bytes; *used says how many belong to this reply. */
static enum http_result http_execute(struct http_parser *p, const char *data, size_t len,
                                     size_t *used) {
    llhttp_errno_t rc = llhttp_execute(&p->parser, data, len);
    *used = len;
    if (p->failed != HTTP_OK) {
        return p->failed;
    }
    if (rc == HPE_PAUSED || rc == HPE_PAUSED_UPGRADE) {
        const char *stop = llhttp_get_error_pos(&p->parser);
        if (stop >= data && stop <= data + len) {
            *used = (size_t)(stop - data);
        }
        return HTTP_OK;
    }
    return rc == HPE_OK ? HTTP_OK : http_malformed(p, llhttp_get_error_reason(&p->parser));
}

enum http_result http_parser_feed(struct http_parser *p, const char *data, size_t len, size_t *used,
                                  bool *done) {
    enum http_result result = HTTP_OK;
    struct http_reply *r = p->reply;
    *used = 0;
    /* Heads byte by byte: the callback that ends one does not say where it ended. */
    while (result == HTTP_OK && *used < len && !p->head_done) {
        size_t one;
        result = http_append(&r->head, &r->head_len, &p->head_room, HTTP_HEAD_MAX, data + *used, 1);
        if (result == HTTP_OK) {
            result = http_execute(p, data + *used, 1, &one);
            ++*used;
        }
    }
    while (result == HTTP_OK && *used < len && !p->done) {
        size_t some;
        result = http_execute(p, data + *used, len - *used, &some);
        *used += some;
    }
    if (result == HTTP_OK && p->done && !r->body) {
        result = http_append(&r->body, &r->body_len, &p->body_room, HTTP_BODY_MAX, "", 0);
    }
    *done = result == HTTP_OK && p->done;
    return result;
}

enum http_result http_parser_finish(struct http_parser *p) {
    struct http_reply *r = p->reply;
    if (p->done) {
        return HTTP_OK;
    }
    llhttp_errno_t rc = llhttp_finish(&p->parser);
    if (!p->head_done || r->framed || (rc != HPE_OK && rc != HPE_PAUSED)) {
        return HTTP_CLOSED;
    }
    return r->body ? HTTP_OK
                   : http_append(&r->body, &r->body_len, &p->body_room, HTTP_BODY_MAX, "", 0);
}

void http_parser_free(struct http_parser *p) {
    free(p);
}

void http_reply_release(struct http_reply *reply) {
    free(reply->head);
    free(reply->body);
    *reply = (struct http_reply){0};
}

static void http_trim(const char **at, size_t *len) {
    while (*len > 0 && (**at == ' ' || **at == '\t')) {
        ++*at;
        --*len;
    }
    while (*len > 0 && ((*at)[*len - 1] == ' ' || (*at)[*len - 1] == '\t')) {
        --*len;
    }
}

bool http_reply_header(const struct http_reply *reply, size_t i, struct http_header *out) {
    const char *at = reply->head;
    const char *end = at ? at + reply->head_len : NULL;
    size_t seen = 0;
    bool first = true; /* the status line */
    while (at && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        size_t len = (size_t)((stop ? stop : end) - at);
        if (len > 0 && at[len - 1] == '\r') {
            len--;
        }
        const char *colon = memchr(at, ':', len);
        if (!first && colon && seen++ == i) {
            *out = (struct http_header){
                .name = at,
                .name_len = (size_t)(colon - at),
                .value = colon + 1,
                .value_len = len - (size_t)(colon - at) - 1,
            };
            http_trim(&out->value, &out->value_len);
            return true;
        }
        first = false;
        at = next;
    }
    return false;
}

bool http_reply_find(const struct http_reply *reply, const char *name, char *out, size_t size) {
    struct http_header h;
    size_t len = strlen(name);
    snprintf(out, size, "%s", "");
    for (size_t i = 0; http_reply_header(reply, i, &h); i++) {
        if (h.name_len == len && strncasecmp(h.name, name, len) == 0) {
            snprintf(out, size, "%.*s", (int)h.value_len, h.value);
            return true;
        }
    }
    return false;
}
