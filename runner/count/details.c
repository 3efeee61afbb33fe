#include "count/details.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/parts.h"

/* A call that comes less often than this per request is a timer's or the start's, not a request's.
 */
#define CALL_LEAST 0.0005

/* ---- system calls */

static int dearer_call(const void *a, const void *b) {
    const struct count_call *x = a;
    const struct count_call *y = b;
    return x->per_request != y->per_request ? (x->per_request < y->per_request ? 1 : -1)
                                            : strcmp(x->name, y->name);
}

static void fill_calls(struct count_record *r, json_t *low, json_t *high, double requests) {
    struct count_call *all = calloc(json_object_size(high) + 1, sizeof *all);
    size_t n = 0;
    const char *name;
    json_t *value;
    r->calls = 0;
    json_object_foreach(high, name, value) {
        const json_int_t before = json_integer_value(json_object_get(low, name));
        const double each = (double)(json_integer_value(value) - before) / requests;
        if (all && each >= CALL_LEAST) {
            snprintf(all[n].name, sizeof all[n].name, "%s", name);
            all[n++].per_request = each;
        }
    }
    if (n > 0) {
        qsort(all, n, sizeof *all, dearer_call);
    }
    for (size_t i = 0; i < n; i++) {
        if (r->calls < COUNTS_CALLS_MAX) {
            r->call[r->calls++] = all[i];
        } else {
            struct count_call *last = &r->call[COUNTS_CALLS_MAX - 1];
            snprintf(last->name, sizeof last->name, "others");
            last->per_request += all[i].per_request;
        }
    }
    free(all);
}

/* ---- instructions */

/* A key of the table taken apart; the copy is the caller's. */
struct place {
    char *object, *file, *function;
};

static struct place place_of(char *key) {
    struct place p = {.object = key, .file = key + strlen(key), .function = key + strlen(key)};
    char *first = strchr(key, CALLGRIND_SEPARATOR);
    char *second = first ? strchr(first + 1, CALLGRIND_SEPARATOR) : NULL;
    if (second) {
        *first = *second = '\0';
        p.file = first + 1;
        p.function = second + 1;
    }
    return p;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Adds to the function's row, which may have costs in several source files (inlined ones). */
static void add_function(struct count_function *all, size_t *n, const struct place *p,
                         enum count_part part, double cost) {
    struct count_function row = {.part = part, .per_request = cost};
    snprintf(row.name, sizeof row.name, "%.*s", (int)sizeof row.name - 1, p->function);
    snprintf(row.object, sizeof row.object, "%.*s", (int)sizeof row.object - 1,
             base_name(p->object));
    for (size_t i = 0; i < *n; i++) {
        if (strcmp(all[i].name, row.name) == 0 && strcmp(all[i].object, row.object) == 0) {
            /* It is called after the part that most of it is in. */
            all[i].part = cost > all[i].per_request ? part : all[i].part;
            all[i].per_request += cost;
            return;
        }
    }
    all[(*n)++] = row;
}

static int dearer_function(const void *a, const void *b) {
    const struct count_function *x = a;
    const struct count_function *y = b;
    return x->per_request != y->per_request ? (x->per_request < y->per_request ? 1 : -1)
                                            : strcmp(x->name, y->name);
}

static void fill_functions(struct count_record *r, json_t *low, json_t *high, double requests) {
    struct count_function *all = calloc(json_object_size(high) + 1, sizeof *all);
    size_t n = 0;
    const char *name;
    json_t *value;
    for (int p = 0; p < COUNT_PARTS; p++) {
        r->part[p] = 0;
    }
    json_object_foreach(high, name, value) {
        const json_int_t before = json_integer_value(json_object_get(low, name));
        const double each = (double)(json_integer_value(value) - before) / requests;
        char *key = each != 0 ? strdup(name) : NULL;
        if (!key) {
            continue;
        }
        const struct place p = place_of(key);
        const enum count_part part = parts_of(p.object, p.file, p.function);
        r->part[part] += each;
        if (all) {
            add_function(all, &n, &p, part, each);
        }
        free(key);
    }
    if (n > 0) {
        qsort(all, n, sizeof *all, dearer_function);
    }
    r->functions = n < COUNTS_FUNCTIONS_MAX ? n : COUNTS_FUNCTIONS_MAX;
    if (r->functions > 0) {
        memcpy(r->function, all, r->functions * sizeof *all);
    }
    free(all);
}

void details_fill(struct count_record *r, const struct count_total *low,
                  const struct count_total *high) {
    const double requests = (double)(r->high - r->low);
    if (low->calls && high->calls) {
        fill_calls(r, low->calls, high->calls, requests);
    }
    if (low->instructions.cost && high->instructions.cost) {
        fill_functions(r, low->instructions.cost, high->instructions.cost, requests);
    }
}
