#include "stats/yuen.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

static size_t trimmed_of(size_t n) {
    /* In whole numbers: 0.2 * 5 must be 1, whatever 0.2 is in binary. */
    return n / 5;
}

static double winsorised_value(const double sorted[], size_t n, size_t g, size_t i) {
    if (i < g) {
        return sorted[g];
    }
    return i >= n - g ? sorted[n - g - 1] : sorted[i];
}

/* Two passes, offset from a value of the sample: equal values then give exactly 0, not rounding
 * dust that would pass for a spread. */
static double winsorised_squares(const double sorted[], size_t n, size_t g) {
    const double origin = sorted[g];
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += winsorised_value(sorted, n, g, i) - origin;
    }
    const double mean = sum / (double)n;
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double e = winsorised_value(sorted, n, g, i) - origin - mean;
        squares += e * e;
    }
    return squares;
}

struct yuen yuen_estimate(const double sorted[], size_t n) {
    const size_t g = trimmed_of(n);
    struct yuen y = {.n = n, .g = g, .h = n - 2 * g, .mean = NAN, .ssw = NAN, .se = NAN, .df = NAN};
    if (n == 0) {
        return y;
    }
    y.mean = sorted[g] == sorted[n - g - 1] ? sorted[g] : gsl_stats_mean(sorted + g, 1, y.h);
    if (y.h < 2) {
        return y;
    }
    const double h = (double)y.h;
    y.ok = true;
    y.ssw = winsorised_squares(sorted, n, g);
    y.se = sqrt(y.ssw / (h * (h - 1.0)));
    y.df = h - 1.0;
    return y;
}

struct yuen_interval yuen_interval(const struct yuen *y, double alpha) {
    if (!y->ok || !(alpha > 0.0 && alpha < 1.0)) {
        return (struct yuen_interval){.lo = NAN, .hi = NAN};
    }
    if (y->se == 0.0) {
        return (struct yuen_interval){.lo = y->mean, .hi = y->mean};
    }
    const double half = gsl_cdf_tdist_Qinv(alpha / 2.0, y->df) * y->se;
    return (struct yuen_interval){.lo = y->mean - half, .hi = y->mean + half};
}

double yuen_p(const struct yuen *y) {
    if (!y->ok) {
        return NAN;
    }
    if (y->se == 0.0) {
        return y->mean == 0.0 ? 1.0 : 0.0;
    }
    return fmin(1.0, 2.0 * gsl_cdf_tdist_Q(fabs(y->mean) / y->se, y->df));
}

double yuen_smallest_shown(const struct yuen *y, size_t n, double alpha, double power) {
    const size_t kept = n - 2 * trimmed_of(n);
    if (!y->ok || kept < 2 || !(alpha > 0.0 && alpha < 1.0) || !(power > 0.0 && power < 1.0)) {
        return NAN;
    }
    const double h = (double)kept;
    const double s2 = y->ssw / (double)(y->n - 1);
    const double se = sqrt(s2 * (double)(n - 1) / (h * (h - 1.0)));
    return (gsl_cdf_tdist_Qinv(alpha / 2.0, h - 1.0) + gsl_cdf_tdist_Pinv(power, h - 1.0)) * se;
}

double yuen_welch_df(double se_a, double df_a, double se_b, double df_b) {
    const double va = se_a * se_a;
    const double vb = se_b * se_b;
    const double sum = va + vb;
    if (sum == 0.0) {
        return fmin(df_a, df_b);
    }
    /* By shares of the sum, so that tiny errors do not underflow. */
    const double wa = va / sum;
    const double wb = vb / sum;
    return 1.0 / (wa * wa / df_a + wb * wb / df_b);
}
