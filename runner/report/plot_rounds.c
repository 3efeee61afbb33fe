/* Every round a point: a strip a target, a panel a level of connections. */
#include <math.h>
#include <stdlib.h>

#include "report/plot_parts.h"
#include "report/verdicts.h"

/* Of the height of a strip, what its points take up. */
#define SPREAD 0.72
/* Of that height, what a narrow plot leaves: place() in style.gp. */
#define SPREAD_NARROW (0.62 * SPREAD)
/* Pixels between a round and the next: of those that gave the same figure each shows. */
#define ROUND_STEP        1.6
#define ROUND_STEP_NARROW 1.2

static enum figure_id figure_of(const struct plot *p) {
    return p->kind == PLOT_ROUNDS_CPU ? FIG_CPU : FIG_RATE;
}

/* Targets measured with this workload, in order. */
struct strips {
    const struct cells *cells;
    size_t *target;
    size_t n;
    size_t rounds;
};

static void row_text(const struct plot_frame *frame, const struct cells *c, size_t row, char *out,
                     size_t size) {
    const struct strips *s = frame->data;
    text_terminal(out, size, c->targets[s->target[row]].name, PLOT_NAME_COLUMNS, true);
}

static void find_strips(struct strips *s, const struct cells *c, const char *workload) {
    for (size_t t = 0; t < c->target_count; t++) {
        bool met = false;
        for (size_t l = 0; l < c->level_count; l++) {
            met = met || cells_find(c, t, workload, c->levels[l]);
        }
        if (met) {
            s->target[s->n++] = t;
        }
    }
}

/* Two blocks: the median with its interval, and the rounds, the first one lowest. */
static void put_strip(FILE *f, const struct cells *c, const struct cell *cell, enum figure_id id,
                      double row, double span[2]) {
    const struct order_summary none = {.median = NAN, .lo = NAN, .hi = NAN};
    const struct order_summary *s = cell ? &cell->figure[id].s : &none;
    fprintf(f, "%g %.10g %.10g %.10g\n\n\n", row, s->median, s->lo, s->hi);
    bool any = false;
    for (size_t i = 0; cell && i < c->rounds; i++) {
        const double v = cell_value(cell, i, id);
        if (isfinite(v)) {
            const bool disturbed = verdict_trial_invalid(cell->trial[i]);
            const double place = c->rounds > 1 ? (double)i / (double)(c->rounds - 1) - 0.5 : 0;
            fprintf(f, "%.4f %.10g %zu %d\n", row + SPREAD * place, v, i, disturbed);
            span[0] = fmin(span[0], v);
            span[1] = fmax(span[1], v);
            any = true;
        }
    }
    fputs(any ? "\n\n" : "NaN NaN NaN NaN\n\n\n", f);
}

/* Whether a round is drawn that no verdict rests on. */
static bool any_disturbed(const struct strips *s, const struct plot *p) {
    const struct cells *c = s->cells;
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        for (size_t r = 0; cell->workload == p->workload && r < c->rounds; r++) {
            if (isfinite(cell_value(cell, r, figure_of(p))) &&
                verdict_trial_invalid(cell->trial[r])) {
                return true;
            }
        }
    }
    return false;
}

static bool put_panels(FILE *f, const struct plot *p, const struct cells *c, const struct strips *s,
                       struct axis *axes) {
    const enum figure_id id = figure_of(p);
    bool any = false;
    fputs("# two blocks a target and level: row, median, low, high; then place, value, round, "
          "1: disturbed\n",
          f);
    for (size_t l = 0; l < c->level_count; l++) {
        double span[2] = {INFINITY, -INFINITY};
        for (size_t i = 0; i < s->n; i++) {
            const struct cell *cell = cells_find(c, s->target[i], p->workload, c->levels[l]);
            put_strip(f, c, cell, id, (double)(s->n - i), span);
        }
        any = any || span[1] >= span[0];
        axis_near(&axes[l], figure_info(id)->kind, span[0], span[1], 6);
    }
    return any;
}

