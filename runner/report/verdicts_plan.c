/* What was fixed before the run, and what the control and the trials say about it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/verdicts_parts.h"
#include "store/manifest.h"

/* Options are recorded as the text that a configuration file would hold. */
static double manifest_margin(const json_t *manifest) {
    char buf[32];
    char *end = NULL;
    const char *text = manifest_text(manifest, "options.margin", buf, sizeof buf, "");
    const double percent = strtod(text, &end);
    return end != text && *end == '\0' && percent > 0 && percent <= 100 ? percent / 100
                                                                        : VERDICT_MARGIN;
}

static size_t planned_targets(const json_t *manifest) {
    const json_t *list = manifest_at(manifest, "targets");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *role = json_string_value(json_object_get(json_array_get(list, i), "role"));
        n += role && strcmp(role, record_role_name(ROLE_TARGET)) == 0;
    }
    return n;
}

static size_t at_least(size_t planned, size_t met) {
    return planned > met ? planned : met;
}

/* Of a manifest that does not say, what was met; pairs that a workload lacks count all the same. */
static size_t planned_ratios(const struct verdicts *v) {
    const struct cells *c = v->cells;
    const json_t *manifest = c->store->manifest;
    size_t met = 0;
    for (size_t t = 0; t < c->target_count; t++) {
        met += c->targets[t].role == ROLE_TARGET;
    }
    const size_t targets = at_least(planned_targets(manifest), met);
    const size_t workloads =
        at_least(json_array_size(manifest_at(manifest, "plan.workloads")), c->workload_count);
    const size_t levels =
        at_least(json_array_size(manifest_at(manifest, "plan.connections")), c->level_count);
    const size_t pairs = targets < 2           ? 0
                         : v->baseline_planned ? targets - 1
                                               : targets * (targets - 1) / 2;
    return pairs * workloads * levels * ABOUT_COUNT;
}

void verdicts_plan(struct verdicts *v, const struct verdicts_options *o) {
    v->planned_margin = manifest_margin(v->cells->store->manifest);
    v->ratios = planned_ratios(v);
    v->rule.margin = o->margin > 0 ? o->margin : v->planned_margin;
    v->rule.alpha = verdict_alpha(v->ratios);
}

bool verdict_row_limited(const struct verdict_row *r) {
    return r->about == ABOUT_RATE &&
           (r->a->client == CLIENT_LIMITED || r->b->client == CLIENT_LIMITED);
}

bool verdict_row_alarms(const struct verdict_row *r) {
    return r->gated.kind == VERDICT_HIGHER || r->gated.kind == VERDICT_LOWER;
}

struct control_room {
    struct aa_cell *cell;
    const struct verdict_row **row;
    double *values, *work;
};

/* Copies the values of the control's rows in one figure, and judges them. */
static struct aa judge_control(struct verdicts *v, struct verdict_source *s,
                               enum verdict_about about, bool gated, struct control_room *room) {
    const size_t rounds = v->cells->rounds;
    double *at = room->values;
    size_t n = 0;
    for (size_t i = v->pair_count; i < v->count; i++) {
        struct verdict_row *r = &v->row[i];
        if (r->about != about || verdict_row_limited(r)) {
            continue;
        }
        verdict_source_fill(s, r, gated);
        memcpy(at, s->a, rounds * sizeof *at);
        memcpy(at + rounds, s->b, rounds * sizeof *at);
        room->row[n] = r;
        room->cell[n++] = (struct aa_cell){at, at + rounds, rounds};
        at += 2 * rounds;
    }
    return aa_judge(room->cell, n, &v->rule, about < ABOUT_POOLED_COUNT, room->work);
}

int verdicts_judge_control(struct verdicts *v, struct verdict_source *s) {
    const size_t rows = v->count - v->pair_count;
    const size_t rounds = v->cells->rounds;
    struct control_room room = {
        .cell = calloc(rows + 1, sizeof *room.cell),
        .row = calloc(rows + 1, sizeof(const struct verdict_row *)),
        .values = calloc(rows * rounds * 2 + 1, sizeof *room.values),
        .work = calloc(rows * (rounds + 1) + 1, sizeof *room.work),
    };
    const bool ok = room.cell && room.row && room.values && room.work;
    for (int about = 0; ok && about < ABOUT_COUNT; about++) {
        struct verdict_aa *aa = &v->aa[about];
        aa->ungated = judge_control(v, s, (enum verdict_about)about, false, &room);
        aa->gated = judge_control(v, s, (enum verdict_about)about, true, &room);
        aa->worst = aa->gated.judged > 0 ? room.row[aa->gated.worst] : NULL;
        for (size_t i = v->pair_count; i < v->count; i++) {
            aa->limited +=
                v->row[i].about == (enum verdict_about)about && verdict_row_limited(&v->row[i]);
        }
    }
    free(room.cell);
    free(room.row);
    free(room.values);
    free(room.work);
    return ok ? 0 : -1;
}

static size_t target_of(const struct cells *c, const struct trial_record *r) {
    size_t t = 0;
    while (t < c->target_count && strcmp(c->targets[t].name, r->target) != 0) {
        t++;
    }
    return t;
}

/* A block is measured when any of its cells has a trial that round, and invalid when any is. */
static void count_blocks(struct verdicts *v) {
    const struct cells *c = v->cells;
    for (size_t i = 0; i < c->count;) {
        const size_t end = verdicts_group_end(c, i);
        for (size_t round = 0; round < c->rounds; round++) {
            bool measured = false;
            bool invalid = false;
            for (size_t k = i; k < end; k++) {
                const struct trial_record *r = c->cell[k].trial[round];
                measured = measured || r;
                invalid = invalid || (r && verdict_trial_invalid(r));
            }
            v->blocks += measured;
            v->blocks_invalid += invalid;
        }
        i = end;
    }
}

void verdicts_count_trials(struct verdicts *v) {
    const struct cells *c = v->cells;
    for (size_t i = 0; i < c->count; i++) {
        struct verdict_trials *t = &v->trials[c->cell[i].target];
        for (size_t round = 0; round < c->rounds; round++) {
            const struct trial_record *r = c->cell[i].trial[round];
            if (r) {
                t->counted++;
                t->failed += r->status != TRIAL_OK;
                t->unknown += strstr(r->flags, "-unknown") != NULL;
                t->invalid += verdict_trial_invalid(r);
            }
        }
    }
    /* What is left of the records was replaced. */
    for (size_t i = 0; i < c->store->count; i++) {
        const struct trial_record *r = &c->store->records[i];
        const size_t at = target_of(c, r);
        if (at < c->target_count) {
            v->trials[at].replaced++;
            v->trials[at].replaced_invalid += verdict_trial_invalid(r);
        }
    }
    for (size_t t = 0; t < c->target_count; t++) {
        v->trials[t].replaced -= v->trials[t].counted;
        v->trials[t].replaced_invalid -= v->trials[t].invalid;
    }
    count_blocks(v);
}
