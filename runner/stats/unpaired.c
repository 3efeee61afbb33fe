#include "stats/unpaired.h"

#include <math.h>
#include <stdio.h>

#include <gsl/gsl_cdf.h>

#include "stats/order.h"

static struct yuen difference_of(const struct yuen *x, const struct yuen *y) {
    struct yuen d = {.ok = x->ok && y->ok,
                     .n = x->n + y->n,
                     .mean = y->mean - x->mean,
                     .ssw = NAN,
                     .se = NAN,
                     .df = NAN};
    if (d.ok) {
        d.se = hypot(x->se, y->se);
        d.df = yuen_welch_df(x->se, x->df, y->se, y->df);
    }
    return d;
}

struct unpaired unpaired_judge(double x[], size_t n1, double y[], size_t n2,
                               const struct verdict_rule *rule) {
    struct unpaired u = {.planned = {n1, n2}, .needed = {verdict_needed(n1), verdict_needed(n2)}};
    struct verdict *v = &u.change;
    u.valid[0] = order_clean(x, n1);
    u.valid[1] = order_clean(y, n2);
    const struct yuen first = yuen_estimate(x, u.valid[0]);
    const struct yuen second = yuen_estimate(y, u.valid[1]);
    *v = (struct verdict){.kind = VERDICT_INSUFFICIENT,
                          .alpha = rule->alpha,
                          .margin = rule->margin,
                          .signed_rank_p = NAN};
    v->yuen = difference_of(&first, &second);
    const struct yuen_interval span = yuen_interval(&v->yuen, rule->alpha);
    v->log_lo = span.lo;
    v->log_hi = span.hi;
    v->ratio = exp(v->yuen.mean);
    v->lo = exp(span.lo);
    v->hi = exp(span.hi);
    /* Not fmax, which would hide a NaN. */
    v->could_hide = expm1(-span.lo > span.hi ? -span.lo : span.hi);
    u.p = yuen_p(&v->yuen);
    if (u.valid[0] >= u.needed[0] && u.valid[1] >= u.needed[1] && v->yuen.ok) {
        v->kind = verdict_by_interval(span.lo, span.hi, log1p(rule->margin));
    }
    return u;
}

size_t unpaired_rounds_needed(const struct unpaired *u, double limit) {
    const struct yuen *y = &u->change.yuen;
    const size_t valid = u->valid[0] < u->valid[1] ? u->valid[0] : u->valid[1];
    size_t n = 2;
    if (!y->ok || valid == 0) {
        return 0;
    }
    for (; n < UNPAIRED_ROUNDS_MAX; n++) {
        const double share = (double)n / (double)valid;
        const double df = fmax(1, y->df * share);
        const double t = gsl_cdf_tdist_Pinv(1 - u->change.alpha / 2, df);
        if ((t + gsl_cdf_tdist_Pinv(0.99, df)) * y->se / sqrt(share) <= limit) {
            break;
        }
    }
    return n;
}

int unpaired_text(const struct unpaired *u, enum metric metric, char *out, size_t size) {
    if (u->change.kind != VERDICT_INSUFFICIENT) {
        return verdict_text(&u->change, metric, out, size);
    }
    return snprintf(
        out, size, "insufficient (%zu of %zu rounds valid against %zu of %zu, %zu and %zu needed)",
        u->valid[0], u->planned[0], u->valid[1], u->planned[1], u->needed[0], u->needed[1]);
}
