#include "common/text.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE ((size_t)16)

/* Makes room for `more` bytes. */
static bool reserve(struct text *text, size_t more) {
    if (more <= text->size - text->len) {
        return !text->failed;
    }
    size_t size = text->size == 0 ? FIRST_SIZE : text->size * 2;
    while (size - text->len < more) {
        size *= 2;
    }
    char *grown = text->failed ? NULL : realloc(text->base, size);
    if (grown == NULL) {
        text->failed = true;
        return false;
    }
    text->base = grown;
    text->size = size;
    return true;
}

void text_append(struct text *text, const char *data, size_t len) {
    if (len != 0 && reserve(text, len)) {
        memcpy(text->base + text->len, data, len);
        text->len += len;
    }
}

void text_append_char(struct text *text, char c) {
    if (reserve(text, 1)) {
        text->base[text->len++] = c;
    }
}

/* The reference for a character that may not stand by itself; NULL: it may. */
static const char *reference(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void text_append_html(struct text *text, struct app_slice value) {
    size_t plain = 0; /* where what is not appended yet begins */
    for (size_t i = 0; i < value.len; i++) {
        const char *instead = reference(value.base[i]);
        if (instead != NULL) {
            text_append(text, value.base + plain, i - plain);
            text_append(text, instead, strlen(instead));
            plain = i + 1;
        }
    }
    if (plain < value.len) {
        text_append(text, value.base + plain, value.len - plain);
    }
}
