/* Yuen's interval: a 20% trimmed mean with the error its winsorised spread implies.
 *
 * With x(1) <= … <= x(n), g = floor(0.2 n) and h = n - 2g:
 *   mean  trimmed mean, (x(g+1) + … + x(n-g)) / h
 *   w     the winsorised sample: the g smallest raised to x(g+1), the g largest lowered to x(n-g)
 *   SSW   sum of (w - mean of w)^2
 *   se    sqrt(SSW / (h (h - 1)))
 *   (mean - mu) / se is close to Student's t with h - 1 degrees of freedom.
 *
 * Why trimmed: a few trials in a hundred are slowed by something that has nothing to do with the
 * server; up to a fifth on either side may be wild without moving the result.
 *
 * Sources: Tukey & McLaughlin, Less vulnerable confidence and significance procedures for location
 * based on a single sample: trimming/winsorization 1, Sankhya A 25 (1963) 331-352; Yuen, The
 * two-sample trimmed t for unequal population variances, Biometrika 61 (1974) 165-170, with this
 * error for either sample. Wilcox, Introduction to Robust Estimation and Hypothesis Testing, 3rd
 * ed. 2012, has 0.6 sqrt(n (n - 1)) for one sample where we have sqrt(h (h - 1)), which is nearly
 * the same. */
#ifndef LOOPBENCH_STATS_YUEN_H
#define LOOPBENCH_STATS_YUEN_H

#include <stdbool.h>
#include <stddef.h>

#define YUEN_TRIM 0.2

struct yuen {
    bool ok;     /* false: h < 2, there is no error estimate (n < 2) */
    size_t n;    /* values */
    size_t g;    /* trimmed at each end */
    size_t h;    /* kept */
    double mean; /* NaN when n is 0 */
    double ssw;  /* NaN, as se and df, when !ok */
    double se;   /* 0 when the middle values are all equal */
    double df;
};

struct yuen_interval {
    double lo, hi; /* NaN when there is no error estimate */
};

/* Estimate from n finite ascending values (order_clean makes them so). */
struct yuen yuen_estimate(const double sorted[], size_t n);

/* Two-sided interval with error probability alpha (0 < alpha < 1): mean -+ t(1 - alpha/2; df) se.
 * With se = 0 it is the point mean. */
struct yuen_interval yuen_interval(const struct yuen *y, double alpha);

/* Two-sided p of "the true trimmed mean is 0". With se = 0: 1 if the mean is 0, else 0. */
double yuen_p(const struct yuen *y);

/* Smallest true difference that n values would show (interval at alpha excluding 0) with the given
 * power, if they spread as those behind y did:
 *   (t(1 - alpha/2; h-1) + t(power; h-1)) * sqrt(s2 (n - 1) / (h (h - 1))),  s2 = SSW / (y->n - 1)
 * in the unit of the values (a log ratio: exp(x) - 1 is the relative difference). NaN when y or n
 * is too small. The usual sample-size approximation (shifted t for the noncentral one). */
double yuen_smallest_shown(const struct yuen *y, size_t n, double alpha, double power);

/* Degrees of freedom of the difference of two independent estimates (Welch and Satterthwaite). */
double yuen_welch_df(double se_a, double df_a, double se_b, double df_b);

#endif
