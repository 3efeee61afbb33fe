/* Two runs: the same figure of the same target, measured at two times. Their trials share no
 * blocks, so nothing pairs them, and the machine's drift between the runs cannot be cancelled here;
 * callers who have an anchor (a target that is the same in both runs) hold figures against it
 * within each block first, and give the logarithms of those ratios.
 *
 * Yuen's two-sample test, with trimming of 20% as everywhere (yuen.h). From the trimmed means and
 * errors m1, s1 (the base) and m2, s2 of the logarithms:
 *   D = m2 - m1,  SE = sqrt(s1^2 + s2^2),
 *   df = (s1^2 + s2^2)^2 / (s1^4 / (h1 - 1) + s2^4 / (h2 - 1))
 *   [L, U] = D -+ t(1 - alpha/2; df) SE
 * and the rules of verdict.h decide from [L, U]. There is no second opinion and so nothing is
 * fragile.
 *
 * Sources: Yuen, Biometrika 61 (1974) 165-170; Satterthwaite, Biometrics Bulletin 2 (1946) 110-114
 * (the degrees of freedom); Wilcox, Introduction to Robust Estimation and Hypothesis Testing, 3rd
 * ed. 2012. */
#ifndef LOOPBENCH_STATS_UNPAIRED_H
#define LOOPBENCH_STATS_UNPAIRED_H

#include <stddef.h>

#include "stats/verdict.h"

struct unpaired {
    size_t planned[2]; /* values there should be, of the base and of the other run */
    size_t valid[2];
    size_t needed[2];
    double p; /* two-sided, of "no change"; NaN without an error estimate */
    /* The change of the other run against the base, so that verdict_text and verdict_word say it:
     * yuen holds D, SE and df; ratio, lo and hi are other / base. Its pairs are not used. */
    struct verdict change;
};

/* Judges y (n2 values) against the base x (n1 values): logarithms, NaN where missing. Both are
 * reordered. Either side needs as many values as a run needs blocks (verdict_needed). */
struct unpaired unpaired_judge(double x[], size_t n1, double y[], size_t n2,
                               const struct verdict_rule *rule);

/* How many rounds each run would need for the interval of a target that did not change to stay
 * within `limit` (of the logarithm) with a probability of 99%, if they spread as these did: the
 * first n with (t(1 - alpha/2; df n/n0) + t(0.99; df n/n0)) SE sqrt(n0/n) <= limit, n0 the smaller
 * number of valid rounds (yuen.h: yuen_smallest_shown). At most UNPAIRED_ROUNDS_MAX, which means
 * that or more; 0 when there is no error estimate. */
#define UNPAIRED_ROUNDS_MAX 1000
size_t unpaired_rounds_needed(const struct unpaired *u, double limit);

/* As verdict_text, with what is missing on which side. Room: VERDICT_TEXT_MAX. */
int unpaired_text(const struct unpaired *u, enum metric metric, char *out, size_t size);

#endif
