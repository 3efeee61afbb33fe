/* Trials that failed, by name: a server that crashes must not only be missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_parts.h"

#define MANY                                                                                       \
    0.1 /* of a cell's trials; what is less stands in the tables, and in what is missing           \
         */

#define CELLS_NAMED 6 /* in one sentence */

/* A hang is named whatever its part: nothing but a failure tells of it. */
static const struct trial_record *first_hung(const struct cells *c, const struct cell *cell) {
    for (size_t i = 0; i < c->rounds; i++) {
        if (cell->trial[i] && cell->trial[i]->status != TRIAL_OK &&
            cell->trial[i]->failure == FAIL_HUNG) {
            return cell->trial[i];
        }
    }
    return NULL;
}

static const struct trial_record *first_failed(const struct cells *c, const struct cell *cell) {
    for (size_t i = 0; i < c->rounds; i++) {
        if (cell->trial[i] && cell->trial[i]->status != TRIAL_OK) {
            return cell->trial[i];
        }
    }
    return NULL;
}

static int compare_failed(const void *a, const void *b) {
    const struct cell *x = *(const struct cell *const *)a;
    const struct cell *y = *(const struct cell *const *)b;
    if (x->failed != y->failed) {
        return x->failed > y->failed ? -1 : 1;
    }
    return (x > y) - (x < y);
}

/* Cells stand by workload, then by level. */
static int compare_places(const void *a, const void *b) {
    const struct cell *x = *(const struct cell *const *)a;
    const struct cell *y = *(const struct cell *const *)b;
    if (x->target != y->target) {
        return x->target < y->target ? -1 : 1;
    }
    return (x > y) - (x < y);
}

static size_t add_failed(const struct cell **list, size_t n, const struct cell *cell) {
    for (size_t i = 0; i < n; i++) {
        if (list[i] == cell) {
            return n;
        }
    }
    if (cell->failed > 0) {
        list[n++] = cell;
    }
    return n;
}

/* One cell after another: what is as in the one before is not said again, but for the kind of
 * failure. */
static void put_failed_cell(struct maker *m, const struct cell *before, const struct cell *cell) {
    const struct trial_record *r = first_failed(m->v->cells, cell);
    FILE *f = m->say.f;
    const bool same_target = before && before->target == cell->target;
    const bool same_workload = same_target && strcmp(before->workload, cell->workload) == 0;
    if (!same_target) {
        fprintf(f, "; %s failed in ", maker_target(m, cell));
    } else {
        fputs(", ", f);
    }
    if (!same_workload) {
        fprintf(f, "%s at ", cell->workload);
    }
    if (same_workload) {
        fprintf(f, "%d", cell->connections);
    } else {
        maker_levels(f, &cell->connections, 1);
    }
    fprintf(f, " (%d of %d%s%s%s)", cell->failed, cell->measured, same_target ? "" : " trials",
            r ? ": " : "", r ? record_failure_name(r->failure) : "");
}

void findings_put_failed(struct maker *m, const struct verdict_row *rows, size_t n) {
    const struct cell **list = calloc(2 * n + 1, sizeof(const struct cell *));
    size_t found = 0;
    if (!list) {
        m->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (rows[i].gated.kind == VERDICT_INSUFFICIENT) {
            found = add_failed(list, found, rows[i].a);
            found = add_failed(list, found, rows[i].b);
        }
    }
    qsort(list, found, sizeof(const struct cell *), compare_failed);
    const size_t shown = found < CELLS_NAMED ? found : CELLS_NAMED;
    qsort(list, shown, sizeof(const struct cell *), compare_places);
    for (size_t i = 0; i < shown; i++) {
        put_failed_cell(m, i > 0 ? list[i - 1] : NULL, list[i]);
    }
    if (found > shown) {
        fprintf(m->say.f, "; and in %zu more cell%s", found - shown, found - shown == 1 ? "" : "s");
    }
    free(list);
}

/* A target's failures in one workload: its levels, and why the first one failed. */
static void say_target(struct maker *m, const char *workload, size_t target) {
    const struct cells *c = m->v->cells;
    const struct trial_record *why = NULL;
    for (size_t l = 0; l < c->level_count; l++) {
        const struct cell *cell = cells_find(c, target, workload, c->levels[l]);
        const struct trial_record *hung = cell ? first_hung(c, cell) : NULL;
        if (!cell || cell->failed == 0 || (cell->failed < MANY * cell->measured && !hung) ||
            (!why && !maker_begin(m))) {
            continue;
        }
        if (!why) {
            why = hung ? hung : first_failed(c, cell);
            fprintf(m->say.f, "%s: %s failed in ", workload, c->targets[target].name);
        } else {
            fputs(", ", m->say.f);
        }
        fprintf(m->say.f, "%d of %d trials at ", cell->failed, cell->measured);
        maker_levels(m->say.f, &cell->connections, 1);
    }
    if (why) {
        fprintf(m->say.f, " (%s%s%s). Its figures are of the trials it got through, and its ",
                record_failure_name(why->failure), *why->reason ? ": " : "", why->reason);
        fputs("comparisons of those alone: they say nothing of when it fails.", m->say.f);
        maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
    }
}

void findings_say_failures(struct maker *m) {
    const struct cells *c = m->v->cells;
    for (size_t w = 0; w < c->workload_count; w++) {
        for (size_t t = 0; t < c->target_count; t++) {
            say_target(m, c->workloads[w], t);
        }
    }
}
