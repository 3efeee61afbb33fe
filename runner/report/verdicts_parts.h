/* verdicts_parts.h — between the files that build verdicts; nobody else includes it. */
#ifndef REPORT_VERDICTS_PARTS_H
#define REPORT_VERDICTS_PARTS_H

#include "report/verdicts.h"

/* Where the values of a pair of cells come from. */
struct verdict_source {
    const struct cells *cells;
    /* The first attempt of each round of each cell: first[cell * rounds + round]; NULL = none. */
    const struct trial_record **first;
    double *a, *b, *work; /* room for cells.rounds each */
    uint64_t *totals;     /* the same */
};

/* Cells are sorted by workload, connections and target, so those of one workload and level are
 * neighbours: where the neighbours of cell i end. */
size_t verdicts_group_end(const struct cells *c, size_t i);

/* Lends room and finds first attempts. Returns -1 out of memory. */
int verdict_source_init(struct verdict_source *s, const struct cells *c);
void verdict_source_release(struct verdict_source *s);

/* Fills s->a and s->b with the pair's values per block; blocks left out are NaN, and counted in the
 * row where they are left out of the gated values. */
void verdict_source_fill(struct verdict_source *s, struct verdict_row *row, bool gated);

/* Judges both ways. */
void verdict_row_judge(struct verdict_row *row, struct verdict_source *s,
                       const struct verdict_rule *rule);

/* Judges the A/A control from the control rows. Returns -1 out of memory. */
int verdicts_judge_control(struct verdicts *v, struct verdict_source *s);

/* m and what the manifest says of margin and baseline. */
void verdicts_plan(struct verdicts *v, const struct verdicts_options *o);

/* Counts trials by target, and blocks. */
void verdicts_count_trials(struct verdicts *v);

#endif
