/* The A/A control: one target measured twice under two names. Whatever is "found" between the two
 * was put there by the harness or the machine, so a run whose control finds something is not to be
 * believed.
 *
 * One metric is validated when all of these hold:
 *   - at least one control cell has enough valid blocks (verdict_needed);
 *   - no alarm: no control cell's verdict is higher or lower (verdict.h, same margin, same alpha'
 *     as every other ratio of the run);
 *   - where the pooled rule is asked for, the pooled 95% interval (Yuen's, over the log ratios of
 *     all control cells together) holds 0. It is much narrower than one cell's, so it finds biases
 *     that no single cell can.
 *
 * The pooled rule makes about one sound run in twenty fail by chance, for each metric that it is
 * asked of; alarms, at alpha', add little. That is its price; the remedy is to run again, never to
 * drop the control. So alarms are looked for in every metric that bears a verdict, and the pooled
 * rule is asked of those that the run's claims rest on.
 *
 * Sources: Kohavi, Longbotham, Sommerfield & Henne, Controlled experiments on the web: survey and
 * practical guide, Data Mining and Knowledge Discovery 18 (2009) 140-181 (the A/A test); the
 * interval is Yuen's (yuen.h), the level Bonferroni's (verdict.h). */
#ifndef LOOPBENCH_STATS_AA_H
#define LOOPBENCH_STATS_AA_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/verdict.h"

#define AA_POOLED_ALPHA 0.05

/* One control cell: the metric per block under both names, NaN where missing. */
struct aa_cell {
    const double *a;
    const double *b;
    size_t n;
};

enum aa_state {
    AA_VALIDATED,
    AA_ABSENT,       /* no control cell: the run was told to do without */
    AA_INSUFFICIENT, /* no control cell had enough valid blocks */
    AA_ALARM,        /* a control cell showed a difference */
    AA_BIASED,       /* the pooled interval, where it decides, excludes 0 */
};

struct aa {
    enum aa_state state;
    size_t cells;       /* control cells given */
    size_t judged;      /* with enough valid blocks; only these count below */
    size_t alarms;      /* judged cells with a higher or lower verdict */
    size_t first_alarm; /* index of the first of them; cells when there is none */
    size_t pairs;       /* log ratios pooled */
    struct yuen pooled;
    double log_lo, log_hi; /* pooled 95% interval, log ratios */
    /* Half-width of a control cell's own interval at alpha', as a relative difference (exp - 1):
     * the median cell's, which is what one ordinary verdict of this run can resolve, and the worst
     * cell's. NaN when no cell was judged. */
    double resolution, resolution_worst;
    size_t worst; /* index of the worst cell; cells when none was judged */
};

/* Doubles of work space that aa_judge needs for these cells. */
size_t aa_work_size(const struct aa_cell cells[], size_t n);

/* Judge the control in one metric; work has room for aa_work_size(cells, n). With `pooled` false
 * the pooled interval is computed all the same and decides nothing. An alarm is reported before a
 * bias when there are both. */
struct aa aa_judge(const struct aa_cell cells[], size_t n, const struct verdict_rule *rule,
                   bool pooled, double work[]);

#endif
