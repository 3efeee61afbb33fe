/* Was a ratio reproduced? Two runs, ratio by ratio (method: the difference of two log ratios).
 *
 * Same machine: D = r2 - r1, SE = sqrt(s1^2 + s2^2), Welch-Satterthwaite degrees of freedom
 *   df = (s1^2 + s2^2)^2 / (s1^4 / df1 + s2^4 / df2)
 * p of "D = 0" from t, adjusted over all ratios by Holm; a change is real when its adjusted p is
 * at most 0.05.
 *   reproduced            both runs found the pair equivalent within the same margin: a difference
 *                         inside it was declared irrelevant before either run, so a change from one
 *                         such difference to another is none, however exactly it is known
 * else
 *   reversed              both runs' own intervals exclude 0, with opposite signs
 *   not reproduced        the change is real
 *   reproduced            it is not, and the 90% interval of D lies inside +-ln 1.05 (two one-sided
 *                         tests at 5%: the two ratios are the same within 5%)
 *   consistent, imprecise it is not, but the interval is wider than that
 * Another machine: only directions are judged, by the verdicts.
 *   confirmed             the same: both higher, both lower, or both equivalent
 *   contradicted          one higher, one lower
 *   inconclusive          anything else
 *
 * Sources: Welch, Biometrika 34 (1947) 28-35, for t with unequal variances; Satterthwaite,
 * Biometrics Bulletin 2 (1946) 110-114, for the degrees of freedom as they stand above; Holm,
 * Scandinavian Journal of Statistics 6 (1979) 65-70; Schuirmann, Journal of Pharmacokinetics and
 * Biopharmaceutics 15 (1987) 657-680, for the two one-sided tests. */
#ifndef LOOPBENCH_STATS_REPRODUCE_H
#define LOOPBENCH_STATS_REPRODUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/verdict.h"

#define REPRODUCE_ALPHA  0.05
#define REPRODUCE_WITHIN 0.05

/* One ratio as one run saw it: fields of struct verdict, or as stored by a report. */
struct reproduce_side {
    enum verdict_kind kind;
    double mean, se, df;   /* trimmed mean of the log ratios, its error, h - 1 */
    double log_lo, log_hi; /* the run's own interval at its own level */
    double margin;         /* what its "equivalent" means: 0.03 is within 3% */
};

enum reproduce_outcome {
    REPRODUCE_UNKNOWN, /* either run has no usable ratio here */
    REPRODUCE_SAME,
    REPRODUCE_IMPRECISE,
    REPRODUCE_CHANGED,
    REPRODUCE_REVERSED,
    REPRODUCE_CONFIRMED,
    REPRODUCE_INCONCLUSIVE,
    REPRODUCE_CONTRADICTED,
};

struct reproduced {
    enum reproduce_outcome outcome;
    double d, se, df;      /* NaN when unknown or judged by direction only */
    double p, p_holm;      /* p before and after Holm's adjustment */
    double log_lo, log_hi; /* 90% interval of D */
};

/* Nothing is known of it. */
extern const struct reproduced reproduce_unknown;

/* Holm's adjusted p values: adjusted[i] for p[i]; NaN stays NaN and is not counted. order has room
 * for n. adjusted may not be p. */
void reproduce_holm(const double p[], size_t n, double adjusted[], size_t order[]);

/* Take the side of a ratio that a verdict describes. */
struct reproduce_side reproduce_side_of(const struct verdict *v);

/* Judge n ratios of two runs on the same machine. work has room for 2n, order for n. */
void reproduce_judge(const struct reproduce_side first[], const struct reproduce_side second[],
                     size_t n, struct reproduced out[], double work[], size_t order[]);

/* Judge one ratio of two runs on different machines. */
enum reproduce_outcome reproduce_direction(const struct reproduce_side *first,
                                           const struct reproduce_side *second);

/* "reproduced", "consistent, imprecise", "not reproduced", "reversed", "confirmed",
 * "inconclusive", "contradicted", "unknown". */
const char *reproduce_name(enum reproduce_outcome outcome);

#endif
