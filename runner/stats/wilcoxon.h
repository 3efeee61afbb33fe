/* Wilcoxon's signed-rank test, exact.
 *
 * Zeros are dropped (the rule that goes by Wilcoxon's name), ties in |d| share their mid-rank. The
 * distribution is that of the sum of the ranks whose sign is positive when every sign is a fair
 * coin, given the mid-ranks at hand: exact with ties too. Found by dynamic programming over doubled
 * ranks (mid-ranks are multiples of 1/2): adding a rank r maps f to f'(s) = (f(s) + f(s - r)) / 2.
 *
 * Sources: Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945) 80-83;
 * Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed. (ties: the conditional
 * distribution). */
#ifndef LOOPBENCH_STATS_WILCOXON_H
#define LOOPBENCH_STATS_WILCOXON_H

#include <stdbool.h>
#include <stddef.h>

/* Above this many nonzero values the normal approximation with tie and continuity correction is
 * used instead. Bounds the table on the stack
 * (65 KiB). */
#define WILCOXON_EXACT_MAX 128

struct wilcoxon {
    size_t n;      /* nonzero differences, which the test rests on */
    size_t zeros;  /* dropped */
    double w_plus; /* sum of mid-ranks of positive differences */
    double p;      /* two-sided: min(1, 2 min(P(W <= w), P(W >= w))); 1 when n is 0 */
    int sign;      /* +1 if w_plus lies above its mean, -1 below, 0 at it */
    bool exact;
};

/* Test whether the n finite ascending values are symmetric about 0. */
struct wilcoxon wilcoxon_test(const double sorted[], size_t n);

/* Smallest two-sided p that n nonzero differences can reach: 2^(1-n), when all agree in sign;
 * 1 for n = 0. */
double wilcoxon_smallest_p(size_t n);

#endif
