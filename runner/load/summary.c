#include "load/summary.h"

#include <float.h>
#include <math.h>

/* ⌈q·n⌉ as meant: 0.999 × 1000 is 999, though the product in binary lies a hair above it. */
static int64_t summary_rank(double q, int64_t n) {
    double exact = q * (double)n;
    double near = nearbyint(exact);
    int64_t rank = (int64_t)(fabs(exact - near) <= 4 * DBL_EPSILON * exact ? near : ceil(exact));
    rank = rank < 1 ? 1 : rank;
    return rank > n ? n : rank;
}

int64_t load_percentile(const struct hist *h, double q) {
    int64_t total = hist_total(h);
    if (total <= 0 || !(q >= 0 && q <= 1)) {
        return -1;
    }
    int64_t rank = summary_rank(q, total);
    int64_t seen = 0;
    for (size_t i = 0; i < h->n; i++) {
        seen += h->count[i];
        if (seen >= rank) {
            return h->value[i];
        }
    }
    return h->value[h->n - 1];
}

void load_summarise(const struct hist *h, struct latency_summary *out) {
    out->samples = hist_total(h);
    out->mean_us = out->samples > 0 ? hist_sum(h) / (double)out->samples : (double)NAN;
    out->min_us = load_percentile(h, 0);
    out->p50_us = load_percentile(h, 0.5);
    out->p75_us = load_percentile(h, 0.75);
    out->p90_us = load_percentile(h, 0.9);
    out->p99_us = load_percentile(h, 0.99);
    out->p999_us = load_percentile(h, 0.999);
    out->max_us = load_percentile(h, 1);
}

double load_active_ratio(const struct hist *raw, int connections, int64_t duration_us) {
    if (connections <= 0 || duration_us <= 0) {
        return (double)NAN;
    }
    return hist_sum(raw) / ((double)connections * (double)duration_us);
}

int64_t load_stall_us(const struct hist *raw, int connections) {
    int64_t longer = 0;
    for (size_t i = raw->n; i > 0 && connections > 0; i--) {
        longer += raw->count[i - 1];
        if (longer >= connections) {
            return raw->value[i - 1];
        }
    }
    return -1;
}
