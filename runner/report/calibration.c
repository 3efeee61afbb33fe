#include "report/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "report/verdicts.h"
#include "stats/order.h"
#include "store/manifest.h"

static const size_t sizes[CALIBRATION_SIZES] = {11, 17, 31};

/* Lent room for one value a round each, and what verdicts are judged by. */
struct room {
    struct verdict_rule rule;
    double *a, *b, *work;
};

static int read_steps(struct calibration *c, struct err *e) {
    const struct store *s = c->cells->store;
    const json_t *handicaps = manifest_at(s->manifest, "calibration.handicaps");
    c->base = json_string_value(manifest_at(s->manifest, "calibration.base"));
    for (size_t i = 0; i < json_array_size(handicaps) && i < CALIBRATION_STEPS_MAX; i++) {
        const json_t *h = json_array_get(handicaps, i);
        const char *target = json_string_value(json_object_get(h, "target"));
        const json_t *ns = json_object_get(h, "ns");
        if (!target || !json_is_integer(ns)) {
            return err_set(e, ERR_USAGE,
                           "%s/manifest.json: calibration.handicaps is damaged; " STORE_REMEDY,
                           s->dir);
        }
        c->step[c->steps++] = (struct calibration_step){
            .target = target,
            .percent = json_number_value(json_object_get(h, "percent")),
            .ns = json_integer_value(ns),
            .nominal_percent = NAN,
        };
    }
    if (!c->base || c->steps == 0 || c->cells->workload_count == 0 || c->cells->level_count == 0) {
        return err_set(e, ERR_USAGE, "%s is not a calibration; make one with `loopbench calibrate`",
                       s->dir);
    }
    c->workload = c->cells->workloads[0];
    c->connections = c->cells->levels[0];
    return 0;
}

static const struct cell *cell_named(const struct calibration *c, const char *name) {
    for (size_t t = 0; name && t < c->cells->target_count; t++) {
        if (strcmp(c->cells->targets[t].name, name) == 0) {
            return cells_find(c->cells, t, c->workload, c->connections);
        }
    }
    return NULL;
}

static const struct cell *cell_of_control(const struct calibration *c) {
    for (size_t t = 0; t < c->cells->target_count; t++) {
        const struct cell_target *target = &c->cells->targets[t];
        if (target->role == ROLE_CONTROL && strcmp(target->base, c->base) == 0) {
            return cells_find(c->cells, t, c->workload, c->connections);
        }
    }
    return NULL;
}

/* The trial of that round, as if no quality signal had been looked at: the first attempt. */
static const struct trial_record *first_attempt(const struct calibration *c,
                                                const struct cell *cell, size_t round) {
    const struct store *s = c->cells->store;
    const struct trial_record *first = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const struct trial_record *r = &s->records[i];
        if ((size_t)r->round == round && r->connections == cell->connections &&
            strcmp(r->workload, cell->workload) == 0 &&
            strcmp(r->target, c->cells->targets[cell->target].name) == 0 &&
            (!first || r->attempt < first->attempt)) {
            first = r;
        }
    }
    return first;
}

/* A figure by round, as verdicts use it; NaN where the trial is missing or failed and, gated, where
 * it is invalid. */
static void fill(const struct calibration *c, const struct cell *cell, bool gated, double out[]) {
    for (size_t i = 0; i < c->cells->rounds; i++) {
        const struct trial_record *r = !cell   ? NULL
                                       : gated ? cell->trial[i]
                                               : first_attempt(c, cell, i);
        bool good = r && r->status == TRIAL_OK && !(gated && verdict_trial_invalid(r));
        out[i] = good ? figure_value(r, FIG_CPU) : NAN;
    }
}

/* The same of all trials that count, valid or not: descriptive. */
static void fill_all(const struct calibration *c, const struct cell *cell, enum figure_id id,
                     double out[]) {
    for (size_t i = 0; i < c->cells->rounds; i++) {
        out[i] = cell ? cell_value(cell, i, id) : NAN;
    }
}

