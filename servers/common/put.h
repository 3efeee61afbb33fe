/* Bytes put one behind the other where there is room: each returns the place for the next. Inline,
 * for they are what a reply is made of. */
#ifndef LOOPBENCH_SERVERS_PUT_H
#define LOOPBENCH_SERVERS_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline char *put(char *at, const char *text, size_t len) {
    memcpy(at, text, len);
    return at + len;
}

#define PUT(at, literal) put((at), (literal), sizeof(literal) - 1)

/* In decimal: at most 20 bytes. */
static inline char *put_number(char *at, uint64_t value) {
    char digits[20];
    size_t i = sizeof digits;
    do {
        digits[--i] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return put(at, digits + i, sizeof digits - i);
}

#endif
