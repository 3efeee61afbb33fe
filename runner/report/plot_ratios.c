/* A forest plot: every target against one, in CPU per request and in throughput, with the intervals
 * that the verdicts rest on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot_parts.h"

/* CPU per request and throughput: verdict_about's first two. */
#define PANELS 2

size_t plot_ratio_baseline(const struct verdicts *v) {
    size_t t = 0;
    if (v->baseline < v->cells->target_count) {
        return v->baseline;
    }
    while (t + 1 < v->cells->target_count && v->cells->targets[t].role != ROLE_TARGET) {
        t++;
    }
    return t;
}

static enum verdict_kind turned(enum verdict_kind kind) {
    return kind == VERDICT_HIGHER ? VERDICT_LOWER : kind == VERDICT_LOWER ? VERDICT_HIGHER : kind;
}

bool plot_ratio_of(const struct verdict_row *row, const struct verdicts *v,
                   struct plot_ratio *out) {
    const size_t baseline = plot_ratio_baseline(v);
    const struct verdict *g = &row->gated;
    if (row->b->target == baseline) {
        *out = (struct plot_ratio){row->a->target, g->kind, g->ratio, g->lo, g->hi, g->fragile};
        return true;
    }
    if (row->a->target == baseline) {
        *out = (struct plot_ratio){row->b->target, turned(g->kind), 1 / g->ratio,
                                   1 / g->hi,      1 / g->lo,       g->fragile};
        return true;
    }
    return false;
}

/* The rows of the plot: target by target, and within one level by level. */
struct forest {
    const struct verdicts *v;
    const char *workload;
    size_t *target;
    int *level;
    size_t n;
    struct plot_ratio *ratio[PANELS]; /* of each row; kind VERDICT_INSUFFICIENT where none */
};

static bool place_of(const struct forest *f, size_t target, int level, size_t *place) {
    for (size_t i = 0; i < f->n; i++) {
        if (f->target[i] == target && f->level[i] == level) {
            *place = i;
            return true;
        }
    }
    return false;
}

static bool has_row(const struct forest *f, size_t target, int level) {
    for (size_t i = 0; i < f->v->count; i++) {
        const struct verdict_row *row = &f->v->row[i];
        struct plot_ratio r;
        if (row->about < PANELS && row->a->connections == level &&
            strcmp(row->a->workload, f->workload) == 0 && plot_ratio_of(row, f->v, &r) &&
            r.target == target) {
            return true;
        }
    }
    return false;
}

/* Returns whether there is a ratio at all. */
static bool fill(struct forest *f) {
    const struct cells *c = f->v->cells;
    bool any = false;
    for (size_t t = 0; t < c->target_count; t++) {
        for (size_t l = 0; l < c->level_count; l++) {
            if (has_row(f, t, c->levels[l])) {
                f->target[f->n] = t;
                f->level[f->n++] = c->levels[l];
            }
        }
    }
    for (size_t i = 0; i < f->v->count; i++) {
        const struct verdict_row *row = &f->v->row[i];
        struct plot_ratio r;
        size_t place;
        if (row->about < PANELS && strcmp(row->a->workload, f->workload) == 0 &&
            plot_ratio_of(row, f->v, &r) && place_of(f, r.target, row->a->connections, &place)) {
            f->ratio[row->about][place] = r;
            any = any || (r.kind != VERDICT_INSUFFICIENT && isfinite(r.ratio));
        }
    }
    return any;
}

static bool is_drawn(const struct plot_ratio *r) {
    return r->kind != VERDICT_INSUFFICIENT && isfinite(r->ratio);
}

/* One block: the rows of a target that the load generator limited, or those it did not. */
static void put_block(FILE *out, const struct forest *f, size_t panel, size_t target, bool limited,
                      double span[2]) {
    bool any = false;
    for (size_t i = 0; i < f->n; i++) {
        const struct plot_ratio *r = &f->ratio[panel][i];
        if (f->target[i] != target || !is_drawn(r) ||
            (r->kind == VERDICT_CLIENT_LIMITED) != limited) {
            continue;
        }
        fprintf(out, "%zu %.10g %.10g %.10g %d %d\n", f->n - i, r->ratio, r->lo, r->hi, f->level[i],
                r->fragile);
        span[0] = fmin(span[0], isfinite(r->lo) ? r->lo : r->ratio);
        span[1] = fmax(span[1], isfinite(r->hi) ? r->hi : r->ratio);
        any = true;
    }
    fputs(any ? "\n\n" : "NaN NaN NaN NaN NaN NaN\n\n\n", out);
}

static const char *panel_title(const struct plot_frame *frame, const struct cells *c,
                               size_t panel) {
    (void)frame;
    (void)c;
    return panel == ABOUT_CPU ? "server CPU per request: right is heavier"
                              : "throughput: right is faster";
}

