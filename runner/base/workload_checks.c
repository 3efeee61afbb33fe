#include "base/workload_checks.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define ALPHABET "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
/* Of its 62 letters, fewer than this many among 10,000 random ones is not chance. */
#define ALPHABET_SEEN 50
#define BYTES_LINE    64

/* Writes why and returns false, so that a check can `return says(…)`. */
static bool says(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool says(char *why, size_t size, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(why, size, format, ap);
    va_end(ap);
    return false;
}

bool check_hello(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                 size_t size) {
    (void)w;
    (void)strict;
    if (len == strlen(WORKLOAD_GREETING) && memcmp(body, WORKLOAD_GREETING, len) == 0) {
        return true;
    }
    return says(why, size, "is not '%s', %zu bytes", WORKLOAD_GREETING, strlen(WORKLOAD_GREETING));
}

static json_t *parse_json(const char *body, size_t len, char *why, size_t size) {
    json_error_t at;
    json_t *got = json_loadb(body, len, JSON_REJECT_DUPLICATES, &at);
    if (!got) {
        says(why, size, "is not JSON: %s at byte %d", at.text, at.position);
    }
    return got;
}

bool check_json(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                size_t size) {
    (void)w;
    (void)strict;
    json_t *got = parse_json(body, len, why, size);
    if (!got) {
        return false;
    }
    json_t *wanted = json_loads(WORKLOAD_DOCUMENT, 0, NULL);
    bool same = wanted && json_equal(got, wanted);
    json_decref(wanted);
    json_decref(got);
    return same || says(why, size, "is another document than %s", WORKLOAD_DOCUMENT);
}

static bool is_page(const char *body, size_t len, char *why, size_t size) {
    if (!memmem(body, len, "<html", 5) || !memmem(body, len, "</html>", 7)) {
        return says(why, size, "is not a whole HTML page");
    }
    return workload_is_utf8(body, len) || says(why, size, "is not well-formed UTF-8");
}

bool check_html(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                size_t size) {
    (void)w;
    (void)strict;
    bool ascii = true;
    for (size_t i = 0; i < len && ascii; i++) {
        ascii = (unsigned char)body[i] < 0x80;
    }
    return is_page(body, len, why, size) && (!ascii || says(why, size, "has no text beyond ASCII"));
}

/* Text of `len` random letters; loose: any that is not empty. */
static bool is_random_text(const json_t *text, bool strict, size_t len) {
    const char *s = json_string_value(text);
    if (!s || !*s || !strict) {
        return s && *s;
    }
    return json_string_length(text) == len && strspn(s, ALPHABET) == len;
}

/* 2026-11-30T12:49:11.123Z, by the places of its digits. */
static bool is_date(const json_t *text, bool strict) {
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    const char *s = json_string_value(text);
    if (!s || !*s || !strict) {
        return s && *s;
    }
    for (size_t i = 0; i < sizeof form; i++) {
        if (form[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != form[i]) {
            return false;
        }
    }
    return true;
}

static bool is_post(const json_t *post, bool strict, json_int_t *id) {
    const json_t *number = json_object_get(post, "id");
    *id = json_integer_value(number);
    return json_is_integer(number) && (!strict || json_object_size(post) == 4) &&
           is_random_text(json_object_get(post, "author"), strict, 16) &&
           is_date(json_object_get(post, "date"), strict) &&
           is_random_text(json_object_get(post, "content"), strict, 160);
}

bool check_posts(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                 size_t size) {
    (void)w;
    json_t *all = parse_json(body, len, why, size);
    json_int_t last = 0;
    bool good = all != NULL;
    if (good && json_array_size(all) != WORKLOAD_POSTS) {
        good = says(why, size, "is not an array of %d documents", WORKLOAD_POSTS);
    }
    for (size_t i = 0; good && i < json_array_size(all); i++) {
        json_int_t id;
        if (!is_post(json_array_get(all, i), strict, &id)) {
            good = says(why, size, "has no proper id, author, date and content in document %zu", i);
        } else if (i > 0 && id >= last) {
            good = says(why, size, "is not the newest first at document %zu", i);
        }
        last = id;
    }
    json_decref(all);
    return good;
}

int64_t workload_newest(const struct workload *w, const char *body, size_t len) {
    if (w->check != check_posts) {
        return 0;
    }
    json_t *all = json_loadb(body, len, 0, NULL);
    int64_t id = json_integer_value(json_object_get(json_array_get(all, 0), "id"));
    json_decref(all);
    return id;
}

bool check_concat(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                  size_t size) {
    bool seen[256] = {false};
    size_t distinct = 0;
    (void)w;
    (void)strict;
    if (len != WORKLOAD_CONCAT_LEN) {
        return says(why, size, "has %zu bytes, not %d", len, WORKLOAD_CONCAT_LEN);
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)body[i];
        if (c == 0 || !strchr(ALPHABET, c)) {
            return says(why, size, "has a byte that is no letter or digit at %zu", i);
        }
        distinct += !seen[c];
        seen[c] = true;
    }
    return distinct >= ALPHABET_SEEN || says(why, size, "has only %zu different letters", distinct);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool check_fibonacci(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                     size_t size) {
    uint64_t a = 0;
    uint64_t b = 1;
    char wanted[24];
    for (int64_t i = 0; i < w->value; i++) {
        uint64_t next = a + b;
        a = b;
        b = next;
    }
    while (!strict && len > 0 && is_blank(body[len - 1])) {
        len--;
    }
    while (!strict && len > 0 && is_blank(*body)) {
        body++;
        len--;
    }
    snprintf(wanted, sizeof wanted, "%" PRIu64, a);
    return (len == strlen(wanted) && memcmp(body, wanted, len) == 0) ||
           says(why, size, "is not %s", wanted);
}

/* Whether the date at each <time datetime="…"> is not after the one before it. */
static bool is_newest_first(const char *body, size_t len) {
    static const char mark[] = "datetime=\"";
    char last[32] = "";
    const char *end = body + len;
    for (const char *at = body; (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1));) {
        char date[32];
        at += sizeof mark - 1;
        size_t n = 0;
        while (at + n < end && n + 1 < sizeof date && at[n] != '"') {
            date[n] = at[n];
            n++;
        }
        date[n] = '\0';
        if (last[0] && strcmp(date, last) > 0) {
            return false;
        }
        memcpy(last, date, sizeof last);
    }
    return last[0] != '\0';
}

static size_t count_of(const char *body, size_t len, const char *what) {
    size_t n = 0;
    const char *end = body + len;
    for (const char *at = body; (at = memmem(at, (size_t)(end - at), what, strlen(what))); n++) {
        at += strlen(what);
    }
    return n;
}

bool check_render(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                  size_t size) {
    (void)w;
    (void)strict;
    if (!is_page(body, len, why, size)) {
        return false;
    }
    size_t articles = count_of(body, len, "<article");
    if (articles != WORKLOAD_POSTS || count_of(body, len, "</article>") != articles) {
        return says(why, size, "has %zu articles, not %d", articles, WORKLOAD_POSTS);
    }
    if (count_of(body, len, "<script") > 0) {
        return says(why, size, "lets a script element through");
    }
    if (count_of(body, len, "&lt;script&gt;") == 0) {
        return says(why, size, "lacks the escaped script element");
    }
    return is_newest_first(body, len) || says(why, size, "is not the newest first");
}

bool check_bytes(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                 size_t size) {
    if ((int64_t)len != w->value) {
        return says(why, size, "has %zu bytes, not %" PRId64, len, w->value);
    }
    for (size_t at = 0; strict && at + BYTES_LINE <= len; at += BYTES_LINE) {
        char offset[16];
        snprintf(offset, sizeof offset, "%08zx", at);
        if (memcmp(body + at, offset, 8) != 0 || body[at + BYTES_LINE - 1] != '\n') {
            return says(why, size, "has no line that begins with its offset at byte %zu", at);
        }
    }
    return true;
}

bool check_upload(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                  size_t size) {
    char wanted[64];
    uint32_t crc = (uint32_t)crc32_z(0, (const unsigned char *)w->body, w->body_len);
    snprintf(wanted, sizeof wanted, "{\"length\":%zu,\"crc32\":\"%08" PRIx32 "\"}", w->body_len,
             crc);
    if (strict) {
        return (len == strlen(wanted) && memcmp(body, wanted, len) == 0) ||
               says(why, size, "is not %s", wanted);
    }
    json_t *got = parse_json(body, len, why, size);
    json_t *expected = json_loads(wanted, 0, NULL);
    bool same = got && expected && json_equal(got, expected);
    bool said = got == NULL;
    json_decref(got);
    json_decref(expected);
    return same || (said ? false : says(why, size, "is another document than %s", wanted));
}
