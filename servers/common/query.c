#include "common/query.h"

#include "common/routes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Counts `name` among the pairs a=b&c=d and gives the value of the first. */
static unsigned find(struct app_slice query, const char *name, struct app_slice *value) {
    size_t len = strlen(name);
    unsigned count = 0;
    const char *end = query.len != 0 ? query.base + query.len : query.base;
    for (const char *at = query.base; at != end;) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        size_t pair = (size_t)(stop - at);
        if (pair >= len && memcmp(at, name, len) == 0 && (pair == len || at[len] == '=')) {
            if (count++ == 0) {
                size_t skip = pair == len ? len : len + 1;
                *value = (struct app_slice){at + skip, pair - skip};
            }
        }
        at = stop == end ? end : stop + 1;
    }
    return count;
}

static bool is_number(struct app_slice text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.base[i] < '0' || text.base[i] > '9') {
            return false;
        }
    }
    return text.len != 0;
}

/* The number, or UINT64_MAX where it is larger than `max`. */
static uint64_t to_number(struct app_slice digits, uint64_t max) {
    uint64_t number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        uint64_t digit = (uint64_t)(digits.base[i] - '0');
        if (number > (max - digit) / 10 || digit > max) {
            return UINT64_MAX;
        }
        number = number * 10 + digit;
    }
    return number;
}

bool query_uint(struct app_exchange *exchange, const char *name, uint64_t min, uint64_t max,
                uint64_t *value) {
    struct app_slice text = {NULL, 0};
    unsigned count = find(exchange->query, name, &text);
    const char *wrong = NULL;
    if (count == 0) {
        wrong = "is missing";
    } else if (count > 1) {
        wrong = "is given more than once";
    } else if (!is_number(text)) {
        wrong = "is not a number";
    } else {
        *value = to_number(text, max);
        wrong = *value < min || *value > max ? "is out of range" : NULL;
    }
    if (wrong != NULL) {
        char *out = exchange->worker->scratch;
        int len = snprintf(out, APP_SCRATCH,
                           "The parameter %s %s: give it once, a whole number from %llu to %llu.",
                           name, wrong, (unsigned long long)min, (unsigned long long)max);
        reply_bad_request(exchange, (size_t)len);
    }
    return wrong == NULL;
}