static bool is_empty(const struct strips *s, const struct cells *c, const struct plot *p,
                     size_t row, size_t level) {
    const struct cell *cell = cells_find(c, s->target[row], p->workload, c->levels[level]);
    for (size_t i = 0; cell && i < c->rounds; i++) {
        if (isfinite(cell_value(cell, i, figure_of(p)))) {
            return false;
        }
    }
    return true;
}

/* Strips in which no round left a point. */
static void put_empty(FILE *f, const struct plot_frame *frame) {
    const struct strips *s = frame->data;
    size_t n = 0;
    fprintf(f, "array NAP[%zu]\narray NAR[%zu]\n", frame->panels * s->n + 1,
            frame->panels * s->n + 1);
    for (size_t p = 0; p < frame->panels; p++) {
        for (size_t i = 0; i < s->n; i++) {
            if (is_empty(s, s->cells, frame->plot, i, p)) {
                n++;
                fprintf(f, "NAP[%zu] = %zu; NAR[%zu] = %zu\n", n, p + 1, n, s->n - i);
            }
        }
    }
    fprintf(f, "NAS = %zu\n", n);
}

static void put_order(FILE *f, const struct plot_frame *frame) {
    const struct strips *s = frame->data;
    put_empty(f, frame);
    fprintf(f, "ROUNDS = %zu\narray OF[%zu]\n", s->rounds, s->n);
    for (size_t i = 0; i < s->n; i++) {
        fprintf(f, "OF[%zu] = %zu\n", i + 1, s->target[i] + 1);
    }
}

static double height_for(size_t rounds, double step, double spread, double least) {
    return fmax(least, step * (double)(rounds - 1) / spread);
}

static int write_rounds(const struct plot *p, const struct cells *c, const struct strips *s,
                        struct axis *axes, struct err *e) {
    struct text_file t;
    char name[128];
    struct plot_frame frame = {
        .plot = p,
        .panels = c->level_count,
        .panel_title = plot_level_title,
        .panel_y = axes,
        .rows = s->n,
        .row_height = height_for(c->rounds, ROUND_STEP, SPREAD, 44),
        .row_height_narrow =
            height_for(c->rounds, ROUND_STEP_NARROW, SPREAD_NARROW, c->level_count > 4 ? 52 : 60),
        .row_text = row_text,
        .more = put_order,
        .data = s,
    };
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    if (!put_panels(t.f, p, c, s, axes)) {
        text_drop(&t);
        return 0;
    }
    snprintf(name, sizeof name, "plots/data/%s.dat", p->name);
    if (text_end(&t, c->store->dir, name, e) != 0) {
        return -1;
    }
    snprintf(frame.subtitle, sizeof frame.subtitle,
             c->rounds >= ORDER_MIN_N
                 ? "%zu rounds from bottom to top; line and box: median and its 95%% interval%s"
             : c->rounds > 1 ? "%zu rounds from bottom to top; line: median%s"
                             : "%zu round%s",
             c->rounds, any_disturbed(s, p) ? "; ×: disturbed, in no verdict" : "");
    snprintf(frame.x_label, sizeof frame.x_label, "%s",
             p->kind == PLOT_ROUNDS_CPU ? "µs per request" : "successful replies per second");
    return plot_write_settings(&frame, c, e) == 0 ? 1 : -1;
}

int plot_write_rounds(const struct plot *p, const struct cells *c, struct err *e) {
    struct strips s = {
        .target = calloc(c->target_count + 1, sizeof *s.target), .cells = c, .rounds = c->rounds};
    struct axis *axes = calloc(c->level_count, sizeof *axes);
    int rc = 0;
    if (!s.target || !axes) {
        rc = err_set(e, ERR_MACHINE, "out of memory for a plot");
    } else {
        find_strips(&s, c, p->workload);
        rc = s.n > 0 ? write_rounds(p, c, &s, axes, e) : 0;
    }
    free(s.target);
    free(axes);
    return rc;
}
