#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"

#define ENTRY_SIZE 128

/* The entry at *at, without blanks around it, into `entry`; advances past its comma. Returns 1, 0
 * at the end, -1 when it does not fit. An empty entry is an entry. */
static int list_next(const char **at, char entry[ENTRY_SIZE]) {
    if (!*at) {
        return 0;
    }
    const char *begin = *at + strspn(*at, " \t");
    size_t len = strcspn(begin, ",");
    *at = begin[len] == ',' ? begin + len + 1 : NULL;
    while (len > 0 && (begin[len - 1] == ' ' || begin[len - 1] == '\t')) {
        len--;
    }
    if (len >= ENTRY_SIZE) {
        return -1;
    }
    memcpy(entry, begin, len);
    entry[len] = '\0';
    return 1;
}

static int list_too_long(const char *where, struct err *e) {
    return err_set(e, ERR_USAGE, "%s: more than %d entries; leave some out", where,
                   VALUES_LIST_MAX);
}

static int list_repeats(const char *where, const char *entry, struct err *e) {
    return err_set(e, ERR_USAGE, "%s: '%s' stands there twice; name it once", where, entry);
}

static int list_no_memory(const char *where, struct err *e) {
    return err_set(e, ERR_MACHINE, "%s: out of memory", where);
}

bool names_has(const struct names *names, const char *name) {
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->name[i], name) == 0) {
            return true;
        }
    }
    return false;
}

int names_add(struct names *names, const char *name) {
    char **grown = realloc(names->name, (names->n + 1) * sizeof *grown);
    if (!grown) {
        return -1;
    }
    names->name = grown;
    grown[names->n] = strdup(name);
    if (!grown[names->n]) {
        return -1;
    }
    names->n++;
    return 0;
}

static int names_read(const char *text, const char *where,
                      int (*one)(const char *text, const char *where, struct err *e),
                      struct names *out, struct err *e) {
    char entry[ENTRY_SIZE];
    int got;
    while ((got = list_next(&text, entry)) > 0) {
        if (one(entry, where, e) != 0) {
            return -1;
        }
        if (names_has(out, entry)) {
            return list_repeats(where, entry, e);
        }
        if (out->n == VALUES_LIST_MAX) {
            return list_too_long(where, e);
        }
        if (names_add(out, entry) != 0) {
            return list_no_memory(where, e);
        }
    }
    return got == 0 ? 0
                    : err_set(e, ERR_USAGE, "%s: a name is longer than %d bytes; shorten it", where,
                              VALUES_NAME_MAX);
}

static int names_replace(const char *text, const char *where,
                         int (*one)(const char *text, const char *where, struct err *e),
                         struct names *out, struct err *e) {
    struct names names = {0};
    if (names_read(text, where, one, &names, e) != 0) {
        names_release(&names);
        return -1;
    }
    names_release(out);
    *out = names;
    return 0;
}

int value_names(const char *text, const char *where, struct names *out, struct err *e) {
    return names_replace(text, where, value_name, out, e);
}

int value_workloads(const char *text, const char *where, struct names *out, struct err *e) {
    return names_replace(text, where, value_workload, out, e);
}

static int ints_read(const char *text, const char *where, int64_t min, int64_t max,
                     struct ints *out, struct err *e) {
    char entry[ENTRY_SIZE];
    int got;
    while ((got = list_next(&text, entry)) > 0) {
        int64_t n;
        if (value_int(entry, where, min, max, &n, e) != 0) {
            return -1;
        }
        for (size_t i = 0; i < out->n; i++) {
            if (out->value[i] == n) {
                return list_repeats(where, entry, e);
            }
        }
        if (out->n == VALUES_LIST_MAX) {
            return list_too_long(where, e);
        }
        out->value[out->n++] = n;
    }
    return got == 0
               ? 0
               : err_set(e, ERR_USAGE, "%s: not a list of numbers; write it like 10,100", where);
}

int value_ints(const char *text, const char *where, int64_t min, int64_t max, struct ints *out,
               struct err *e) {
    struct ints ints = {.value = calloc(VALUES_LIST_MAX, sizeof(int64_t))};
    if (!ints.value) {
        return list_no_memory(where, e);
    }
    if (ints_read(text, where, min, max, &ints, e) != 0) {
        ints_release(&ints);
        return -1;
    }
    ints_release(out);
    *out = ints;
    return 0;
}

static int pairs_read(const char *text, const char *where, int64_t min, int64_t max,
                      struct pair_list *out, struct err *e) {
    char entry[ENTRY_SIZE];
    int got;
    while ((got = list_next(&text, entry)) > 0) {
        char *equals = strchr(entry, '=');
        if (!equals) {
            return err_set(e, ERR_USAGE, "%s: '%s' has no '='; write it like libuv=500", where,
                           entry);
        }
        *equals = '\0';
        if (value_name(entry, where, e) != 0) {
            return -1;
        }
        for (size_t i = 0; i < out->n; i++) {
            if (strcmp(out->name[i], entry) == 0) {
                return list_repeats(where, entry, e);
            }
        }
        if (out->n == VALUES_LIST_MAX) {
            return list_too_long(where, e);
        }
        if (value_int(equals + 1, where, min, max, &out->value[out->n], e) != 0) {
            return -1;
        }
        out->name[out->n] = strdup(entry);
        if (!out->name[out->n]) {
            return list_no_memory(where, e);
        }
        out->n++;
    }
    return got == 0
               ? 0
               : err_set(e, ERR_USAGE, "%s: an entry is too long; write it like libuv=500", where);
}

int value_pairs(const char *text, const char *where, int64_t min, int64_t max,
                struct pair_list *out, struct err *e) {
    struct pair_list pairs = {.name = calloc(VALUES_LIST_MAX, sizeof(char *)),
                              .value = calloc(VALUES_LIST_MAX, sizeof(int64_t))};
    if (!pairs.name || !pairs.value) {
        pair_list_release(&pairs);
        return list_no_memory(where, e);
    }
    if (text[strspn(text, " \t")] && pairs_read(text, where, min, max, &pairs, e) != 0) {
        pair_list_release(&pairs);
        return -1;
    }
    pair_list_release(out);
    *out = pairs;
    return 0;
}

void names_release(struct names *names) {
    for (size_t i = 0; i < names->n; i++) {
        free(names->name[i]);
    }
    free(names->name);
    *names = (struct names){0};
}

void ints_release(struct ints *ints) {
    free(ints->value);
    *ints = (struct ints){0};
}

void pair_list_release(struct pair_list *pairs) {
    for (size_t i = 0; i < pairs->n; i++) {
        free(pairs->name[i]);
    }
    free(pairs->name);
    free(pairs->value);
    *pairs = (struct pair_list){0};
}
