/* Trials that failed, by name: a server that crashes must not only be missing. */
#include <string.h>

#include "report/findings_parts.h"

#define MANY                                                                                       \
    0.1 /* of a cell's trials; what is less stands in the tables, and in what is missing           \
         */

static const struct trial_record *first_failed(const struct cells *c, const struct cell *cell) {
    for (size_t i = 0; i < c->rounds; i++) {
        if (cell->trial[i] && cell->trial[i]->status != TRIAL_OK) {
            return cell->trial[i];
        }
    }
    return NULL;
}

static const struct cell *more_failed(const struct cell *a, const struct cell *b) {
    return !a || b->failed > a->failed ? b : a;
}

bool findings_put_failed(struct maker *m, const struct verdict_row *rows, size_t n) {
    const struct cells *c = m->v->cells;
    const struct cell *worst = NULL;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].gated.kind == VERDICT_INSUFFICIENT) {
            worst = more_failed(more_failed(worst, rows[i].a), rows[i].b);
        }
    }
    const struct trial_record *r = worst ? first_failed(c, worst) : NULL;
    if (!r) {
        return false;
    }
    fprintf(m->say.f, "; %s failed in %d of %d trials (", maker_target(m, worst), worst->failed,
            worst->measured);
    maker_cell(m->say.f, worst);
    fprintf(m->say.f, ": %s)", record_failure_name(r->failure));
    return true;
}

/* A target's failures in one workload: its levels, and why the first one failed. */
static void say_target(struct maker *m, const char *workload, size_t target) {
    const struct cells *c = m->v->cells;
    const struct trial_record *why = NULL;
    for (size_t l = 0; l < c->level_count; l++) {
        const struct cell *cell = cells_find(c, target, workload, c->levels[l]);
        if (!cell || cell->failed == 0 || cell->failed < MANY * cell->measured ||
            (!why && !maker_begin(m))) {
            continue;
        }
        if (!why) {
            why = first_failed(c, cell);
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
