/* compare.h — the same targets in two runs: what changed, cell by cell.
 *
 * Two runs share no blocks. What the machine did to one of them it did not do to the other, and no
 * statistic can tell that from a change of the server. So where both runs measured an anchor (the
 * null server, or a target that the user says is the same), every figure is divided by the anchor's
 * of its block first: what slows the machine for a block slows both. Where the anchor does not
 * answer a workload (the null server knows one), its figure of another workload, with as many
 * connections in the same round, stands in: what slowed the machine between the runs slows that as
 * well. Then, with d = ln(x / anchor) per round (or ln x where there is no anchor),
 * stats/unpaired.h compares the two runs' values. Memory is never anchored: it does not move with
 * the machine's speed.
 *
 * Level: alpha' = 0.035 / m, with m the rows there should be: common targets × workloads ×
 * connections × metrics, as the manifests plan them, known before anything is looked at.
 *
 * A limit is decided only by two runs that are whole and to be believed: not when one of them is
 * not validated, and not in a cell that the base run planned and either run has no trial of. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "report/compare_alike.h"
#include "report/compare_gate.h"
#include "report/compare_ratios.h"
#include "report/findings.h"
#include "report/verdicts.h"
#include "stats/unpaired.h"

/* One run, read and judged by itself. */
struct compare_side {
    const char *label; /* "A", "B" */
    const struct cells *cells;
    const struct verdicts *verdicts;
    const struct findings *findings;
};

struct compare_options {
    bool about[ABOUT_COUNT]; /* the metrics; none = all */
    const char *anchor;      /* NULL = the null server where both have it; "none"; or a target */
    const struct gate *gate; /* NULL = none */
    alike_default fallback;  /* of options */
};

struct compare_row {
    enum verdict_about about;
    const struct cell *base, *other;
    bool anchored;
    bool adrift;         /* not anchored, though others are */
    bool anchor_limited; /* throughput, and the anchor's was limited by the load generator */
    /* The workload of which the anchor's figure is, where it is not the row's own; NULL = own. */
    const char *anchored_on;
    struct unpaired u;
    double measured;     /* other / base without an anchor; NaN */
    size_t disturbed[2]; /* rounds left out on either side as invalid, the anchor's included */
    char missing[PERCENTILE_TEXT_MAX]; /* why a percentile cannot be judged; "" = it can */
};

/* A cell of the base run's plan in which nothing can be compared. */
struct compare_lack {
    const char *target, *workload;
    int connections;
    bool in[2]; /* whether that side measured it; not both */
};

/* What became of one limit. */
struct compare_limit {
    const struct gate_limit *limit;
    size_t rows; /* cells it is on, those that lack among them */
    size_t crossed, undecided;
    const struct compare_row *worst; /* the first row crossed, else undecided, else NULL */
    size_t rounds_needed; /* by which a target that did not change would keep it; 0 = unknown */
};

struct compare {
    struct compare_side side[2]; /* the base, whose figures are 100%; the other */
    struct alike alike;          /* of the base and the other */
    struct verdict_rule rule;
    const char *anchor;      /* a target's name, or NULL */
    bool anchor_changed;     /* it is recorded as another program in the two runs */
    struct compare_row *row; /* by workload, connections, target, metric */
    size_t count;
    size_t planned;            /* m */
    struct compare_lack *lack; /* by workload, connections, target */
    size_t lacks;
    const struct compare_side *doubted; /* the first side that is not validated; NULL = none */
    struct ratios ratios;               /* on another machine; in place of rows */
    struct compare_limit limit[ABOUT_COUNT];
    size_t limits;
    size_t crossed, undecided; /* limits of which a row is */
};

/* Points into both sides, which must outlive it. Returns 0, or -1 with *e: ERR_USAGE when the runs
 * are unlike, have no target in common, or the anchor is not in both; ERR_MACHINE memory. */
int compare_make(struct compare *c, const struct compare_side *base,
                 const struct compare_side *other, const struct compare_options *o, struct err *e);

void compare_release(struct compare *c);

/* The end of a sentence, as verdict_text. Room: VERDICT_TEXT_MAX. */
void compare_row_text(const struct compare_row *r, char *out, size_t size);

/* For a terminal. */
void compare_print(FILE *out, const struct compare *c, bool utf8);

/* The same as dir/name, in Markdown or HTML; `runs` is what links to the pages of the two runs
 * begin with ("../runs/"), NULL = no links. */
int compare_write(const struct compare *c, const char *dir, const char *name, bool html,
                  const char *const links[2], struct err *e);

/* The Markdown to a stream. */
int compare_write_markdown(const struct compare *c, FILE *out, struct err *e);

#endif
