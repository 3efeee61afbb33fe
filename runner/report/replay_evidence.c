/* The intervals that claims are decided by, one kind of comparison after the other. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/replay_metrics.h"
#include "report/replay_parts.h"
#include "report/text.h"
#include "stats/unpaired.h"

void replay_share_interval(size_t k, size_t n, double alpha, double *lo, double *hi) {
    const double a = (double)k;
    const double b = (double)(n - k);
    *lo = k == 0 ? 0 : gsl_cdf_beta_Pinv(alpha / 2, a, b + 1);
    *hi = k == n ? 1 : gsl_cdf_beta_Qinv(alpha / 2, a + 1, b);
}

enum replay_outcome replay_decide(double lo, double hi, double expect_lo, double expect_hi) {
    if (isnan(lo) || isnan(hi)) {
        return REPLAY_CANNOT_BE_TOLD;
    }
    if (lo >= expect_lo && hi <= expect_hi) {
        return REPLAY_HOLDS;
    }
    return hi < expect_lo || lo > expect_hi ? REPLAY_DOES_NOT_HOLD : REPLAY_CANNOT_BE_TOLD;
}

static const char *name_of(const struct replay_found *f) {
    return f->run->reading.cells.targets[f->cell->target].name;
}

/* A name that may be anything, for a line of text. */
static void put_why(struct replay_evidence *ev, const struct replay_found *f, const char *why) {
    char name[4 * 32 + 8];
    text_terminal(name, sizeof name, name_of(f), 32, true);
    snprintf(ev->why, sizeof ev->why, "%s: %s", name, why);
}

/* Says why a side has nothing to say. */
static bool is_missing(struct replay_evidence *ev, const struct replay_found *f) {
    const char *why = replay_value_missing(f->cell, ev->claim->metric);
    if (why && !ev->why[0]) {
        put_why(ev, f, why);
    }
    return why != NULL;
}

static void say_few(struct replay_evidence *ev, size_t needed) {
    ev->few = true;
    snprintf(ev->why, sizeof ev->why, "%zu of %zu rounds are valid, %zu are needed", ev->valid,
             ev->planned, needed);
}

static void take(const struct verdict *v, struct replay_evidence *ev) {
    ev->value = v->ratio;
    ev->fragile = v->fragile;
    ev->valid = v->pairs.valid;
    ev->planned = v->pairs.planned;
    if (v->kind == VERDICT_INSUFFICIENT) {
        say_few(ev, v->needed);
        return;
    }
    ev->lo = v->lo;
    ev->hi = v->hi;
}

/* ---- the run's own verdict */

static enum verdict_about about_of(enum replay_metric metric) {
    switch (metric) {
    case REPLAY_THROUGHPUT:
        return ABOUT_RATE;
    case REPLAY_CPU:
        return ABOUT_CPU;
    case REPLAY_P50:
        return ABOUT_P50;
    case REPLAY_P99:
        return ABOUT_P99;
    case REPLAY_MEMORY:
        return ABOUT_MEMORY;
    default:
        return ABOUT_COUNT;
    }
}

static const struct verdict_row *recorded(const struct replay_found *a,
                                          const struct replay_found *b, enum replay_metric metric,
                                          bool *turned) {
    const struct verdicts *v = &a->run->reading.verdicts;
    const enum verdict_about about = about_of(metric);
    for (size_t i = 0; a->run == b->run && about < ABOUT_COUNT && i < v->pair_count; i++) {
        const struct verdict_row *row = &v->row[i];
        if (row->about == about && ((row->a == a->cell && row->b == b->cell) ||
                                    (row->a == b->cell && row->b == a->cell))) {
            *turned = row->a == b->cell;
            return row;
        }
    }
    return NULL;
}

static void take_recorded(const struct verdict_row *row, bool turned, struct replay_evidence *ev) {
    ev->source = REPLAY_FROM_VERDICT;
    take(&row->gated, ev);
    if (row->missing[0]) {
        snprintf(ev->why, sizeof ev->why, "%s", row->missing);
        ev->lo = ev->hi = NAN;
    } else if (row->gated.kind == VERDICT_CLIENT_LIMITED) {
        snprintf(ev->why, sizeof ev->why, "the load generator was the limit");
        ev->lo = ev->hi = NAN;
    }
    if (turned) {
        const double lo = ev->lo;
        ev->value = 1 / ev->value;
        ev->lo = 1 / ev->hi;
        ev->hi = 1 / lo;
    }
}

/* ---- by rounds of one run */

static void fill(const struct replay_found *f, enum replay_metric metric, double out[]) {
    for (size_t i = 0; i < f->run->reading.cells.rounds; i++) {
        out[i] = replay_value(f->cell, i, metric);
    }
}

/* Medians of either side, for people. */
static void put_medians(struct replay_evidence *ev, const struct replay_found *a,
                        const struct replay_found *b, double work[]) {
    ev->a = replay_median(a->cell, a->run->reading.cells.rounds, ev->claim->metric, work);
    if (b) {
        ev->b = replay_median(b->cell, b->run->reading.cells.rounds, ev->claim->metric, work);
    }
}

