#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A name from a hostile file must not be able to forge a second line or drive a terminal. */
static void err_sanitize(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
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
    char prefix[512];
    char old[sizeof e->text];
    va_list ap;
    va_start(ap, format);
    vsnprintf(prefix, sizeof prefix, format, ap);
    va_end(ap);
    memcpy(old, e->text, sizeof old);
    old[sizeof old - sizeof prefix - 3] = '\0';
    snprintf(e->text, sizeof e->text, "%s: %s", prefix, old);
    err_sanitize(e->text);
    return -1;
}