static void row_text(const struct plot_frame *frame, const struct cells *c, size_t row, char *out,
                     size_t size) {
    const struct forest *f = frame->data;
    char name[4 * 24 + 8];
    char n[24];
    text_terminal(name, sizeof name, c->targets[f->target[row]].name, 24, true);
    figure_thousands(n, sizeof n, f->level[row]);
    snprintf(out, size, "%s, %s", name, n);
}

/* The band, lines between targets, and rows of which there is nothing to draw. */
static void put_more(FILE *out, const struct plot_frame *frame) {
    const struct forest *f = frame->data;
    size_t n = 0;
    fprintf(out, "BAND = %.10g\narray NAP[%zu]\narray NAR[%zu]\n", 1 + f->v->rule.margin,
            PANELS * f->n + 1, PANELS * f->n + 1);
    for (size_t p = 0; p < PANELS; p++) {
        for (size_t i = 0; i < f->n; i++) {
            if (!is_drawn(&f->ratio[p][i])) {
                n++;
                fprintf(out, "NAP[%zu] = %zu; NAR[%zu] = %zu\n", n, p + 1, n, f->n - i);
            }
        }
    }
    fprintf(out, "NAS = %zu\narray CUT[%zu]\n", n, f->n + 1);
    n = 0;
    for (size_t i = 1; i < f->n; i++) {
        if (f->target[i] != f->target[i - 1]) {
            fprintf(out, "CUT[%zu] = %.1f\n", ++n, (double)(f->n - i) + 0.5);
        }
    }
    fprintf(out, "CUTS = %zu\n", n);
}

static bool any_fragile(const struct forest *f) {
    for (size_t p = 0; p < PANELS; p++) {
        for (size_t i = 0; i < f->n; i++) {
            const struct plot_ratio *r = &f->ratio[p][i];
            if (is_drawn(r) && r->kind != VERDICT_CLIENT_LIMITED && r->fragile) {
                return true;
            }
        }
    }
    return false;
}

static int write_forest(const struct plot *p, struct forest *f, struct err *e) {
    const struct cells *c = f->v->cells;
    struct text_file t;
    struct axis axes[PANELS];
    char name[4 * 32 + 8];
    char file[128];
    if (!fill(f)) {
        return 0;
    }
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    fputs(
        "# two blocks a target and panel, the second where the load generator was the limit: row, "
        "ratio, low, high, connections, fragile\n",
        t.f);
    for (size_t panel = 0; panel < PANELS; panel++) {
        double span[2] = {1 / (1 + f->v->rule.margin), 1 + f->v->rule.margin};
        for (size_t i = 0; i < c->target_count; i++) {
            put_block(t.f, f, panel, i, false, span);
            put_block(t.f, f, panel, i, true, span);
        }
        axis_ratio(&axes[panel], span[0], span[1]);
    }
    snprintf(file, sizeof file, "plots/data/%s.dat", p->name);
    if (text_end(&t, c->store->dir, file, e) != 0) {
        return -1;
    }
    struct plot_frame frame = {
        .plot = p,
        .panels = PANELS,
        .panel_title = panel_title,
        .panel_y = axes,
        .rows = f->n,
        .row_height = 22,
        .row_height_narrow = 36,
        .row_text = row_text,
        .more = put_more,
        .data = f,
    };
    text_terminal(name, sizeof name, c->targets[plot_ratio_baseline(f->v)].name, 32, true);
    snprintf(frame.subtitle, sizeof frame.subtitle,
             "target, connections, against %s; interval of the verdict; band: within %.3g%%%s",
             name, 100 * f->v->rule.margin,
             any_fragile(f) ? "; dashed: fragile, another test disagrees" : "");
    snprintf(frame.x_label, sizeof frame.x_label, "difference from %s", name);
    return plot_write_settings(&frame, c, e) == 0 ? 1 : -1;
}

int plot_write_ratios(const struct plot *p, const struct verdicts *v, struct err *e) {
    const size_t room = v->cells->target_count * v->cells->level_count + 1;
    struct forest f = {.v = v, .workload = p->workload};
    f.target = calloc(room, sizeof *f.target);
    f.level = calloc(room, sizeof *f.level);
    f.ratio[0] = calloc(room, sizeof *f.ratio[0]);
    f.ratio[1] = calloc(room, sizeof *f.ratio[1]);
    int rc = f.target && f.level && f.ratio[0] && f.ratio[1]
                 ? write_forest(p, &f, e)
                 : err_set(e, ERR_MACHINE, "out of memory for a plot");
    free(f.target);
    free(f.level);
    free(f.ratio[0]);
    free(f.ratio[1]);
    return rc;
}
