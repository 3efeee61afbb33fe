/* Order statistics: medians and their distribution-free intervals.
 *
 * Every function here and in the rest of runner/stats is pure: it reads arrays, allocates nothing,
 * prints nothing. Where room is needed the caller lends it.
 *
 * A value that is missing is NaN; infinities count as missing too. */
#ifndef LOOPBENCH_STATS_ORDER_H
#define LOOPBENCH_STATS_ORDER_H

#include <stdbool.h>
#include <stddef.h>

/* Fewest values for which an interval of the median at 95% exists: 1 - 2/2^6 = 0.969. */
#define ORDER_MIN_N 6

/* Median of n values and the interval [x(k), x(n+1-k)] that holds the true median with at least
 * the asked coverage. Without an interval (n too small) k is 0 and lo, hi, coverage are NaN. */
struct order_summary {
    size_t n;        /* values that were present */
    size_t missing;  /* values that were NaN or infinite */
    double median;   /* NaN when n is 0 */
    double min, max; /* NaN when n is 0 */
    size_t k;        /* rank of the lower end, counted from 1; 0: no interval */
    double lo, hi;
    double coverage; /* exact coverage of [lo, hi], 0..1 */
};

/* Move the finite values of x to its front, in ascending order; the rest of x is left undefined.
 * Returns how many there are. Sorts with GSL (heapsort: no worst case, no allocation). */
size_t order_clean(double x[], size_t n);

/* Median of n ascending values: the middle one, or the mean of the two middle ones; NaN if n is 0.
 */
double order_median(const double sorted[], size_t n);

/* Largest k >= 1 with coverage 1 - 2 P(B <= k-1) >= level, B binomial(n, 1/2); 0 if none.
 * *coverage (may be NULL) receives the exact coverage, NaN if none.
 * The interval assumes independent rounds, nothing about the distribution's shape; with ties the
 * coverage is at least the stated one.
 * Sources: David & Nagaraja, Order Statistics, 3rd ed. 2003 (distribution-free intervals of
 * quantiles); Le Boudec, Performance Evaluation of Computer and Communication Systems, 2010,
 * chapter 2. */
size_t order_interval_rank(size_t n, double level, double *coverage);

/* Summary of n values, some of which may be missing, at the asked level (0.95). x is reordered as
 * by order_clean. */
struct order_summary order_summarise(double x[], size_t n, double level);

#endif
