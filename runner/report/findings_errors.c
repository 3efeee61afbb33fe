/* What must not be concluded about targets that did not answer all they were asked. */
#include <string.h>

#include "report/findings_parts.h"

#define MUCH 0.01 /* of the requests; what is less stands in the tables, and in the flags */

/* Of all that was tried, how much failed; a failed read or write may also be one that was answered.
 * 0 where nothing is known. */
static double share_failed(const struct cell *cell) {
    enum { CONNECT, READ, WRITE };
    double tried = (double)cell->requests;
    if (cell->requests < 0 || cell->errors <= 0) {
        return 0;
    }
    for (int k = CONNECT; k <= WRITE; k++) {
        tried += cell->errors_by[k] > 0 ? (double)cell->errors_by[k] : 0;
    }
    return tried > 0 ? (double)cell->errors / tried : 0;
}

static double put_targets(struct maker *m, const char *workload, int level) {
    const struct cells *c = m->v->cells;
    double most = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        const double share = share_failed(cell);
        if (cell->connections != level || strcmp(cell->workload, workload) != 0 || share < MUCH ||
            c->targets[cell->target].role != ROLE_TARGET || (most == 0 && !maker_begin(m))) {
            continue;
        }
        if (most == 0) {
            maker_cell(m->say.f, cell);
            fputs(": failed or answered with an error: ", m->say.f);
        }
        fprintf(m->say.f, "%s%.0f%% of what %s was asked", most > 0 ? ", " : "", 100 * share,
                c->targets[cell->target].name);
        most = share > most ? share : most;
    }
    return most;
}

void findings_say_errors(struct maker *m) {
    const struct cells *c = m->v->cells;
    for (size_t w = 0; w < c->workload_count; w++) {
        for (size_t l = 0; l < c->level_count; l++) {
            const double most = put_targets(m, c->workloads[w], c->levels[l]);
            if (most > 0) {
                fputs(
                    ". That is no work done, and costs other than the work: these figures are not "
                    "those of a server that answers.",
                    m->say.f);
                maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
            }
        }
    }
}
