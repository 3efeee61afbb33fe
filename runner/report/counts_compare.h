/* counts_compare.h — the counts of two runs, cell by cell.
 *
 * Counts do not depend on the machine's mood, so a difference beyond what a run's own repeats
 * differ by is one of the servers. With the spreads s of the two figures a and b,
 *     u = max(0.1%, (0.001 + s(a) a + s(b) b) / a), or 0 where both always gave the same count,
 *     change = b / a − 1
 * and a figure is the same when |change| is at most u, else more or fewer. Where a is none
 * (COUNTS_NONE) it is the same when b is within u of one of it. A limit "instructions>1%" is
 * crossed when change − u lies above it, kept when change + u does not, else not decided; nor is it
 * where a figure is missing or did not settle, and none is kept where a run's last line was cut
 * short: it may have replaced a record that stands. */
#ifndef REPORT_COUNTS_COMPARE_H
#define REPORT_COUNTS_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/compare_gate.h"
#include "store/counts.h"

struct counts_limit {
    enum count_kind kind;
    double percent;
};

struct counts_gate {
    struct counts_limit limit[COUNT_KINDS]; /* each metric at most once */
    size_t count;
};

/* Takes the limits on counts out of a list like "cpu>5%,instructions>1%"; the others go to `rest`
 * in their order ("" = none). Returns 0, or -1 with *e (ERR_USAGE). */
int counts_gate_parse(struct counts_gate *g, const char *text, char *rest, size_t size,
                      struct err *e);

enum counts_change_kind {
    COUNTS_UNKNOWN, /* one is missing or did not settle */
    COUNTS_SAME,
    COUNTS_MORE,
    COUNTS_FEWER,
};

struct counts_change {
    enum counts_change_kind kind;
    double change; /* b / a − 1; infinite from none to some; NaN = unknown */
    double within; /* u */
};

/* What became of a figure from the first run to the second. Either may be NULL (not there). */
struct counts_change counts_change_of(const struct count_figure *a, const struct count_figure *b);

enum gate_state counts_gate_judge(const struct counts_limit *limit,
                                  const struct counts_change *change);

/* One run's counts under its label. */
struct counts_side {
    const char *label, *name; /* "A", its run id */
    const struct counts *counts;
};

/* Prints every figure of every cell of both and what became of the limits. Returns the number of
 * limits that are crossed, or not decided and that not allowed. */
size_t counts_compare_print(FILE *out, const struct counts_side *base,
                            const struct counts_side *other, const struct counts_gate *gate,
                            bool allow_undecided, bool utf8);

#endif
