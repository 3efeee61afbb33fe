#include "base/workload.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define GREETING "Hello world!"
#define DOCUMENT "{\"test\":1,\"data\":\"hello world\"}"

/* Writes why and returns false, so that a check can `return workload_says(…)`. */
static bool workload_says(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool workload_says(char *why, size_t size, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(why, size, format, ap);
    va_end(ap);
    return false;
}

bool workload_is_utf8(const char *text, size_t len) {
    const unsigned char *s = (const unsigned char *)text;
    size_t i = 0;
    while (i < len) {
        unsigned char lead = s[i++];
        if (lead < 0x80) {
            continue;
        }
        size_t more = lead >= 0xc2 && lead <= 0xdf   ? 1
                      : lead >= 0xe0 && lead <= 0xef ? 2
                      : lead >= 0xf0 && lead <= 0xf4 ? 3
                                                     : 0;
        if (more == 0 || more > len - i) {
            return false;
        }
        unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        for (size_t k = 0; k < more; k++, i++) {
            if (s[i] < low || s[i] > high) {
                return false;
            }
            low = 0x80;
            high = 0xbf;
        }
    }
    return true;
}

static bool workload_check_hello(const char *body, size_t len, char *why, size_t size) {
    if (len == strlen(GREETING) && memcmp(body, GREETING, len) == 0) {
        return true;
    }
    return workload_says(why, size, "is not '%s', %zu bytes", GREETING, strlen(GREETING));
}

/* The same document, however it is spaced and ordered. */
static bool workload_check_json(const char *body, size_t len, char *why, size_t size) {
    json_error_t at;
    json_t *got = json_loadb(body, len, JSON_REJECT_DUPLICATES, &at);
    if (!got) {
        return workload_says(why, size, "is not JSON: %s at byte %d", at.text, at.position);
    }
    json_t *wanted = json_loads(DOCUMENT, 0, NULL);
    bool same = wanted && json_equal(got, wanted);
    json_decref(wanted);
    json_decref(got);
    return same || workload_says(why, size, "is another document than %s", DOCUMENT);
}

static bool workload_check_html(const char *body, size_t len, char *why, size_t size) {
    bool ascii = true;
    for (size_t i = 0; i < len && ascii; i++) {
        ascii = (unsigned char)body[i] < 0x80;
    }
    if (!memmem(body, len, "<html", 5) || !memmem(body, len, "</html>", 7)) {
        return workload_says(why, size, "is not a whole HTML page");
    }
    if (!workload_is_utf8(body, len)) {
        return workload_says(why, size, "is not well-formed UTF-8");
    }
    return !ascii || workload_says(why, size, "has no text beyond ASCII");
}

static const struct workload table[] = {
    {
        .name = "hello",
        .summary = "12 bytes of constant text",
        .method = "GET",
        .path = "/hello",
        .headers = "",
        .status = 200,
        .content_type = "text/plain",
        .exact = GREETING,
        .check = workload_check_hello,
        .null_serves = true,
    },
    {
        .name = "json",
        .summary = "a small JSON document, serialised for each request",
        .method = "GET",
        .path = "/json",
        .headers = "",
        .status = 200,
        .content_type = "application/json",
        .exact = DOCUMENT,
        .check = workload_check_json,
    },
    {
        .name = "html",
        .summary = "a small UTF-8 page",
        .method = "GET",
        .path = "/html",
        .headers = "",
        .status = 200,
        .content_type = "text/html",
        .check = workload_check_html,
    },
};

const struct workload *workload_at(size_t i) {
    return i < sizeof table / sizeof table[0] ? &table[i] : NULL;
}

const struct workload *workload_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

bool workload_check_body(const struct workload *w, bool strict, const char *body, size_t len,
                         char *why, size_t size) {
    if (w->exact && (strict || !w->check)) {
        size_t want = strlen(w->exact);
        if (len != want) {
            return workload_says(why, size, "has %zu bytes, not %zu", len, want);
        }
        for (size_t i = 0; i < len; i++) {
            if (body[i] != w->exact[i]) {
                return workload_says(why, size, "differs from byte %zu on", i);
            }
        }
        return true;
    }
    return !w->check || w->check(body, len, why, size);
}
