/* Whether a run is validated. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "report/findings_parts.h"

#define ALARMS_NAMED 6 /* of one figure */

/* Appends to a fixed text; what does not fit is cut. */
struct line {
    char *text;
    size_t size, used;
};

static void line_add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void line_add(struct line *l, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(l->text + l->used, l->size - l->used, format, ap);
    va_end(ap);
    l->used += n > 0 ? (size_t)n : 0;
    l->used = l->used < l->size ? l->used : l->size - 1;
}

static bool aa_failed(enum aa_state state) {
    return state == AA_ALARM || state == AA_BIASED;
}

size_t findings_control_cells(const struct verdicts *v, enum verdict_about about) {
    return v->aa[about].gated.cells + v->aa[about].limited;
}

static void add_control(struct line *l, const struct verdicts *v) {
    const struct cell_target *t = &v->cells->targets[v->control];
    line_add(l, "the A/A control (%s again, as %s)", t->base, t->name);
}

/* Every cell that alarms, as far as there is room. */
static void add_alarms(struct line *l, const struct verdicts *v, enum verdict_about about) {
    size_t named = 0;
    for (size_t i = v->pair_count; i < v->count && named < ALARMS_NAMED; i++) {
        const struct verdict_row *r = &v->row[i];
        char text[VERDICT_TEXT_MAX];
        if (r->about == about && verdict_row_alarms(r)) {
            verdict_row_text(r, true, text, sizeof text);
            line_add(l, "%s%s, %d connection%s: %s", named > 0 ? "; " : "", r->a->workload,
                     r->a->connections, r->a->connections == 1 ? "" : "s", text);
            named++;
        }
    }
    const size_t more = v->aa[about].gated.alarms - named;
    if (more > 0) {
        line_add(l, "; and %zu more cell%s", more, more == 1 ? "" : "s");
    }
}

static void add_pooled(struct line *l, const struct aa *aa) {
    line_add(l, "pooled 95%% interval [%+.2f%%, %+.2f%%]", 100 * expm1(aa->log_lo),
             100 * expm1(aa->log_hi));
}

/* One figure of the control, said with its numbers. */
static void add_aa(struct line *l, const struct verdicts *v, enum verdict_about about) {
    const struct aa *g = &v->aa[about].gated;
    const char *title = verdict_about_info(about)->title;
    const size_t cells = findings_control_cells(v, about);
    if (g->state == AA_ALARM) {
        line_add(l, "in %zu of %zu %scell%s in %s (", g->alarms, g->judged,
                 g->judged < cells ? "judged " : "", g->judged == 1 ? "" : "s", title);
        add_alarms(l, v, about);
        line_add(l, ")");
        return;
    }
    line_add(l, "in %s over %zu ", title, g->judged);
    if (g->judged < cells) {
        line_add(l, "of %zu ", cells);
    }
    line_add(l, "cell%s (", cells == 1 ? "" : "s");
    add_pooled(l, g);
    line_add(l, g->state == AA_BIASED ? ", which excludes 0)" : ")");
}

/* What failed, of every figure; or what did not, of those whose pooled interval decides. */
static void add_all(struct line *l, const struct verdicts *v, bool failed) {
    const char *sep = " ";
    const int end = failed ? ABOUT_COUNT : ABOUT_POOLED_COUNT;
    for (int i = 0; i < end; i++) {
        const struct aa *g = &v->aa[i].gated;
        if (g->judged > 0 && aa_failed(g->state) == failed) {
            line_add(l, "%s", sep);
            add_aa(l, v, (enum verdict_about)i);
            sep = " and ";
        }
    }
}

/* What kept the control from deciding over one figure. */
struct unjudged {
    size_t cells, limited; /* in which it was measured; of those limited by the load generator */
    size_t valid;          /* blocks, of the cell that has most of them */
};

static struct unjudged why_unjudged(const struct verdicts *v, enum verdict_about about) {
    struct unjudged u = {0};
    for (size_t i = v->pair_count; i < v->count; i++) {
        const struct verdict_row *r = &v->row[i];
        const size_t n = r->gated.pairs.valid;
        if (r->about != about || n + r->invalid_blocks == 0) {
            continue;
        }
        u.cells++;
        if (verdict_row_limited(r)) {
            u.limited++;
        } else {
            u.valid = n > u.valid ? n : u.valid;
        }
    }
    return u;
}

static bool lacks_blocks(const struct unjudged *u) {
    return u->limited < u->cells;
}

static void add_few(struct line *l, const struct verdicts *v, size_t valid) {
    line_add(l, "too few valid blocks, at most %zu of %zu where %zu are needed", valid,
             v->cells->rounds, verdict_needed(v->cells->rounds));
}

