#include "load/scan.h"

#include <stddef.h>
#include <string.h>

#define COUNT_MAX INT64_C(100000000000000000) /* times in µs since 1970 are 10^15 */
#define WHOLE_MAX INT64_C(1000000000)
#define MILLION   1000000

static bool scan_is_digit(char c) {
    return c >= '0' && c <= '9';
}

const char *scan_label(const char *text, const char *label) {
    const char *found = NULL;
    size_t len = strlen(label);
    for (const char *line = text; line && *line;) {
        if (strncmp(line, label, len) == 0) {
            if (found) {
                return NULL;
            }
            found = line + len;
        }
        const char *newline = strchr(line, '\n');
        line = newline ? newline + 1 : NULL;
    }
    return found ? found + strspn(found, " \t") : NULL;
}

bool scan_word(const char **at, const char *word) {
    size_t len = strlen(word);
    if (strncmp(*at, word, len) != 0) {
        return false;
    }
    *at += len;
    return true;
}

static bool scan_digits(const char **at, int64_t max, int64_t *out) {
    const char *p = *at;
    int64_t n = 0;
    for (; scan_is_digit(*p); p++) {
        n = n * 10 + (*p - '0');
        if (n > max) {
            return false;
        }
    }
    if (p == *at) {
        return false;
    }
    *at = p;
    *out = n;
    return true;
}

bool scan_count(const char **at, int64_t *out) {
    return scan_digits(at, COUNT_MAX, out);
}

bool scan_millionths(const char **at, int64_t *out) {
    const char *p = *at;
    int64_t whole;
    int64_t part = 0;
    int64_t unit = MILLION;
    if (!scan_digits(&p, WHOLE_MAX, &whole)) {
        return false;
    }
    if (*p == '.') {
        for (p++; scan_is_digit(*p); p++) {
            unit /= 10;
            if (unit == 0) {
                return false;
            }
            part += unit * (*p - '0');
        }
        if (unit == MILLION) {
            return false;
        }
    }
    *at = p;
    *out = whole * MILLION + part;
    return true;
}

bool scan_line_end(const char *at) {
    return *at == '\n' || *at == '\0';
}
