#include "stats/reproduce.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

void reproduce_holm(const double p[], size_t n, double adjusted[], size_t order[]) {
    /* adjusted serves as the sorting key first: a NaN must not reach the sort. */
    size_t tests = 0;
    for (size_t i = 0; i < n; i++) {
        adjusted[i] = isnan(p[i]) ? INFINITY : p[i];
        tests += !isnan(p[i]);
    }
    if (n > 0) {
        gsl_sort_index(order, adjusted, 1, n);
    }
    double running = 0.0;
    for (size_t rank = 0; rank < tests; rank++) {
        const size_t i = order[rank];
        running = fmax(running, fmin(1.0, (double)(tests - rank) * p[i]));
        adjusted[i] = running;
    }
    for (size_t rank = tests; rank < n; rank++) {
        adjusted[order[rank]] = NAN;
    }
}

struct reproduce_side reproduce_side_of(const struct verdict *v) {
    return (struct reproduce_side){.kind = v->kind,
                                   .mean = v->yuen.mean,
                                   .se = v->yuen.se,
                                   .df = v->yuen.df,
                                   .log_lo = v->log_lo,
                                   .log_hi = v->log_hi,
                                   .margin = v->margin};
}

const struct reproduced reproduce_unknown = {.outcome = REPRODUCE_UNKNOWN,
                                             .d = NAN,
                                             .se = NAN,
                                             .df = NAN,
                                             .p = NAN,
                                             .p_holm = NAN,
                                             .log_lo = NAN,
                                             .log_hi = NAN};

static bool is_usable(const struct reproduce_side *s) {
    return s->kind != VERDICT_INSUFFICIENT && s->kind != VERDICT_CLIENT_LIMITED &&
           isfinite(s->mean) && isfinite(s->se) && s->se >= 0.0 && s->df > 0.0;
}

static double difference_p(double d, double se, double df) {
    if (se == 0.0) {
        return d == 0.0 ? 1.0 : 0.0;
    }
    return fmin(1.0, 2.0 * gsl_cdf_tdist_Q(fabs(d) / se, df));
}

static struct reproduced difference_of(const struct reproduce_side *a,
                                       const struct reproduce_side *b) {
    struct reproduced r = reproduce_unknown;
    if (!is_usable(a) || !is_usable(b)) {
        return r;
    }
    r.d = b->mean - a->mean;
    r.se = hypot(a->se, b->se);
    r.df = yuen_welch_df(a->se, a->df, b->se, b->df);
    r.p = difference_p(r.d, r.se, r.df);
    const double half = gsl_cdf_tdist_Qinv(0.05, r.df) * r.se;
    r.log_lo = r.d - half;
    r.log_hi = r.d + half;
    return r;
}

static int sign_of(const struct reproduce_side *s) {
    return (s->log_lo > 0.0) - (s->log_hi < 0.0);
}

/* Margins are options, read from text: equal ones are equal bits. */
static bool same_equivalence(const struct reproduce_side *a, const struct reproduce_side *b) {
    return a->kind == VERDICT_EQUIVALENT && b->kind == VERDICT_EQUIVALENT && a->margin == b->margin;
}

static enum reproduce_outcome outcome_of(const struct reproduced *r, const struct reproduce_side *a,
                                         const struct reproduce_side *b) {
    if (same_equivalence(a, b)) {
        return REPRODUCE_SAME;
    }
    if (sign_of(a) * sign_of(b) < 0) {
        return REPRODUCE_REVERSED;
    }
    if (r->p_holm <= REPRODUCE_ALPHA) {
        return REPRODUCE_CHANGED;
    }
    const double within = log1p(REPRODUCE_WITHIN);
    return r->log_lo >= -within && r->log_hi <= within ? REPRODUCE_SAME : REPRODUCE_IMPRECISE;
}

void reproduce_judge(const struct reproduce_side first[], const struct reproduce_side second[],
                     size_t n, struct reproduced out[], double work[], size_t order[]) {
    double *p = work;
    double *adjusted = work + n;
    for (size_t i = 0; i < n; i++) {
        out[i] = difference_of(&first[i], &second[i]);
        p[i] = out[i].p;
    }
    reproduce_holm(p, n, adjusted, order);
    for (size_t i = 0; i < n; i++) {
        if (!isnan(out[i].p)) {
            out[i].p_holm = adjusted[i];
            out[i].outcome = outcome_of(&out[i], &first[i], &second[i]);
        }
    }
}

static bool is_claim(enum verdict_kind kind) {
    return kind == VERDICT_HIGHER || kind == VERDICT_LOWER || kind == VERDICT_EQUIVALENT;
}

enum reproduce_outcome reproduce_direction(const struct reproduce_side *first,
                                           const struct reproduce_side *second) {
    if (!is_usable(first) || !is_usable(second)) {
        return REPRODUCE_UNKNOWN;
    }
    if (is_claim(first->kind) && first->kind == second->kind) {
        return REPRODUCE_CONFIRMED;
    }
    const bool opposite = (first->kind == VERDICT_HIGHER && second->kind == VERDICT_LOWER) ||
                          (first->kind == VERDICT_LOWER && second->kind == VERDICT_HIGHER);
    return opposite ? REPRODUCE_CONTRADICTED : REPRODUCE_INCONCLUSIVE;
}

const char *reproduce_name(enum reproduce_outcome outcome) {
    switch (outcome) {
    case REPRODUCE_SAME:
        return "reproduced";
    case REPRODUCE_IMPRECISE:
        return "consistent, imprecise";
    case REPRODUCE_CHANGED:
        return "not reproduced";
    case REPRODUCE_REVERSED:
        return "reversed";
    case REPRODUCE_CONFIRMED:
        return "confirmed";
    case REPRODUCE_INCONCLUSIVE:
        return "inconclusive";
    case REPRODUCE_CONTRADICTED:
        return "contradicted";
    case REPRODUCE_UNKNOWN:
        break;
    }
    return "unknown";
}