static void add_why(struct line *l, const struct verdicts *v, const struct unjudged *u) {
    if (u->cells == 0) {
        line_add(l, "was not measured");
    }
    if (u->limited > 0) {
        line_add(l, "was limited by the load generator%s",
                 lacks_blocks(u) ? " in some cells and has in others " : "");
    } else if (u->cells > 0) {
        line_add(l, "has ");
    }
    if (lacks_blocks(u)) {
        add_few(l, v, u->valid);
    }
}

static void add_unjudged(struct line *l, const struct verdicts *v) {
    for (int i = 0; i < ABOUT_POOLED_COUNT; i++) {
        if (v->aa[i].gated.judged > 0) {
            continue;
        }
        const enum verdict_about about = (enum verdict_about)i;
        const struct unjudged u = why_unjudged(v, about);
        line_add(l, "; %s was not judged (%s)", verdict_about_info(about)->title,
                 u.limited == 0 && u.cells > 0 ? "too few valid blocks"
                 : u.cells == 0                ? "it was not measured"
                 : lacks_blocks(&u)            ? "the load generator limited it in some cells, and "
                                                 "others have too few valid blocks"
                                               : "the load generator limited it");
    }
}

static void say_not_judged(struct line *l, const struct verdicts *v) {
    if (v->control == SIZE_MAX) {
        line_add(l, "no A/A control was measured, so nothing shows what this machine finds between "
                    "two equal servers");
        return;
    }
    add_control(l, v);
    if (v->pair_count == v->count) {
        line_add(l,
                 " stands alone: the target it repeats was not measured beside it in any of %zu "
                 "blocks",
                 v->blocks);
        return;
    }
    struct unjudged u[ABOUT_POOLED_COUNT];
    bool alike = true; /* neither has another reason than too few blocks */
    size_t valid = 0;
    for (int i = 0; i < ABOUT_POOLED_COUNT; i++) {
        u[i] = why_unjudged(v, (enum verdict_about)i);
        alike = alike && u[i].cells > 0 && u[i].limited == 0;
        valid = u[i].valid > valid ? u[i].valid : valid;
    }
    if (alike) {
        line_add(l, " has ");
        add_few(l, v, valid);
        return;
    }
    line_add(l, " could not be judged:");
    for (int i = 0; i < ABOUT_POOLED_COUNT; i++) {
        line_add(l, "%s %s ", i > 0 ? ";" : "", verdict_about_info((enum verdict_about)i)->title);
        add_why(l, v, &u[i]);
    }
}

/* In how many of its cells the control was judged: in CPU per request, else in throughput. */
static void count_cells(struct findings *f, const struct verdicts *v) {
    const enum verdict_about about =
        v->aa[ABOUT_CPU].gated.judged == 0 && v->aa[ABOUT_RATE].gated.judged > 0 ? ABOUT_RATE
                                                                                 : ABOUT_CPU;
    f->cells_judged = v->aa[about].gated.judged;
    f->cells_measured = findings_control_cells(v, about);
}

static void put_word(struct findings *f) {
    const char *name = findings_validity_name(f->validity);
    if (f->validity == FINDINGS_VALIDATED && f->cells_judged < f->cells_measured) {
        snprintf(f->validity_word, sizeof f->validity_word, "%s in %zu of %zu cells", name,
                 f->cells_judged, f->cells_measured);
    } else {
        snprintf(f->validity_word, sizeof f->validity_word, "%s", name);
    }
}

void findings_judge_run(struct findings *f, const struct verdicts *v) {
    struct line l = {f->validity_reason, sizeof f->validity_reason, 0};
    bool failed = false;
    bool ungated_failed = false;
    for (int i = 0; i < ABOUT_COUNT; i++) {
        failed = failed || aa_failed(v->aa[i].gated.state);
        ungated_failed = ungated_failed || aa_failed(v->aa[i].ungated.state);
    }
    f->resolution = v->aa[ABOUT_CPU].gated.resolution;
    f->resolution_rate = v->aa[ABOUT_RATE].gated.resolution;
    f->resolution_worst = v->aa[ABOUT_CPU].gated.resolution_worst;
    f->resolution_rate_worst = v->aa[ABOUT_RATE].gated.resolution_worst;
    count_cells(f, v);
    f->validity = failed                ? FINDINGS_NOT_VALIDATED
                  : f->cells_judged > 0 ? FINDINGS_VALIDATED
                                        : FINDINGS_NOT_JUDGED;
    put_word(f);
    if (f->validity == FINDINGS_NOT_JUDGED) {
        say_not_judged(&l, v);
        return;
    }
    add_control(&l, v);
    line_add(&l, failed ? " differs from itself" : " shows no difference");
    add_all(&l, v, failed);
    add_unjudged(&l, v);
    if (failed != ungated_failed) {
        line_add(&l, "; ungated it %s", ungated_failed ? "does differ" : "would pass");
    }
}
