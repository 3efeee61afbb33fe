#include "config/origins.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t origins_row(const char *option_name) {
    const struct option *o = option_find(option_name, ~0U);
    assert(o && options_count() <= ORIGINS_MAX);
    return (size_t)(o - options);
}

const char *origins_of(const struct origins *o, const char *option_name) {
    const char *where = o->where[origins_row(option_name)];
    return where ? where : option_name;
}

bool origins_chosen(const struct origins *o, const char *option_name) {
    return o->chosen[origins_row(option_name)];
}

int origins_set(struct origins *o, const struct option *option, const char *where, bool chosen) {
    size_t row = origins_row(option->name);
    char *copy = strdup(where);
    if (!copy) {
        return -1;
    }
    free(o->where[row]);
    o->where[row] = copy;
    o->chosen[row] = chosen;
    return 0;
}

void origins_release(struct origins *o) {
    for (size_t i = 0; i < ORIGINS_MAX; i++) {
        free(o->where[i]);
    }
    *o = (struct origins){0};
}
