#include "config/values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cpus.h"
#include "base/workload.h"

int value_int(const char *text, const char *where, int64_t min, int64_t max, int64_t *out,
              struct err *e) {
    const char *digits = text + (*text == '-');
    char *end = NULL;
    errno = 0;
    long long n = isdigit((unsigned char)*digits) ? strtoll(text, &end, 10) : 0;
    if (!end || *end) {
        return err_set(e, ERR_USAGE,
                       "%s: '%s' is not a whole number; give one from %" PRId64 " to %" PRId64,
                       where, text, min, max);
    }
    if (errno == ERANGE || n < min || n > max) {
        return err_set(e, ERR_USAGE,
                       "%s: %s is out of range; give a number from %" PRId64 " to %" PRId64, where,
                       text, min, max);
    }
    *out = n;
    return 0;
}

/* Plain decimals of at most 15 digits only, which a double gives back exactly: no exponent,
 * hexadecimal, nan or inf, which strtod would all take. */
static bool value_is_decimal(const char *text) {
    size_t whole = strspn(text, "0123456789");
    if (whole == 0 || whole > 6) {
        return false;
    }
    if (text[whole] == '\0') {
        return true;
    }
    size_t fraction = strspn(text + whole + 1, "0123456789");
    return text[whole] == '.' && fraction > 0 && fraction <= 9 &&
           text[whole + 1 + fraction] == '\0';
}

int value_real(const char *text, const char *where, double min, double max, double *out,
               struct err *e) {
    if (!value_is_decimal(text)) {
        return err_set(e, ERR_USAGE, "%s: '%s' is not a number; give one from %g to %g, like %g",
                       where, text, min, max, ceil(min));
    }
    double n = strtod(text, NULL);
    if (n < min || n > max) {
        return err_set(e, ERR_USAGE, "%s: %s is out of range; give a number from %g to %g", where,
                       text, min, max);
    }
    *out = n;
    return 0;
}

int value_seed(const char *text, const char *where, uint64_t *out, struct err *e) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    char *end = NULL;
    errno = 0;
    unsigned long long n = 0;
    if (hex ? isxdigit((unsigned char)*digits) : isdigit((unsigned char)*digits)) {
        n = strtoull(digits, &end, hex ? 16 : 10);
    }
    if (!end || *end || errno == ERANGE) {
        return err_set(e, ERR_USAGE,
                       "%s: '%s' is not a seed; give a whole number of at most 64 "
                       "bits, or auto",
                       where, text);
    }
    *out = n;
    return 0;
}

static const struct duration_unit {
    const char *name;
    int64_t ns;
} duration_units[] = {
    {"h", 3600000000000}, {"m", 60000000000}, {"s", 1000000000},
    {"ms", 1000000},      {"us", 1000},       {"ns", 1},
};
#define DURATION_UNITS (sizeof duration_units / sizeof duration_units[0])

/* Exact decimal arithmetic: 0.1s is 100000000 ns, whatever doubles make of 0.1. Returns false for
 * bad syntax, a fraction finer than 1 ns, or overflow. */
static bool duration_read(const char *text, int64_t *out) {
    size_t whole = strspn(text, "0123456789");
    size_t fraction = 0;
    if (whole > 0 && text[whole] == '.') {
        fraction = strspn(text + whole + 1, "0123456789");
        if (fraction == 0) {
            return false;
        }
    }
    const char *unit = text + whole + (fraction ? fraction + 1 : 0);
    if (whole == 0 || whole > 15 || fraction > 15) {
        return false;
    }
    int64_t scale = *unit == '\0' && strspn(text, "0.") == strlen(text) ? 1 : 0;
    for (size_t i = 0; i < DURATION_UNITS; i++) {
        scale = strcmp(unit, duration_units[i].name) == 0 ? duration_units[i].ns : scale;
    }
    int64_t n = 0;
    for (size_t i = 0; i < whole; i++) {
        n = n * 10 + (text[i] - '0');
    }
    if (scale == 0 || __builtin_mul_overflow(n, scale, &n)) {
        return false;
    }
    for (size_t i = 0; i < fraction; i++) {
        int digit = text[whole + 1 + i] - '0';
        if (digit != 0 && scale % 10 != 0) {
            /* Units of minutes and hours have few factors of ten: 1.25m is fine, 1.00001m too, but
             * the digit's worth must be whole nanoseconds. */
            return false;
        }
        scale /= 10;
        if (__builtin_add_overflow(n, digit * scale, &n)) {
            return false;
        }
    }
    *out = n;
    return true;
}

int value_duration(const char *text, const char *where, int64_t min, int64_t max, int64_t *out,
                   struct err *e) {
    int64_t ns;
    if (!duration_read(text, &ns)) {
        return err_set(e, ERR_USAGE,
                       "%s: '%s' is not a time; give a number with its unit, like "
                       "500ms, 2s or 1m",
                       where, text);
    }
    if (ns < min || ns > max) {
        char low[32];
        char high[32];
        value_duration_text(min, low, sizeof low);
        value_duration_text(max, high, sizeof high);
        return err_set(e, ERR_USAGE, "%s: %s is out of range; give a time from %s to %s", where,
                       text, low, high);
    }
    *out = ns;
    return 0;
}