static void judge_rounds(struct replay_evidence *ev, const struct replay_found *a,
                         const struct replay_found *b, const struct verdict_rule *rule,
                         double work[]) {
    const size_t n = a->run->reading.cells.rounds;
    double *x = work;
    double *y = work + n;
    fill(a, ev->claim->metric, x);
    for (size_t i = 0; i < n && !b; i++) {
        y[i] = 1; /* the value itself: a ratio to one */
    }
    if (b) {
        fill(b, ev->claim->metric, y);
    }
    const struct verdict v = verdict_judge(x, y, n, rule, work + 2 * n);
    ev->source = REPLAY_FROM_ROUNDS;
    take(&v, ev);
}

/* ---- two runs */

static const struct cell *null_beside(const struct replay_found *f) {
    const struct cells *c = &f->run->reading.cells;
    for (size_t t = 0; t < c->target_count; t++) {
        if (c->targets[t].role == ROLE_NULL) {
            const struct cell *cell = cells_find(c, t, f->cell->workload, f->cell->connections);
            return cell && cell->measured > 0 ? cell : NULL;
        }
    }
    return NULL;
}

static void take_logs(const struct replay_found *f, const struct cell *anchor,
                      enum replay_metric metric, double out[]) {
    for (size_t i = 0; i < f->run->reading.cells.rounds; i++) {
        const double x = replay_value(f->cell, i, metric);
        const double by = anchor ? replay_value(anchor, i, metric) : 1;
        out[i] = x > 0 && by > 0 ? log(x) - log(by) : NAN;
    }
}

static void judge_runs(struct replay_evidence *ev, const struct replay_found *a,
                       const struct replay_found *b, const struct verdict_rule *rule,
                       double work[]) {
    const size_t na = a->run->reading.cells.rounds;
    const size_t nb = b->run->reading.cells.rounds;
    const struct cell *null_a = null_beside(a);
    const struct cell *null_b = null_beside(b);
    const enum replay_metric metric = ev->claim->metric;
    ev->anchored = ev->claim->anchor && replay_metric_info(metric)->anchored && null_a && null_b;
    take_logs(b, ev->anchored ? null_b : NULL, metric, work);
    take_logs(a, ev->anchored ? null_a : NULL, metric, work + nb);
    const struct unpaired u = unpaired_judge(work, nb, work + nb, na, rule);
    ev->source = REPLAY_FROM_RUNS;
    ev->value = u.change.ratio;
    const size_t side = u.valid[0] < u.valid[1] ? 0 : 1;
    ev->valid = u.valid[side];
    ev->planned = u.planned[side];
    if (u.change.kind == VERDICT_INSUFFICIENT) {
        say_few(ev, u.needed[side]);
        return;
    }
    ev->lo = u.change.lo;
    ev->hi = u.change.hi;
}

static size_t room_for(const struct replay_found *a, const struct replay_found *b) {
    const size_t n = a->run->reading.cells.rounds;
    const size_t m = b ? b->run->reading.cells.rounds : 0;
    return 3 * (n > m ? n : m) + 3;
}

int replay_judge_ratio(struct replay_evidence *ev, const struct replay_found *a,
                       const struct replay_found *b, const struct verdict_rule *rule) {
    bool turned = false;
    const struct verdict_row *row = recorded(a, b, ev->claim->metric, &turned);
    double *work = calloc(room_for(a, b), sizeof *work);
    if (!work) {
        return -1;
    }
    put_medians(ev, a, b, work);
    if (row) {
        take_recorded(row, turned, ev);
    } else if (a->run == b->run) {
        judge_rounds(ev, a, b, rule, work);
    } else {
        judge_runs(ev, a, b, rule, work);
    }
    free(work);
    if (is_missing(ev, a) || is_missing(ev, b)) {
        ev->lo = ev->hi = NAN;
    }
    return 0;
}

int replay_judge_value(struct replay_evidence *ev, const struct replay_found *a,
                       const struct verdict_rule *rule) {
    double *work = calloc(room_for(a, NULL), sizeof *work);
    if (!work) {
        return -1;
    }
    put_medians(ev, a, NULL, work);
    judge_rounds(ev, a, NULL, rule, work);
    free(work);
    if (is_missing(ev, a)) {
        ev->lo = ev->hi = NAN;
    }
    return 0;
}

int replay_judge_share(struct replay_evidence *ev, const struct replay_found *a,
                       const struct verdict_rule *rule) {
    const size_t rounds = a->run->reading.cells.rounds;
    ev->source = REPLAY_FROM_SHARE;
    ev->planned = rounds;
    for (size_t i = 0; i < rounds; i++) {
        const int happened = replay_event(a->cell, rounds, i, ev->claim);
        ev->valid += happened >= 0;
        ev->hits += happened > 0;
    }
    const size_t needed = verdict_needed(rounds);
    if (ev->valid < needed) {
        snprintf(ev->why, sizeof ev->why, "%zu of %zu trials can be judged, %zu are needed",
                 ev->valid, ev->planned, needed);
        return 0;
    }
    ev->value = (double)ev->hits / (double)ev->valid;
    replay_share_interval(ev->hits, ev->valid, rule->alpha, &ev->lo, &ev->hi);
    return 0;
}
