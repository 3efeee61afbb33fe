/* Whether a run is validated. */
#include <math.h>
#include <stdarg.h>

#include "report/findings_parts.h"

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

static void add_control(struct line *l, const struct verdicts *v) {
    const struct cell_target *t = &v->cells->targets[v->control];
    line_add(l, "the A/A control (%s again, as %s)", t->base, t->name);
}

static void add_alarm(struct line *l, const struct verdict_row *r) {
    char text[VERDICT_TEXT_MAX];
    verdict_row_text(r, true, text, sizeof text);
    line_add(l, "%s, %d connections: %s", r->a->workload, r->a->connections, text);
}

static void add_pooled(struct line *l, const struct aa *aa) {
    line_add(l, "pooled 95%% interval [%+.2f%%, %+.2f%%]", 100 * expm1(aa->log_lo),
             100 * expm1(aa->log_hi));
}

/* One figure of the control, said with its numbers. */
static void add_aa(struct line *l, const struct verdict_aa *aa, const char *title) {
    const struct aa *g = &aa->gated;
    if (g->state == AA_ALARM) {
        line_add(l, "in %zu of %zu cells in %s (", g->alarms, g->judged, title);
        add_alarm(l, aa->alarm);
        line_add(l, ")");
    } else {
        line_add(l, "in %s over %zu cell%s (", title, g->judged, g->judged == 1 ? "" : "s");
        add_pooled(l, g);
        line_add(l, g->state == AA_BIASED ? ", which excludes 0)" : ")");
    }
}

static void add_all(struct line *l, const struct verdicts *v, bool failed) {
    const char *sep = " ";
    for (int i = 0; i < ABOUT_AA_COUNT; i++) {
        const struct verdict_aa *aa = &v->aa[i];
        if (aa->gated.judged > 0 && aa_failed(aa->gated.state) == failed) {
            line_add(l, "%s", sep);
            add_aa(l, aa, verdict_about_info((enum verdict_about)i)->title);
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
        if (about == ABOUT_RATE &&
            (r->a->client == CLIENT_LIMITED || r->b->client == CLIENT_LIMITED)) {
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
    for (int i = 0; i < ABOUT_AA_COUNT; i++) {
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
    struct unjudged u[ABOUT_AA_COUNT];
    bool alike = true; /* neither has another reason than too few blocks */
    size_t valid = 0;
    for (int i = 0; i < ABOUT_AA_COUNT; i++) {
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
    for (int i = 0; i < ABOUT_AA_COUNT; i++) {
        line_add(l, "%s %s ", i > 0 ? ";" : "", verdict_about_info((enum verdict_about)i)->title);
        add_why(l, v, &u[i]);
    }
}

void findings_judge_run(struct findings *f, const struct verdicts *v) {
    struct line l = {f->validity_reason, sizeof f->validity_reason, 0};
    size_t judged = 0;
    bool failed = false;
    bool ungated_failed = false;
    for (int i = 0; i < ABOUT_AA_COUNT; i++) {
        judged += v->aa[i].gated.judged;
        failed = failed || aa_failed(v->aa[i].gated.state);
        ungated_failed = ungated_failed || aa_failed(v->aa[i].ungated.state);
    }
    f->resolution = v->aa[ABOUT_CPU].gated.resolution;
    f->resolution_rate = v->aa[ABOUT_RATE].gated.resolution;
    f->resolution_worst = v->aa[ABOUT_CPU].gated.resolution_worst;
    f->resolution_rate_worst = v->aa[ABOUT_RATE].gated.resolution_worst;
    f->validity = judged == 0 ? FINDINGS_NOT_JUDGED
                  : failed    ? FINDINGS_NOT_VALIDATED
                              : FINDINGS_VALIDATED;
    if (judged == 0) {
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
