#include "h2o/head.h"

#include "common/app.h"

#include <string.h>
#include <strings.h>

/* Length of the empty line at `data`; 0: none there. */
static size_t skip_empty_line(const char *data, size_t len) {
    if (len >= 2 && data[0] == '\r' && data[1] == '\n') {
        return 2;
    }
    return len >= 1 && data[0] == '\n' ? 1 : 0;
}

size_t head_length(const char *data, size_t len) {
    size_t at = skip_empty_line(data, len);
    const char *found = NULL;
    while (at < len && (found = memchr(data + at, '\n', len - at)) != NULL) {
        at = (size_t)(found - data) + 1;
        size_t empty = skip_empty_line(data + at, len - at);
        if (empty != 0) {
            return at + empty;
        }
    }
    return 0;
}

/* Length of the request target as far as it has arrived. */
static size_t target_length(const char *data, size_t len) {
    const char *line_end = memchr(data, '\n', len);
    size_t line_len = line_end != NULL ? (size_t)(line_end - data) : len;
    const char *blank = memchr(data, ' ', line_len);
    if (blank == NULL) {
        return 0;
    }
    const char *target = blank + 1;
    size_t rest = line_len - (size_t)(target - data);
    const char *target_end = memchr(target, ' ', rest);
    return target_end != NULL ? (size_t)(target_end - target) : rest;
}

static bool is_named(const char *line, size_t len, struct app_slice name) {
    return len > name.len && line[name.len] == ':' && strncasecmp(line, name.base, name.len) == 0;
}

/* The value of a Content-Length line; UINT64_MAX for what is no number (h2o refuses that itself) or
 * does not fit. */
static uint64_t parse_length(const char *value, size_t len) {
    uint64_t number = 0;
    size_t at = 0;
    while (at < len && (value[at] == ' ' || value[at] == '\t')) {
        at++;
    }
    size_t first = at;
    for (; at < len && value[at] >= '0' && value[at] <= '9'; at++) {
        uint64_t digit = (uint64_t)(value[at] - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return UINT64_MAX;
        }
        number = number * 10 + digit;
    }
    return at == first ? UINT64_MAX : number;
}

/* Whether the request line, the first of the head, says HTTP/1.0. */
static bool is_http10(const char *head, size_t len) {
    static const struct app_slice version = APP_SLICE(" HTTP/1.0");
    const char *line_end = memchr(head, '\n', len);
    size_t line_len = line_end != NULL ? (size_t)(line_end - head) : len;
    line_len -= line_len > 0 && head[line_len - 1] == '\r' ? 1 : 0;
    return line_len >= version.len &&
           memcmp(head + line_len - version.len, version.base, version.len) == 0;
}

/* Counts the headers that say where the request goes and ends. */
static unsigned judge_lines(const char *head, size_t len, uint64_t max_body) {
    static const struct app_slice host = APP_SLICE("host");
    static const struct app_slice length = APP_SLICE("content-length");
    static const struct app_slice coding = APP_SLICE("transfer-encoding");
    unsigned hosts = 0;
    unsigned lengths = 0;
    unsigned codings = 0;
    uint64_t body = 0;
    const char *end = head + len;
    for (const char *line = head; line < end;) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        size_t line_len = line_end != NULL ? (size_t)(line_end - line) : (size_t)(end - line);
        if (is_named(line, line_len, host)) {
            hosts++;
        } else if (is_named(line, line_len, coding)) {
            codings++;
        } else if (is_named(line, line_len, length)) {
            lengths++;
            body = parse_length(line + length.len + 1, line_len - length.len - 1);
        }
        line += line_len + 1;
    }
    if (hosts > 1 || lengths + codings > 1 || (codings > 0 && is_http10(head, len))) {
        return 400;
    }
    return lengths == 1 && body != UINT64_MAX && body > max_body ? 413 : 0;
}

unsigned head_judge(const char *data, size_t len, uint64_t max_body, bool *complete) {
    size_t skip = skip_empty_line(data, len);
    size_t head = head_length(data, len);
    *complete = head != 0;
    data += skip;
    len -= skip;
    if (target_length(data, len) > APP_MAX_TARGET) {
        return 414;
    }
    if (head == 0) {
        return len > APP_MAX_HEAD ? 431 : 0;
    }
    head -= skip;
    return head > APP_MAX_HEAD ? 431 : judge_lines(data, head, max_body);
}
