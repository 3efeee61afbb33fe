#include "report/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_parts.h"
#include "report/verdicts_parts.h"

/* ---- which targets */

/* The cell of the same name, workload and level in the other run. */
static const struct cell *twin_of(const struct cells *from, const struct cell *cell,
                                  const struct cells *in) {
    const size_t t = compare_find_target(in, from->targets[cell->target].name);
    return t == SIZE_MAX || in->targets[t].role != from->targets[cell->target].role
               ? NULL
               : cells_find(in, t, cell->workload, cell->connections);
}

static void list_rows(struct compare *c, const struct compare_options *o, bool all) {
    const struct cells *first = c->side[0].cells;
    c->count = 0;
    for (size_t i = 0; i < first->count; i++) {
        const struct cell *base = &first->cell[i];
        const struct cell *other = twin_of(first, base, c->side[1].cells);
        const struct cell_target *t = &first->targets[base->target];
        if (!other || t->role != ROLE_TARGET || (c->anchor && strcmp(c->anchor, t->name) == 0)) {
            continue;
        }
        for (int about = 0; about < ABOUT_COUNT; about++) {
            if (all || o->about[about]) {
                if (c->row) {
                    c->row[c->count] = (struct compare_row){
                        .about = (enum verdict_about)about, .base = base, .other = other};
                }
                c->count++;
            }
        }
    }
}

/* ---- their values */

/* Where the values of both runs come from. */
struct sources {
    struct verdict_source of[2];
    double *value[2];
};

/* Logarithms of the cell's figures per round, of their ratio to the anchor's where there is one. */
static size_t take_values(struct sources *from, size_t side, struct compare_row *row,
                          const struct cell *anchor) {
    struct verdict_source *s = &from->of[side];
    const struct cell *cell = side == 0 ? row->base : row->other;
    double *out = from->value[side];
    struct verdict_row pair = {.about = row->about, .a = cell, .b = anchor ? anchor : cell};
    verdict_source_fill(s, &pair, true);
    const size_t n = s->cells->rounds;
    for (size_t i = 0; i < n; i++) {
        const bool usable = isfinite(s->a[i]) && isfinite(s->b[i]) && s->a[i] > 0 && s->b[i] > 0;
        out[i] = !usable ? NAN : anchor ? log(s->a[i]) - log(s->b[i]) : log(s->a[i]);
    }
    row->disturbed[side] = pair.invalid_blocks;
    if (pair.missing[0]) {
        memcpy(row->missing, pair.missing, sizeof row->missing);
    }
    return n;
}

static struct unpaired judge_with(struct compare *c, struct sources *s, struct compare_row *row,
                                  const struct cell *base, const struct cell *other) {
    const size_t n1 = take_values(s, 0, row, base);
    const size_t n2 = take_values(s, 1, row, other);
    return unpaired_judge(s->value[0], n1, s->value[1], n2, &c->rule);
}

static void judge_row(struct compare *c, struct sources *s, struct compare_row *row) {
    const struct cell *base;
    const struct cell *other;
    const bool found = compare_find_anchor(c, row, &base, &other);
    row->u = judge_with(c, s, row, NULL, NULL);
    row->measured = row->u.change.ratio;
    row->anchored = found && row->about != ABOUT_MEMORY;
    row->adrift = c->anchor && !row->anchored && row->about != ABOUT_MEMORY;
    if (row->anchored) {
        row->anchor_limited = row->about == ABOUT_RATE &&
                              (base->client == CLIENT_LIMITED || other->client == CLIENT_LIMITED);
        row->anchored_on = strcmp(base->workload, row->base->workload) ? base->workload : NULL;
        row->missing[0] = '\0';
        row->u = judge_with(c, s, row, base, other);
    }
    const bool limited =
        row->base->client == CLIENT_LIMITED || row->other->client == CLIENT_LIMITED;
    if (limited && row->u.change.kind != VERDICT_INSUFFICIENT) {
        verdict_limit_client(&row->u.change, verdict_about_info(row->about)->metric);
    }
}

