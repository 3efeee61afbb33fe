#include "stats/aa.h"

#include <math.h>

#include "stats/order.h"

size_t aa_work_size(const struct aa_cell cells[], size_t n) {
    size_t size = n;
    for (size_t i = 0; i < n; i++) {
        size += cells[i].n;
    }
    return size;
}

static bool is_alarm(const struct verdict *v) {
    return v->kind == VERDICT_HIGHER || v->kind == VERDICT_LOWER;
}

/* Judge every cell. work: first n half-widths, then the log ratios of judged cells, packed. */
static void judge_cells(struct aa *aa, const struct aa_cell cells[],
                        const struct verdict_rule *rule, double work[]) {
    double *halves = work;
    double *pool = work + aa->cells;
    double widest = -INFINITY;
    for (size_t i = 0; i < aa->cells; i++) {
        const struct verdict v =
            verdict_judge(cells[i].a, cells[i].b, cells[i].n, rule, pool + aa->pairs);
        if (v.kind == VERDICT_INSUFFICIENT) {
            continue;
        }
        const double half = (v.log_hi - v.log_lo) / 2.0;
        halves[aa->judged++] = half;
        aa->worst = half > widest ? i : aa->worst;
        widest = fmax(widest, half);
        aa->pairs += v.pairs.valid;
        if (is_alarm(&v)) {
            aa->first_alarm = aa->alarms == 0 ? i : aa->first_alarm;
            aa->alarms++;
        }
    }
}

static enum aa_state state_of(const struct aa *aa, bool pooled) {
    if (aa->cells == 0) {
        return AA_ABSENT;
    }
    if (aa->judged == 0) {
        return AA_INSUFFICIENT;
    }
    if (aa->alarms > 0) {
        return AA_ALARM;
    }
    return pooled && (aa->log_lo > 0.0 || aa->log_hi < 0.0) ? AA_BIASED : AA_VALIDATED;
}

struct aa aa_judge(const struct aa_cell cells[], size_t n, const struct verdict_rule *rule,
                   bool pooled, double work[]) {
    struct aa aa = {.cells = n, .first_alarm = n, .worst = n};
    judge_cells(&aa, cells, rule, work);
    const size_t judged = order_clean(work, aa.judged);
    aa.resolution = expm1(order_median(work, judged));
    aa.resolution_worst = judged > 0 ? expm1(work[judged - 1]) : NAN;

    double *pool = work + n;
    aa.pooled = yuen_estimate(pool, order_clean(pool, aa.pairs));
    const struct yuen_interval span = yuen_interval(&aa.pooled, AA_POOLED_ALPHA);
    aa.log_lo = span.lo;
    aa.log_hi = span.hi;
    aa.state = state_of(&aa, pooled);
    return aa;
}
