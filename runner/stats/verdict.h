/* Verdicts: what may be said about target A against target B in one cell.
 *
 * Per block d = ln(a/b); Yuen's interval [L, U] of their trimmed mean at level alpha' (yuen.h). The
 * first rule that applies decides:
 *   1. fewer valid blocks than needed             -> insufficient
 *   2. [L, U] inside [-delta, +delta]             -> equivalent within x, delta = ln(1 + x)
 *   3. L > 0, or U < 0                            -> higher, or lower
 *   4. otherwise                                  -> no difference shown
 * Never from two cells' intervals that do or do not overlap, and never from a ratio of medians:
 * neither cancels the drift that a block's targets share.
 *
 * Needed: at least 6 valid blocks (below that there is no interval of a median either, and one slow
 * trial is more than trimming can take), and at least half of the blocks planned: where most of
 * them failed, those that did not are no fair sample.
 *
 * Level: alpha' = 0.035 / m, m the number of ratios that bear a verdict, fixed before the run
 * (Bonferroni). 0.035 and not 0.05, because t is only close to the law of a trimmed mean: with few
 * rounds and slow trials the simulated family-wise error is then still below 0.07.
 *
 * Fragile: the exact signed-rank test of "no difference" (wilcoxon.h) disagrees with the interval.
 *   - the interval excludes 0, but p > 0.035, or the ranks point the other way;
 *   - the interval holds 0, but p <= alpha'.
 * The interval already answers for all m ratios; to support what it found, the test need only
 * convince as a single one (6 agreeing blocks give p = 0.031, so it always can), but to contradict
 * it must convince at alpha' itself. A fragile verdict leans on the shape of the noise: more rounds
 * settle it. An insufficient verdict is never fragile.
 *
 * Sources: the interval and the test are yuen.h's and wilcoxon.h's; rule 2 is Schuirmann, Journal
 * of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680 (an interval within the margin shows
 * equivalence; his at level 1 - 2 alpha, ours at 1 - alpha', which errs less); the level is
 * Bonferroni's: Dunn, Journal of the American Statistical Association 56 (1961) 52-64; no verdict
 * from overlapping intervals: Schenker & Gentleman, The American Statistician 55 (2001) 182-186.
 * The 0.035, the 6 blocks and what fragile means are loopbench's own, from the simulation in
 * test_stats_simulation.c. */
#ifndef LOOPBENCH_STATS_VERDICT_H
#define LOOPBENCH_STATS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/pairs.h"
#include "stats/yuen.h"

#define VERDICT_FAMILY_ALPHA 0.035
#define VERDICT_MARGIN       0.03
#define VERDICT_MIN_PAIRS    6
/* Room for any text verdict_text writes. */
#define VERDICT_TEXT_MAX 192

enum verdict_kind {
    VERDICT_INSUFFICIENT,
    VERDICT_EQUIVALENT,
    VERDICT_HIGHER,
    VERDICT_LOWER,
    VERDICT_NO_DIFFERENCE,
    VERDICT_CLIENT_LIMITED, /* the load generator set the figure: nothing is said */
};

/* What a higher value means. */
enum metric {
    METRIC_CPU,        /* server CPU per request: heavier */
    METRIC_MEMORY,     /* heavier */
    METRIC_THROUGHPUT, /* successful replies per second: faster */
    METRIC_LATENCY,    /* slower */
};

struct verdict_rule {
    double margin; /* x of "equivalent within x": 0.03 is 3%; above 0 */
    double alpha;  /* alpha', from verdict_alpha */
};

struct verdict {
    enum verdict_kind kind;
    bool fragile;
    bool client_limited; /* set by verdict_limit_client */
    struct pairs pairs;  /* planned, valid and dropped blocks */
    size_t needed;       /* valid blocks needed */
    double alpha, margin;
    struct yuen yuen;      /* of the log ratios */
    double log_lo, log_hi; /* L, U; NaN when there is no error estimate */
    double ratio, lo, hi;  /* A/B: exp of the mean, L, U */
    double signed_rank_p;  /* exact, two-sided, of "no difference"; NaN without a pair */
    double could_hide;     /* exp(max(|L|, |U|)) - 1: a difference this large fits the data */
};

/* alpha' for m ratios; m = 0 counts as 1. */
double verdict_alpha(size_t ratios);

/* Valid blocks needed of those planned: max(6, half of them rounded up). */
size_t verdict_needed(size_t planned);

/* Judge A against B over n blocks: a[i] and b[i] are the metric in block i, NaN where missing.
 * work has room for n; afterwards its first pairs.valid values are the ascending log ratios.
 * The estimates are filled in as far as the data allow even when the verdict is insufficient. */
struct verdict verdict_judge(const double a[], const double b[], size_t n,
                             const struct verdict_rule *rule, double work[]);

/* One side of this ratio was client-limited: a throughput verdict is withdrawn (its figures stay),
 * a latency verdict stands but is marked, since a closed loop's latency is connections over
 * throughput; CPU and memory are not touched. */
void verdict_limit_client(struct verdict *v, enum metric metric);

/* Name for files and tables: "insufficient", "equivalent", "higher", "lower", "no difference",
 * "client-limited". */
const char *verdict_name(enum verdict_kind kind);

/* "heavier", "leaner", "faster", "slower" for higher and lower; NULL for any other kind. */
const char *verdict_word(enum verdict_kind kind, enum metric metric);

/* The verdict as the end of a sentence that begins with "A is" or "A against B:", such as
 *   heavier by 6.1% [4.8, 7.4]
 *   equivalent within 3%
 *   no difference shown (could hide up to 4.2%)
 *   insufficient (4 of 11 blocks valid, 6 needed)
 * Percentages are of B's value, so "leaner by 6%" means that A uses 94% of what B uses.
 * Cuts at size; returns what snprintf would. VERDICT_TEXT_MAX is always enough. */
int verdict_text(const struct verdict *v, enum metric metric, char *out, size_t size);

/* Rules 2 to 4, of an interval [lo, hi]. */
enum verdict_kind verdict_by_interval(double lo, double hi, double delta);

#endif
