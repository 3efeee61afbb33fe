#include "common/posts_text.h"

#include "common/put.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DATE_SIZE 24 /* 2026-11-30T12:49:11.123Z */
/* Everything in a document but its strings: names, punctuation, a number of 20 digits, the date. */
#define FIXED_ROOM 96
/* A byte that needs escaping becomes six: \u001f. */
#define ESCAPED_MAX 6

static bool make_room(struct posts_text *text, size_t more) {
    if (text->failed || more <= text->size - text->len) {
        return !text->failed;
    }
    size_t size = text->size * 2 > text->len + more ? text->size * 2 : text->len + more;
    char *grown = realloc(text->base, size);
    if (grown == NULL) {
        text->failed = true;
        return false;
    }
    text->base = grown;
    text->size = size;
    return true;
}

void posts_text_begin(struct posts_text *text, size_t guess) {
    *text = (struct posts_text){0};
    if (make_room(text, guess > 2 ? guess : 2)) {
        text->base[text->len++] = '[';
    }
}

static char *put_padded(char *at, unsigned value, unsigned digits) {
    for (unsigned i = digits; i-- > 0; value /= 10) {
        at[i] = (char)('0' + value % 10);
    }
    return at + digits;
}

static char *put_date(char *at, int64_t date_ms) {
    struct tm tm;
    int64_t ms = date_ms % 1000;
    time_t second = (time_t)(date_ms / 1000);
    if (ms < 0) {
        ms += 1000;
        second--;
    }
    gmtime_r(&second, &tm);
    at = put_padded(at, (unsigned)tm.tm_year + 1900, 4);
    *at++ = '-';
    at = put_padded(at, (unsigned)tm.tm_mon + 1, 2);
    *at++ = '-';
    at = put_padded(at, (unsigned)tm.tm_mday, 2);
    *at++ = 'T';
    at = put_padded(at, (unsigned)tm.tm_hour, 2);
    *at++ = ':';
    at = put_padded(at, (unsigned)tm.tm_min, 2);
    *at++ = ':';
    at = put_padded(at, (unsigned)tm.tm_sec, 2);
    *at++ = '.';
    at = put_padded(at, (unsigned)ms, 3);
    *at++ = 'Z';
    return at;
}

static bool is_plain(unsigned char c) {
    return c >= 0x20 && c != '"' && c != '\\';
}

/* Copies what needs no escaping in stretches. */
static char *put_escaped(char *at, struct app_slice text) {
    static const char hex[] = "0123456789abcdef";
    const char *end = text.base + text.len;
    for (const char *from = text.base; from < end;) {
        const char *to = from;
        while (to < end && is_plain((unsigned char)*to)) {
            to++;
        }
        at = put(at, from, (size_t)(to - from));
        if (to == end) {
            break;
        }
        unsigned char c = (unsigned char)*to;
        if (c < 0x20) {
            at = PUT(at, "\\u00");
            *at++ = hex[c >> 4];
            *at++ = hex[c & 15];
        } else {
            *at++ = '\\';
            *at++ = (char)c;
        }
        from = to + 1;
    }
    return at;
}

void posts_text_add(struct posts_text *text, uint64_t id, struct app_slice author, int64_t date_ms,
                    struct app_slice content) {
    _Static_assert(sizeof "{\"id\":,\"author\":\"\",\"date\":\"\",\"content\":\"\"},]" + 20 +
                           DATE_SIZE <=
                       FIXED_ROOM,
                   "room for the fixed part");
    if (!make_room(text, FIXED_ROOM + ESCAPED_MAX * (author.len + content.len))) {
        return;
    }
    char *at = text->base + text->len;
    at = text->len > 1 ? PUT(at, ",{\"id\":") : PUT(at, "{\"id\":");
    at = put_number(at, id);
    at = PUT(at, ",\"author\":\"");
    at = put_escaped(at, author);
    at = PUT(at, "\",\"date\":\"");
    at = put_date(at, date_ms);
    at = PUT(at, "\",\"content\":\"");
    at = put_escaped(at, content);
    at = PUT(at, "\"}");
    text->len = (size_t)(at - text->base);
}

int posts_text_end(struct posts_text *text) {
    if (!make_room(text, 1)) {
        return -1;
    }
    text->base[text->len++] = ']';
    return 0;
}

void posts_text_release(struct posts_text *text) {
    free(text->base);
    *text = (struct posts_text){0};
}
