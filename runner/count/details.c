#include "count/details.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/parts.h"

/* A call that comes less often than this per request is a timer's or the start's, not a request's.
 */
#define CALL_LEAST 0.0005

/* ---- pairs of processes */

/* sum += sign × values */
static void add_all(json_t *sum, json_t *values, int sign) {
    const char *name;
    json_t *value;
    json_object_foreach(values, name, value) {
        const json_int_t before = json_integer_value(json_object_get(sum, name));
        json_object_set_new_nocheck(sum, name,
                                    json_integer(before + sign * json_integer_value(value)));
    }
}

static json_t *difference(json_t *low, json_t *high) {
    json_t *sum = low && high ? json_object() : NULL;
    add_all(sum, high, 1);
    add_all(sum, low, -1);
    return sum;
}

void details_take(struct details *d, const struct count_total *low,
                  const struct count_total *high) {
    *d = (struct details){
        .calls = difference(low->calls, high->calls),
        .cost = difference(low->instructions.cost, high->instructions.cost),
    };
}

void details_release(struct details *d) {
    json_decref(d->calls);
    json_decref(d->cost);
    *d = (struct details){0};
}

/* ---- system calls */

static int dearer_call(const void *a, const void *b) {
    const struct count_call *x = a;
    const struct count_call *y = b;
    return x->per_request != y->per_request ? (x->per_request < y->per_request ? 1 : -1)
                                            : strcmp(x->name, y->name);
}

static void fill_calls(struct count_record *r, json_t *calls, double requests) {
    struct count_call *all = calloc(json_object_size(calls) + 1, sizeof *all);
    size_t n = 0;
    const char *name;
    json_t *value;
    r->calls = 0;
    json_object_foreach(calls, name, value) {
        const double each = (double)json_integer_value(value) / requests;
        if (all && fabs(each) >= CALL_LEAST) {
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

static void fill_functions(struct count_record *r, json_t *cost, double requests) {
    struct count_function *all = calloc(json_object_size(cost) + 1, sizeof *all);
    size_t n = 0;
    const char *name;
    json_t *value;
    for (int p = 0; p < COUNT_PARTS; p++) {
        r->part[p] = 0;
    }
    json_object_foreach(cost, name, value) {
        const double each = (double)json_integer_value(value) / requests;
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

typedef void fill_fn(struct count_record *r, json_t *sum, double requests);

/* From the pairs that the figure is the mean of. */
static void fill(struct count_record *r, enum count_kind kind, json_t *const *pair, int n,
                 fill_fn *by) {
    const struct count_figure *f = &r->figure[kind];
    int chosen[COUNTS_REPEATS_MAX];
    if (f->state == COUNT_MISSING || f->n != n) {
        return;
    }
    const int used = count_chosen(f, chosen);
    json_t *sum = json_object();
    for (int i = 0; i < used; i++) {
        add_all(sum, pair[chosen[i]], 1);
    }
    by(r, sum, (double)(r->high - r->low) * used);
    json_decref(sum);
}

void details_fill(struct count_record *r, const struct details *pair, int n) {
    json_t *calls[COUNTS_REPEATS_MAX];
    json_t *cost[COUNTS_REPEATS_MAX];
    for (int i = 0; i < n; i++) {
        calls[i] = pair[i].calls;
        cost[i] = pair[i].cost;
    }
    if (n > 0 && calls[0]) {
        fill(r, COUNT_SYSCALLS, calls, n, fill_calls);
    }
    if (n > 0 && cost[0]) {
        fill(r, COUNT_INSTRUCTIONS, cost, n, fill_functions);
    }
}