void value_duration_text(int64_t ns, char *out, size_t size) {
    if (ns == 0) {
        snprintf(out, size, "0s");
        return;
    }
    for (size_t i = 0; i < DURATION_UNITS; i++) {
        if (ns % duration_units[i].ns == 0) {
            snprintf(out, size, "%" PRId64 "%s", ns / duration_units[i].ns, duration_units[i].name);
            return;
        }
    }
}

int value_span(const char *text, const char *where, int64_t min, int64_t max, struct span *out,
               struct err *e) {
    char first[64];
    struct span span = {0, 0};
    const char *dots = strstr(text, "..");
    size_t len = dots ? (size_t)(dots - text) : strlen(text);
    if (len >= sizeof first) {
        return err_set(e, ERR_USAGE, "%s: '%.80s' is not a time; write it like 10ms or 5ms..10ms",
                       where, text);
    }
    memcpy(first, text, len);
    first[len] = '\0';
    if (value_duration(first, where, min, max, &span.min_ns, e) != 0 ||
        value_duration(dots ? dots + 2 : first, where, min, max, &span.max_ns, e) != 0) {
        return -1;
    }
    if (span.min_ns > span.max_ns) {
        return err_set(e, ERR_USAGE, "%s: '%s' ends before it begins; turn it round", where, text);
    }
    *out = span;
    return 0;
}

void value_span_text(const struct span *span, char *out, size_t size) {
    char min[32];
    char max[32];
    value_duration_text(span->min_ns, min, sizeof min);
    value_duration_text(span->max_ns, max, sizeof max);
    snprintf(out, size, "%s%s%s", min, span->min_ns == span->max_ns ? "" : "..",
             span->min_ns == span->max_ns ? "" : max);
}

int value_bool(const char *text, const char *where, bool *out, struct err *e) {
    static const char *const words[2][4] = {{"no", "false", "off", "0"},
                                            {"yes", "true", "on", "1"}};
    for (int i = 0; i < 8; i++) {
        if (strcasecmp(text, words[i / 4][i % 4]) == 0) {
            *out = i / 4 == 1;
            return 0;
        }
    }
    return err_set(e, ERR_USAGE, "%s: '%s' is neither yes nor no", where, text);
}

static bool value_is_name(const char *text) {
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@+-");
    return n > 0 && n <= VALUES_NAME_MAX && text[n] == '\0' && text[0] != '-';
}

int value_name(const char *text, const char *where, struct err *e) {
    if (!value_is_name(text)) {
        return err_set(e, ERR_USAGE,
                       "%s: '%.80s' is not a name; use 1 to %d of A-Z a-z 0-9 . _ @ + "
                       "- and no dash at the front",
                       where, text, VALUES_NAME_MAX);
    }
    return 0;
}

int value_workload(const char *text, const char *where, struct err *e) {
    char name[VALUES_NAME_MAX + 1];
    size_t base = strcspn(text, ":");
    size_t key = text[base] ? strspn(text + base + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
    if (base < sizeof name) {
        memcpy(name, text, base);
        name[base] = '\0';
    }
    if (base >= sizeof name || !text[base]) {
        return value_name(text, where, e);
    }
    const char *number = text + base + 1 + key;
    if (key == 0 || *number != '=' || !number[1] ||
        number[1 + strspn(number + 1, "0123456789")] != '\0' || strlen(text) > VALUES_NAME_MAX) {
        return err_set(e, ERR_USAGE, "%s: '%.80s' is not a workload; write it like bytes:n=4096",
                       where, text);
    }
    return value_name(name, where, e);
}

int value_text(const char *text, const char *where, char **out, struct err *e) {
    if (!*text) {
        return err_set(e, ERR_USAGE, "%s: a value is missing", where);
    }
    if (!workload_is_utf8(text, strlen(text))) {
        return err_set(e, ERR_USAGE, "%s: '%s' is not UTF-8; use another spelling", where, text);
    }
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            return err_set(e, ERR_USAGE, "%s: '%s' holds a control character; leave it out", where,
                           text);
        }
    }
    char *copy = strdup(text);
    if (!copy) {
        return err_set(e, ERR_MACHINE, "%s: out of memory", where);
    }
    free(*out);
    *out = copy;
    return 0;
}

int value_cpus(const char *text, const char *where, struct cpu_choice *out, struct err *e) {
    struct cpu_choice choice = {.automatic = strcmp(text, "auto") == 0};
    CPU_ZERO(&choice.set);
    if (!choice.automatic && cpus_parse(text, where, &choice.set, e) != 0) {
        return -1;
    }
    *out = choice;
    return 0;
}