static int judge_rows(struct compare *c, struct err *e) {
    struct sources s = {0};
    bool ok = true;
    for (size_t i = 0; i < 2; i++) {
        s.value[i] = calloc(c->side[i].cells->rounds + 1, sizeof *s.value[i]);
        ok = verdict_source_init(&s.of[i], c->side[i].cells) == 0 && s.value[i] && ok;
    }
    for (size_t i = 0; ok && i < c->count; i++) {
        judge_row(c, &s, &c->row[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        verdict_source_release(&s.of[i]);
        free(s.value[i]);
    }
    return ok ? 0 : err_set(e, ERR_MACHINE, "out of memory comparing two runs");
}

/* ---- the whole */

static int refuse_unlike(const struct compare *c, struct err *e) {
    return err_set(
        e, ERR_USAGE,
        "the runs are unlike and are not compared: %s; measure one of them as the other was",
        c->alike.unlike);
}

static int compare_rows(struct compare *c, const struct compare_options *o, bool all,
                        struct err *e) {
    if (compare_choose_anchor(c, o->anchor, e) != 0) {
        return -1;
    }
    list_rows(c, o, all); /* counts */
    if (c->count == 0) {
        return err_set(e, ERR_USAGE,
                       "the runs have no target to compare in common; name two that do");
    }
    c->row = calloc(c->count, sizeof *c->row);
    if (!c->row) {
        return err_set(e, ERR_MACHINE, "out of memory comparing two runs");
    }
    list_rows(c, o, all);
    if (compare_plan(c, o, all, e) != 0) {
        return -1;
    }
    c->rule.alpha = verdict_alpha(c->planned);
    return judge_rows(c, e);
}

int compare_make(struct compare *c, const struct compare_side *base,
                 const struct compare_side *other, const struct compare_options *o, struct err *e) {
    bool all = true;
    *c = (struct compare){.side = {*base, *other}};
    for (size_t i = 2; i-- > 0;) {
        const bool doubted = c->side[i].findings->validity == FINDINGS_NOT_VALIDATED;
        c->doubted = doubted ? &c->side[i] : c->doubted;
    }
    c->rule.margin = base->verdicts->planned_margin;
    alike_judge(&c->alike, base->cells->store->manifest, other->cells->store->manifest,
                o->fallback);
    if (c->alike.unlike[0]) {
        return refuse_unlike(c, e);
    }
    for (int i = 0; i < ABOUT_COUNT; i++) {
        all = all && !o->about[i];
    }
    int rc;
    if (c->alike.machine[0]) {
        rc = ratios_make(&c->ratios, base->verdicts, other->verdicts, true, all ? NULL : o->about,
                         e);
    } else {
        rc = compare_rows(c, o, all, e);
    }
    for (size_t i = 0; rc == 0 && o->gate && i < o->gate->count; i++) {
        compare_judge_limit(c, &o->gate->limit[i]);
    }
    if (rc != 0) {
        compare_release(c);
    }
    return rc;
}

void compare_release(struct compare *c) {
    free(c->row);
    free(c->lack);
    ratios_release(&c->ratios);
    *c = (struct compare){0};
}

void compare_row_text(const struct compare_row *r, char *out, size_t size) {
    if (r->missing[0] && r->u.change.kind == VERDICT_INSUFFICIENT) {
        snprintf(out, size, "insufficient (%s)", r->missing);
        return;
    }
    const int used = unpaired_text(&r->u, verdict_about_info(r->about)->metric, out, size);
    const bool short_of = r->u.change.kind == VERDICT_INSUFFICIENT;
    if (short_of && r->disturbed[0] + r->disturbed[1] > 0 && used > 0 && (size_t)used < size) {
        snprintf(out + used - 1, size - (size_t)used + 1, "; %zu and %zu were disturbed)",
                 r->disturbed[0], r->disturbed[1]);
        return;
    }
    if ((r->adrift || r->anchored_on) && used > 0 && (size_t)used < size) {
        snprintf(out + used, size - (size_t)used,
                 r->adrift ? " (not anchored)" : " (anchored by round)");
    }
}
