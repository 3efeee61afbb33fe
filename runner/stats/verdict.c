#include "stats/verdict.h"

#include <math.h>
#include <stdio.h>

#include "stats/order.h"
#include "stats/wilcoxon.h"

double verdict_alpha(size_t ratios) {
    return VERDICT_FAMILY_ALPHA / (double)(ratios > 0 ? ratios : 1);
}

size_t verdict_needed(size_t planned) {
    const size_t half = planned / 2 + planned % 2;
    return half > VERDICT_MIN_PAIRS ? half : VERDICT_MIN_PAIRS;
}

enum verdict_kind verdict_by_interval(double lo, double hi, double delta) {
    if (lo >= -delta && hi <= delta) {
        return VERDICT_EQUIVALENT;
    }
    if (lo > 0.0) {
        return VERDICT_HIGHER;
    }
    return hi < 0.0 ? VERDICT_LOWER : VERDICT_NO_DIFFERENCE;
}

static bool is_fragile(const struct verdict *v, const struct wilcoxon *ranks) {
    const int found = (v->log_lo > 0.0) - (v->log_hi < 0.0);
    if (found == 0) {
        return ranks->p <= v->alpha;
    }
    return ranks->sign != found || ranks->p > fmax(v->alpha, VERDICT_FAMILY_ALPHA);
}

struct verdict verdict_judge(const double a[], const double b[], size_t n,
                             const struct verdict_rule *rule, double work[]) {
    struct verdict v = {.kind = VERDICT_INSUFFICIENT,
                        .needed = verdict_needed(n),
                        .alpha = rule->alpha,
                        .margin = rule->margin,
                        .signed_rank_p = NAN};
    v.pairs = pairs_log_ratios(a, b, n, work);
    const size_t valid = order_clean(work, v.pairs.valid);
    v.yuen = yuen_estimate(work, valid);
    const struct yuen_interval span = yuen_interval(&v.yuen, rule->alpha);
    v.log_lo = span.lo;
    v.log_hi = span.hi;
    v.ratio = exp(v.yuen.mean);
    v.lo = exp(span.lo);
    v.hi = exp(span.hi);
    /* Not fmax, which would hide a NaN. */
    v.could_hide = expm1(-span.lo > span.hi ? -span.lo : span.hi);
    const struct wilcoxon ranks = wilcoxon_test(work, valid);
    v.signed_rank_p = valid > 0 ? ranks.p : NAN;
    if (valid < v.needed || !v.yuen.ok) {
        return v;
    }
    v.kind = verdict_by_interval(span.lo, span.hi, log1p(rule->margin));
    v.fragile = is_fragile(&v, &ranks);
    return v;
}

void verdict_limit_client(struct verdict *v, enum metric metric) {
    if (metric == METRIC_THROUGHPUT) {
        v->client_limited = true;
        v->kind = VERDICT_CLIENT_LIMITED;
        v->fragile = false;
    } else if (metric == METRIC_LATENCY) {
        v->client_limited = true;
    }
}

const char *verdict_name(enum verdict_kind kind) {
    switch (kind) {
    case VERDICT_INSUFFICIENT:
        return "insufficient";
    case VERDICT_EQUIVALENT:
        return "equivalent";
    case VERDICT_HIGHER:
        return "higher";
    case VERDICT_LOWER:
        return "lower";
    case VERDICT_NO_DIFFERENCE:
        return "no difference";
    case VERDICT_CLIENT_LIMITED:
        return "client-limited";
    }
    return "unknown";
}

const char *verdict_word(enum verdict_kind kind, enum metric metric) {
    if (kind != VERDICT_HIGHER && kind != VERDICT_LOWER) {
        return NULL;
    }
    const bool higher = kind == VERDICT_HIGHER;
    switch (metric) {
    case METRIC_CPU:
    case METRIC_MEMORY:
        return higher ? "heavier" : "leaner";
    case METRIC_THROUGHPUT:
        return higher ? "faster" : "slower";
    case METRIC_LATENCY:
        return higher ? "slower" : "faster";
    }
    return NULL;
}

static int difference_text(const struct verdict *v, enum metric metric, const char *tail, char *out,
                           size_t size) {
    const char *word = verdict_word(v->kind, metric);
    double by = 100.0 * expm1(v->yuen.mean);
    double from = 100.0 * expm1(v->log_lo);
    double to = 100.0 * expm1(v->log_hi);
    if (v->kind == VERDICT_LOWER) {
        const double nearer = -to;
        by = -by;
        to = -from;
        from = nearer;
    }
    return snprintf(out, size, "%s by %.1f%% [%.1f, %.1f]%s", word, by, from, to, tail);
}

int verdict_text(const struct verdict *v, enum metric metric, char *out, size_t size) {
    char tail[80];
    const char *limited = v->client_limited ? ", client-limited" : "";
    if (v->fragile) {
        (void)snprintf(tail, sizeof tail, "%s, fragile (signed-rank p = %.2g)", limited,
                       v->signed_rank_p);
    } else {
        (void)snprintf(tail, sizeof tail, "%s", limited);
    }
    switch (v->kind) {
    case VERDICT_HIGHER:
    case VERDICT_LOWER:
        return difference_text(v, metric, tail, out, size);
    case VERDICT_EQUIVALENT:
        return snprintf(out, size, "equivalent within %.3g%%%s", 100.0 * v->margin, tail);
    case VERDICT_NO_DIFFERENCE:
        return snprintf(out, size, "no difference shown (could hide up to %.*f%%)%s",
                        v->could_hide < 1.0 ? 1 : 0, 100.0 * v->could_hide, tail);
    case VERDICT_CLIENT_LIMITED:
        return snprintf(out, size, "no verdict: client-limited");
    case VERDICT_INSUFFICIENT:
        break;
    }
    return snprintf(out, size, "insufficient (%zu of %zu blocks valid, %zu needed)", v->pairs.valid,
                    v->pairs.planned, v->needed);
}
