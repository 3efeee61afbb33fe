/* Which targets, workloads, levels and cells a run holds, and in what order to show them. */
#include "report/cells_parts.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(const struct store *s, struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory for the cells of %s", s->dir);
}

/* Shuffled blocks say nothing about order, so the manifest's lists do; what they do not name comes
 * after, as it was met. */
static size_t listed_at(const json_t *list, const char *key, const char *name) {
    size_t i;
    for (i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *text = json_string_value(key ? json_object_get(item, key) : item);
        if (text && strcmp(text, name) == 0) {
            break;
        }
    }
    return i;
}

struct ranked {
    const char *name;
    const struct trial_record *first;
    size_t rank;
};

static int compare_ranked(const void *a, const void *b) {
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->first && y->first && x->first->role != y->first->role) {
        return x->first->role < y->first->role ? -1 : 1;
    }
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

static bool ranked_has(const struct ranked *r, size_t n, const char *name) {
    /* The last ones first: a block repeats the same few. */
    while (n-- > 0) {
        if (strcmp(r[n].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int index_targets(struct cells *c, const struct store *s, struct ranked *found,
                         struct err *e) {
    const json_t *list = manifest_at(s->manifest, "targets");
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct trial_record *r = &s->records[i];
        if (!ranked_has(found, n, r->target)) {
            found[n++] = (struct ranked){r->target, r, listed_at(list, "name", r->target)};
        }
    }
    qsort(found, n, sizeof *found, compare_ranked);
    c->targets = calloc(n + 1, sizeof *c->targets);
    if (!c->targets) {
        return no_memory(s, e);
    }
    for (; c->target_count < n; c->target_count++) {
        const struct ranked *f = &found[c->target_count];
        c->targets[c->target_count] = (struct cell_target){f->name, f->first->base, f->first->role};
    }
    return 0;
}

static int index_workloads(struct cells *c, const struct store *s, struct ranked *found,
                           struct err *e) {
    const json_t *list = manifest_at(s->manifest, "plan.workloads");
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        const char *name = s->records[i].workload;
        if (!ranked_has(found, n, name)) {
            found[n++] = (struct ranked){name, NULL, listed_at(list, NULL, name)};
        }
    }
    qsort(found, n, sizeof *found, compare_ranked);
    c->workloads = calloc(n + 1, sizeof(void *));
    if (!c->workloads) {
        return no_memory(s, e);
    }
    for (; c->workload_count < n; c->workload_count++) {
        c->workloads[c->workload_count] = found[c->workload_count].name;
    }
    return 0;
}

static int compare_ints(const void *a, const void *b) {
    const int *x = a;
    const int *y = b;
    return (*x > *y) - (*x < *y);
}

static int index_levels(struct cells *c, const struct store *s, struct err *e) {
    c->levels = calloc(s->count, sizeof *c->levels);
    if (!c->levels) {
        return no_memory(s, e);
    }
    for (size_t i = 0; i < s->count; i++) {
        c->levels[i] = s->records[i].connections;
    }
    qsort(c->levels, s->count, sizeof *c->levels, compare_ints);
    for (size_t i = 0; i < s->count; i++) {
        if (i == 0 || c->levels[i] != c->levels[c->level_count - 1]) {
            c->levels[c->level_count++] = c->levels[i];
        }
    }
    return 0;
}

/* One bit for each combination that was met. */
static int index_cells(struct cells *c, const struct store *s, struct err *e) {
    size_t all = c->workload_count * c->level_count * c->target_count;
    /* Honest runs are a full grid; a made-up one could ask for the cube of its lines. */
    if (all > s->count * 64 + 4096) {
        return err_set(
            e, ERR_USAGE,
            "%s: %zu trials spread over %zu cells are no run that can be reported; " STORE_REMEDY,
            s->dir, s->count, all);
    }
    bool *met = calloc(all, sizeof *met);
    c->cell = calloc(s->count, sizeof *c->cell);
    if (!met || !c->cell) {
        free(met);
        return no_memory(s, e);
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct trial_record *r = &s->records[i];
        const int *level =
            bsearch(&r->connections, c->levels, c->level_count, sizeof *c->levels, compare_ints);
        size_t w = 0;
        size_t t = 0;
        /* index_workloads left no name empty.
           NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
        while (w < c->workload_count && strcmp(c->workloads[w], r->workload) != 0) {
            w++;
        }
        while (t < c->target_count && strcmp(c->targets[t].name, r->target) != 0) {
            t++;
        }
        if (level && w < c->workload_count && t < c->target_count) {
            met[(w * c->level_count + (size_t)(level - c->levels)) * c->target_count + t] = true;
        }
    }
    for (size_t i = 0; i < all; i++) {
        if (met[i]) {
            struct cell *cell = &c->cell[c->count++];
            cell->target = i % c->target_count;
            cell->connections = c->levels[i / c->target_count % c->level_count];
            cell->workload = c->workloads[i / c->target_count / c->level_count];
        }
    }
    free(met);
    struct cell *fitted = realloc(c->cell, c->count * sizeof *fitted);
    c->cell = fitted ? fitted : c->cell;
    return 0;
}

int cells_index(struct cells *c, const struct store *s, struct err *e) {
    struct ranked *found = calloc(s->count, sizeof *found);
    if (!found) {
        return no_memory(s, e);
    }
    int rc = index_targets(c, s, found, e);
    if (rc == 0) {
        rc = index_workloads(c, s, found, e);
    }
    free(found);
    if (rc == 0) {
        rc = index_levels(c, s, e);
    }
    return rc == 0 ? index_cells(c, s, e) : -1;
}

const struct cell *cells_find(const struct cells *c, size_t target, const char *workload,
                              int connections) {
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        if (cell->target == target && cell->connections == connections &&
            strcmp(cell->workload, workload) == 0) {
            return cell;
        }
    }
    return NULL;
}