static double variation(double x[], size_t n) {
    const size_t valid = order_clean(x, n);
    return valid > 1 ? gsl_stats_sd(x, 1, valid) / gsl_stats_mean(x, 1, valid) : NAN;
}

static void measure_trials(struct calibration *c, double foreign[]) {
    double fastest = NAN;
    double slowest = NAN;
    size_t known = 0;
    for (size_t i = 0; i < c->cells->count; i++) {
        for (size_t round = 0; round < c->cells->rounds; round++) {
            const struct trial_record *r = c->cells->cell[i].trial[round];
            if (!r) {
                continue;
            }
            c->noise.trials++;
            c->noise.invalid += verdict_trial_invalid(r);
            /* fmax and fmin pass over what is unknown. */
            c->noise.steal_max = fmax(c->noise.steal_max, r->environment.steal_ratio);
            fastest = fmax(fastest, r->environment.speed_after);
            slowest = fmin(slowest, r->environment.speed_after);
            foreign[known++] = r->environment.foreign_cpus;
        }
    }
    c->noise.speed_spread = (fastest - slowest) / fastest;
    c->noise.foreign_median = order_median(foreign, order_clean(foreign, known));
}

/* `cell` against the base. Leaves the log ratios of gated values in r->work. */
static struct verdict judge_cell(const struct calibration *c, const struct cell *cell, bool gated,
                                 const struct room *r) {
    fill(c, cell, gated, r->a);
    fill(c, cell_named(c, c->base), gated, r->b);
    return verdict_judge(r->a, r->b, c->cells->rounds, &r->rule, r->work);
}

static void judge_steps(struct calibration *c, const struct room *r) {
    for (size_t i = 0; i < c->steps; i++) {
        struct calibration_step *s = &c->step[i];
        const struct cell *cell = cell_named(c, s->target);
        s->ungated = judge_cell(c, cell, false, r);
        s->verdict = judge_cell(c, cell, true, r);
        s->found = s->verdict.kind == VERDICT_HIGHER;
        s->nominal_percent = (double)s->ns / 10 / c->base_us;
    }
}

static void judge_control(struct calibration *c, const struct room *r) {
    const struct cell *control = cell_of_control(c);
    const struct aa_cell cell = {r->a, r->b, c->cells->rounds};
    c->control_ungated = judge_cell(c, control, false, r);
    c->control = judge_cell(c, control, true, r);
    const size_t valid = c->control.pairs.valid;
    c->noise.log_sd = valid > 1 ? gsl_stats_sd(r->work, 1, valid) : NAN;
    c->aa = aa_judge(&cell, control ? 1 : 0, &r->rule, true, r->work);
    for (size_t i = 0; i < CALIBRATION_SIZES; i++) {
        const struct yuen *y = &c->control.yuen;
        const double many = verdict_alpha(CALIBRATION_MANY);
        c->size[i] = (struct calibration_size){
            .rounds = sizes[i],
            .few = expm1(yuen_smallest_shown(y, sizes[i], r->rule.alpha, CALIBRATION_POWER)),
            .many = expm1(yuen_smallest_shown(y, sizes[i], many, CALIBRATION_POWER)),
        };
    }
}

/* What to do about too few valid blocks. Where half of those planned are, there were just too few
 * rounds; elsewhere more rounds would be as disturbed. */
static const char *remedy_for(const struct verdict *v) {
    return v->pairs.valid > 0 && 2 * v->pairs.valid >= v->pairs.planned
               ? "use more rounds"
               : "calibrate when nothing else uses the machine (loopbench doctor shows what does)";
}

