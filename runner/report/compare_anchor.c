/* What two runs are held against: a target that is the same in both. */
#include <stdint.h>
#include <string.h>

#include "report/compare_parts.h"

size_t compare_find_target(const struct cells *c, const char *name) {
    for (size_t t = 0; t < c->target_count; t++) {
        if (strcmp(c->targets[t].name, name) == 0) {
            return t;
        }
    }
    return SIZE_MAX;
}

static const struct cell_target *null_of(const struct cells *c) {
    for (size_t t = 0; t < c->target_count; t++) {
        if (c->targets[t].role == ROLE_NULL) {
            return &c->targets[t];
        }
    }
    return NULL;
}

int compare_choose_anchor(struct compare *c, const char *wanted, struct err *e) {
    const struct cells *first = c->side[0].cells;
    const struct cells *second = c->side[1].cells;
    if (wanted && strcmp(wanted, "none") == 0) {
        return 0;
    }
    if (!wanted) {
        const struct cell_target *a = null_of(first);
        const struct cell_target *b = null_of(second);
        c->anchor = a && b && strcmp(a->name, b->name) == 0 ? a->name : NULL;
    } else if (compare_find_target(first, wanted) == SIZE_MAX ||
               compare_find_target(second, wanted) == SIZE_MAX) {
        return err_set(e, ERR_USAGE,
                       "--anchor: '%s' was not measured in both runs; name a target that was, or "
                       "none",
                       wanted);
    } else {
        c->anchor = first->targets[compare_find_target(first, wanted)].name;
    }
    c->anchor_changed =
        c->anchor && !alike_target(first->store->manifest, second->store->manifest, c->anchor);
    return 0;
}

static bool find_in(const struct compare *c, const char *workload, int connections,
                    const struct cell *found[2]) {
    for (size_t i = 0; i < 2; i++) {
        const struct cells *cells = c->side[i].cells;
        const size_t t = compare_find_target(cells, c->anchor);
        found[i] = t == SIZE_MAX ? NULL : cells_find(cells, t, workload, connections);
        if (!found[i] || found[i]->measured == 0) {
            return false;
        }
    }
    return true;
}

bool compare_find_anchor(const struct compare *c, const struct compare_row *row,
                         const struct cell **base, const struct cell **other) {
    const struct cells *cells = c->side[0].cells;
    const struct cell *found[2] = {NULL, NULL};
    bool is = c->anchor && find_in(c, row->base->workload, row->base->connections, found);
    for (size_t w = 0; c->anchor && !is && w < cells->workload_count; w++) {
        is = find_in(c, cells->workloads[w], row->base->connections, found);
    }
    *base = is ? found[0] : NULL;
    *other = is ? found[1] : NULL;
    return is;
}
