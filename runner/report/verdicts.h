/* verdicts.h — from cells to verdicts: every pair of compared targets, in every cell, for each
 * figure that bears one; the A/A control; and what was wrong with trials.
 *
 * Pairs: all pairs of targets, or each target against the baseline where there is one. Control and
 * null server are never compared with other targets.
 *
 * Two verdicts stand beside each other for every ratio:
 *   gated    from the attempt of each block that counts (cells.h). A block counts for a pair unless
 *            one of its two trials failed or carries an invalid flag; what a third target's trial
 *            suffered is not held against them.
 *   ungated  as if no quality signal had been looked at, so that nothing was run again: the first
 *            attempt of each block, whatever its flags. Failed trials have no figure in either.
 * Where the two differ in kind, ->differs says so.
 *
 * Percentiles: a block counts where at least 10 samples lie beyond the percentile on both sides,
 * and the pair is judged only when 10 c do over all those blocks together, on either side.
 *
 * Memory is the peak RSS since the target started: the kernel keeps it (VmHWM), so it does not
 * depend on the moment of a sample.
 *
 * Level: alpha' = 0.035 / m, with m the number of ratios that the plan says bear a verdict:
 * pairs × workloads × levels × figures. It comes from the manifest, never from what was measured or
 * from what a report was asked to show: a baseline chosen after the run does not make it smaller.
 * The control's ratios are judged at the same level and not counted. */
#ifndef REPORT_VERDICTS_H
#define REPORT_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "report/cells.h"
#include "stats/aa.h"
#include "stats/verdict.h"

/* What verdicts are about, in order of importance. */
enum verdict_about {
    ABOUT_CPU,
    ABOUT_RATE,
    ABOUT_P50,
    ABOUT_P99,
    ABOUT_MEMORY,
    ABOUT_COUNT,
};

/* In every figure an alarm of the A/A control undoes the run. In these, the first ones, which its
 * claims rest on, its pooled interval does so too, and without one of them it is not judged. */
#define ABOUT_POOLED_COUNT 2

struct verdict_about_info {
    const char *title; /* "CPU per request" */
    enum figure_id figure;
    enum metric metric;
};

const struct verdict_about_info *verdict_about_info(enum verdict_about about);

/* A against B in one cell, in one figure. */
struct verdict_row {
    enum verdict_about about;
    bool control; /* A is the A/A control, B the target it repeats */
    const struct cell *a, *b;
    struct verdict gated, ungated;
    bool differs;          /* the two are of different kinds, and not both without a verdict */
    size_t invalid_blocks; /* left out of gated because a trial of the pair was invalid */
    size_t few_blocks;     /* left out of gated because too few samples lie beyond the percentile */
    char missing[PERCENTILE_TEXT_MAX]; /* why the percentile cannot be judged at all; "" = it can */
};

/* The trials of one target. */
struct verdict_trials {
    size_t counted;          /* of the attempts that count */
    size_t failed;           /* of those */
    size_t invalid;          /* of those: still invalid after the last attempt */
    size_t unknown;          /* of those that count: a signal that decides could not be read */
    size_t replaced;         /* of attempts that were run again */
    size_t replaced_invalid; /* of those: what their block was run again for */
};

/* The A/A control in one figure. */
struct verdict_aa {
    struct aa gated, ungated;
    const struct verdict_row *worst; /* the control row that resolves least (gated), or NULL */
    size_t limited; /* control cells left out because the load generator limited them */
};

struct verdicts {
    const struct cells *cells;
    struct verdict_rule rule;
    double planned_margin;   /* the run's own; rule.margin may have been chosen for the report */
    size_t ratios;           /* m */
    size_t baseline;         /* index of a target, or SIZE_MAX: all pairs */
    bool baseline_planned;   /* it stands in the run's configuration */
    struct verdict_row *row; /* by figure, workload, connections, pair; control rows last */
    size_t count;
    size_t pair_count; /* rows that are not the control's: row[0 .. pair_count) */
    struct verdict_aa aa[ABOUT_COUNT];
    size_t control;                /* index of the control target, or SIZE_MAX */
    bool has_null;                 /* the null server was measured */
    struct verdict_trials *trials; /* of each target of cells */
    size_t blocks, blocks_invalid; /* measured; of those with an invalid trial left */
};

struct verdicts_options {
    double margin;        /* 0.03 is 3%; 0 = the run's own */
    const char *baseline; /* NULL = the run's own, or none */
};

/* Points into *c, which must outlive it. Returns 0, or -1 with *e: ERR_USAGE when the baseline is
 * no compared target of the run, ERR_MACHINE out of memory. */
int verdicts_build(struct verdicts *v, const struct cells *c, const struct verdicts_options *o,
                   struct err *e);

void verdicts_release(struct verdicts *v);

/* True for a row of the control whose throughput the load generator limited: it proves nothing, and
 * the control is judged without it. */
bool verdict_row_limited(const struct verdict_row *r);

/* True when the gated verdict says that the two differ; of a control row, which is none to believe
 * where the load generator set it, that is an alarm. */
bool verdict_row_alarms(const struct verdict_row *r);

/* True when one of a trial's flags says invalid. */
bool verdict_flags_invalid(const char *flags);

/* True when a trial's flags say so, or when one of its block does so for it (by_block). */
bool verdict_trial_invalid(const struct trial_record *r);

/* The end of a sentence about a row, as verdict_text, with the reason where a percentile could not
 * be judged. Room: VERDICT_TEXT_MAX. */
void verdict_row_text(const struct verdict_row *r, bool gated, char *out, size_t size);

#endif