/* A/A clean, and every large handicap found: the one sentence that counts. */
static void conclude(struct calibration *c) {
    const struct calibration_step *missed = NULL;
    const struct calibration_step *unjudged = NULL;
    size_t must = 0;
    for (size_t i = c->steps; i > 0; i--) {
        const struct calibration_step *s = &c->step[i - 1];
        if (s->percent < CALIBRATION_MUST_PERCENT) {
            continue;
        }
        must++;
        if (s->verdict.kind == VERDICT_INSUFFICIENT) {
            unjudged = s;
        } else if (!s->found) {
            missed = s;
        }
    }
    c->passed = c->aa.state == AA_VALIDATED && !missed && !unjudged && must > 0;
    char *out = c->conclusion;
    const size_t size = sizeof c->conclusion;
    if (c->passed) {
        snprintf(out, size,
                 "calibrated: the control does not differ from itself, and every handicap of %d%% "
                 "or more was found",
                 CALIBRATION_MUST_PERCENT);
    } else if (c->aa.state == AA_ABSENT || c->aa.state == AA_INSUFFICIENT) {
        snprintf(
            out, size,
            "not calibrated: the A/A control has too few valid blocks (%zu of %zu, %zu needed); "
            "%s",
            c->control.pairs.valid, c->control.pairs.planned, c->control.needed,
            remedy_for(&c->control));
    } else if (c->aa.state != AA_VALIDATED) {
        snprintf(out, size,
                 "not calibrated: a target seems to differ from itself, which one sound run in "
                 "twenty shows by chance; calibrate again, and if it comes back, believe no result "
                 "of this machine");
    } else if (missed) {
        snprintf(
            out, size,
            "not calibrated: a handicap of %.3g%% was not found, so at this noise a difference "
            "of that size can hide; use more rounds or a quieter machine (loopbench doctor)",
            missed->percent);
    } else if (unjudged) {
        snprintf(out, size,
                 "not calibrated: a handicap of %.3g%% could not be judged, having too few valid "
                 "blocks (%zu of %zu, %zu needed); %s",
                 unjudged->percent, unjudged->verdict.pairs.valid, unjudged->verdict.pairs.planned,
                 unjudged->verdict.needed, remedy_for(&unjudged->verdict));
    } else {
        snprintf(out, size, "not calibrated: no handicap of %d%% or more was measured",
                 CALIBRATION_MUST_PERCENT);
    }
}

static void judge(struct calibration *c, double room[]) {
    const size_t rounds = c->cells->rounds;
    const struct cell *base = cell_named(c, c->base);
    const struct room r = {
        .rule = {.margin = VERDICT_MARGIN, .alpha = verdict_alpha(c->steps)},
        .a = room,
        .b = room + rounds,
        .work = room + 2 * rounds, /* aa_judge wants one more than the rounds */
    };
    c->noise = (struct calibration_noise){
        .steal_max = NAN, .blocks = rounds, .repeated = c->cells->repeated};
    measure_trials(c, room + 3 * rounds + 1);
    fill_all(c, base, FIG_RATE, r.a);
    c->noise.rate_cv = variation(r.a, rounds);
    fill_all(c, base, FIG_CPU, r.a);
    c->noise.cpu_cv = variation(r.a, rounds);
    fill_all(c, base, FIG_CPU, r.a);
    c->base_us = order_median(r.a, order_clean(r.a, rounds));
    judge_steps(c, &r);
    judge_control(c, &r);
    conclude(c);
}

bool calibration_is(const struct store *s) {
    const char *kind = json_string_value(manifest_at(s->manifest, "kind"));
    return kind && strcmp(kind, CALIBRATION_KIND) == 0;
}

int calibration_judge(struct calibration *c, const struct cells *cells, struct err *e) {
    *c = (struct calibration){.cells = cells};
    if (read_steps(c, e) != 0) {
        return -1;
    }
    double *room = malloc(((3 + cells->count) * cells->rounds + 2) * sizeof *room);
    if (!room) {
        return err_set(e, ERR_MACHINE, "out of memory for the calibration of %s",
                       cells->store->dir);
    }
    judge(c, room);
    free(room);
    return 0;
}
