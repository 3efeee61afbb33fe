#include "stats/order.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

size_t order_clean(double x[], size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(x[i])) {
            x[kept++] = x[i];
        }
    }
    if (kept > 1) {
        gsl_sort(x, 1, kept);
    }
    return kept;
}

double order_median(const double sorted[], size_t n) {
    return n == 0 ? NAN : gsl_stats_median_from_sorted_data(sorted, 1, n);
}

static double coverage_of(size_t n, size_t k) {
    return 1.0 - 2.0 * gsl_cdf_binomial_P((unsigned)(k - 1), 0.5, (unsigned)n);
}

size_t order_interval_rank(size_t n, double level, double *coverage) {
    size_t best = 0;
    double covered = NAN;
    for (size_t k = 1; 2 * k <= n; k++) {
        const double c = coverage_of(n, k);
        if (!(c >= level)) {
            break;
        }
        best = k;
        covered = c;
    }
    if (coverage != NULL) {
        *coverage = covered;
    }
    return best;
}

struct order_summary order_summarise(double x[], size_t n, double level) {
    const size_t valid = order_clean(x, n);
    struct order_summary s = {
        .n = valid,
        .missing = n - valid,
        .median = order_median(x, valid),
        .min = valid > 0 ? x[0] : NAN,
        .max = valid > 0 ? x[valid - 1] : NAN,
        .lo = NAN,
        .hi = NAN,
    };
    s.k = order_interval_rank(valid, level, &s.coverage);
    if (s.k > 0) {
        s.lo = x[s.k - 1];
        s.hi = x[valid - s.k];
    }
    return s;
}
