#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hidden.h"

/* A name from a hostile file must not be able to forge a second line, drive a terminal or turn
 * what is written. */
static void err_sanitize(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
    hidden_replace(text);
}

int err_set(struct err *e, enum err_class class, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(e->text, sizeof e->text, format, ap);
    va_end(ap);
    err_sanitize(e->text);
    e->class = class;
    return -1;
}

int err_prefix(struct err *e, const char *format, ...) {
    char text[sizeof e->text];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    size_t used = n < 0 ? 0 : (size_t)n;
    if (used + 3 < sizeof text) {
        text[used++] = ':';
        text[used++] = ' ';
        size_t rest = strnlen(e->text, sizeof text - 1 - used);
        memcpy(text + used, e->text, rest);
        text[used + rest] = '\0';
    }
    memcpy(e->text, text, sizeof text);
    err_sanitize(e->text);
    return -1;
}

int err_remedy(struct err *e, const char *what_to_do) {
    const size_t room = sizeof e->text - 1;
    const size_t needed = strlen(what_to_do) + 2;
    size_t at = strnlen(e->text, room);
    if (needed <= room && at > room - needed) {
        at = room - needed;
    }
    snprintf(e->text + at, sizeof e->text - at, "; %s", what_to_do);
    return -1;
}
