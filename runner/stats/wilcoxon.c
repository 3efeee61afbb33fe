#include "stats/wilcoxon.h"

#include <math.h>
#include <stdint.h>

#include <gsl/gsl_cdf.h>

/* The values by growing |d|: ascending values are two runs already, negatives backwards and
 * positives forwards, so a merge replaces a second sort. */
struct merge {
    const double *sorted;
    size_t below; /* negatives not yet taken: sorted[0 .. below) */
    size_t above; /* next positive */
    size_t end;
};

static struct merge merge_begin(const double sorted[], size_t n) {
    size_t below = 0;
    while (below < n && sorted[below] < 0.0) {
        below++;
    }
    size_t above = below;
    while (above < n && sorted[above] == 0.0) {
        above++;
    }
    return (struct merge){.sorted = sorted, .below = below, .above = above, .end = n};
}

static bool merge_negative(const struct merge *m, double *size) {
    *size = m->below > 0 ? -m->sorted[m->below - 1] : INFINITY;
    return m->below > 0;
}

static bool merge_positive(const struct merge *m, double *size) {
    *size = m->above < m->end ? m->sorted[m->above] : INFINITY;
    return m->above < m->end;
}

/* One group of equal |d|: how many there are and how many of them are positive. */
struct tie {
    size_t size;
    size_t positive;
};

static bool merge_next(struct merge *m, struct tie *tie) {
    double neg = 0.0;
    double pos = 0.0;
    *tie = (struct tie){0};
    bool has_neg = merge_negative(m, &neg);
    bool has_pos = merge_positive(m, &pos);
    if (!has_neg && !has_pos) {
        return false;
    }
    const double size = fmin(neg, pos);
    while (has_neg && neg == size) {
        m->below--;
        tie->size++;
        has_neg = merge_negative(m, &neg);
    }
    while (has_pos && pos == size) {
        m->above++;
        tie->size++;
        tie->positive++;
        has_pos = merge_positive(m, &pos);
    }
    return true;
}

/* P(2W <= limit), limit at most half of the largest sum. */
static double lower_tail(const uint32_t doubled[], size_t n, size_t limit) {
    double f[WILCOXON_EXACT_MAX * (WILCOXON_EXACT_MAX + 1) / 2 + 1] = {1.0};
    for (size_t i = 0; i < n; i++) {
        const size_t r = doubled[i];
        for (size_t s = limit + 1; s-- > 0;) {
            f[s] = 0.5 * (f[s] + (s >= r ? f[s - r] : 0.0));
        }
    }
    double tail = 0.0;
    for (size_t s = 0; s <= limit; s++) {
        tail += f[s];
    }
    return tail;
}

static double normal_p(double w, double n, double tie_sum) {
    const double mean = n * (n + 1.0) / 4.0;
    const double variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_sum / 48.0;
    if (variance <= 0.0) {
        return 1.0;
    }
    const double z = fmax(0.0, fabs(w - mean) - 0.5) / sqrt(variance);
    return fmin(1.0, 2.0 * gsl_cdf_ugaussian_Q(z));
}

struct wilcoxon wilcoxon_test(const double sorted[], size_t n) {
    struct merge m = merge_begin(sorted, n);
    const size_t zeros = m.above - m.below;
    struct wilcoxon t = {.n = n - zeros, .zeros = zeros, .p = 1.0};
    t.exact = t.n <= WILCOXON_EXACT_MAX;

    uint32_t doubled[WILCOXON_EXACT_MAX] = {0};
    size_t ranked = 0;
    size_t plus2 = 0; /* 2W+ */
    double tie_sum = 0.0;
    struct tie tie;
    while (merge_next(&m, &tie)) {
        /* Ranks ranked+1 .. ranked+size; twice their mean is the sum of the ends. */
        const size_t rank2 = 2 * ranked + tie.size + 1;
        for (size_t i = 0; t.exact && i < tie.size; i++) {
            doubled[ranked + i] = (uint32_t)rank2;
        }
        const double size = (double)tie.size;
        tie_sum += size * size * size - size;
        plus2 += rank2 * tie.positive;
        ranked += tie.size;
    }
    t.w_plus = (double)plus2 / 2.0;
    if (t.n == 0) {
        return t;
    }
    const size_t total2 = t.n * (t.n + 1);
    const size_t minus2 = total2 - plus2;
    t.sign = (plus2 > minus2) - (plus2 < minus2);
    if (t.exact) {
        t.p = fmin(1.0, 2.0 * lower_tail(doubled, t.n, plus2 < minus2 ? plus2 : minus2));
    } else {
        t.p = normal_p(t.w_plus, (double)t.n, tie_sum);
    }
    return t;
}

double wilcoxon_smallest_p(size_t n) {
    return n == 0 ? 1.0 : ldexp(1.0, 1 - (int)(n < 1000 ? n : 1000));
}
