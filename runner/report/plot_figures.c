/* Figures against connections: the numbers of throughput, CPU, latency and memory plots. */
#include "report/plot_layout.h"

#include <math.h>
#include <string.h>

struct figure_set {
    size_t count;
    enum figure_id id[3];
    const char *panel[3];
    const char *y_label;
};

static const struct figure_set sets[] = {
    [PLOT_RATE] = {1, {FIG_RATE}, {"throughput"}, "successful replies per second"},
    [PLOT_CPU] = {1, {FIG_CPU}, {"CPU"}, "server CPU, µs per request"},
    [PLOT_LATENCY] = {3, {FIG_P50, FIG_P99, FIG_P999}, {"p50", "p99", "p99.9"}, "latency"},
    [PLOT_MEMORY] = {2,
                     {FIG_RSS_IDLE, FIG_RSS_PEAK},
                     {"idle, before any load", "peak"},
                     "resident memory, MiB"},
};

static const char *panel_title(const struct plot_frame *frame, const struct cells *c,
                               size_t panel) {
    (void)c;
    return sets[frame->plot->kind].panel[panel];
}

static bool is_gap(const struct plot_frame *frame, const struct cells *c, size_t panel,
                   size_t target, int level) {
    const struct cell *cell = cells_find(c, target, frame->plot->workload, level);
    return !cell || !isfinite(cell->figure[sets[frame->plot->kind].id[panel]].s.median);
}

struct span {
    double lo, hi;
};

static void span_add(struct span *s, double v) {
    if (isfinite(v) && v > 0) {
        s->lo = fmin(s->lo, v);
        s->hi = fmax(s->hi, v);
    }
}

/* Targets at one level stand side by side, so that their intervals do not cover each other. */
static double beside(const struct cells *c, enum plot_kind kind, size_t target,
                     double connections) {
    /* On steep lines a step aside would look like a step up. */
    const double most = kind == PLOT_CPU ? 0.05 : kind == PLOT_LATENCY ? 0.012 : 0.02;
    double gap = log(4);
    for (size_t i = 1; i < c->level_count; i++) {
        gap = fmin(gap, log((double)c->levels[i] / c->levels[i - 1]));
    }
    const double step = fmin(most, gap * 0.5 / (double)c->target_count);
    return connections * exp(step * ((double)target - ((double)c->target_count - 1) / 2));
}

static double place(const struct plot_frame *frame, const struct cells *c, size_t target,
                    int level) {
    return beside(c, frame->plot->kind, target, level);
}

static void put_row(FILE *f, double x, const struct order_summary *s, bool bound) {
    fprintf(f, "%.8g %.8g %.8g %.8g %d\n", x, s->median, s->lo, s->hi, bound);
}

/* One block a panel and target, even when it is empty: gnuplot finds blocks by number. */
static struct span put_blocks(FILE *f, const struct plot *p, const struct cells *c) {
    const struct figure_set *set = &sets[p->kind];
    struct span span = {INFINITY, 0};
    fputs("# connections (moved aside a little) median low high; NaN = none; 1: a lower bound\n",
          f);
    for (size_t panel = 0; panel < set->count; panel++) {
        for (size_t t = 0; t < c->target_count; t++) {
            for (size_t i = 0; i < c->level_count; i++) {
                const struct cell *cell = cells_find(c, t, p->workload, c->levels[i]);
                const struct order_summary none = {.median = NAN, .lo = NAN, .hi = NAN};
                const struct order_summary *s = cell ? &cell->figure[set->id[panel]].s : &none;
                const bool bound = p->kind == PLOT_RATE && cell && cell->client == CLIENT_LIMITED &&
                                   c->targets[t].role != ROLE_NULL;
                put_row(f, beside(c, p->kind, t, c->levels[i]), s, bound);
                span_add(&span, s->median);
                span_add(&span, s->lo);
                span_add(&span, s->hi);
            }
            fputs("\n\n", f);
        }
    }
    return span;
}

static void levels_axis(struct axis *a, const struct cells *c, size_t panels) {
    const double least_gap = panels > 1 ? 0.1 : 0.06;
    *a = (struct axis){.log = true, .unit = ""};
    const double first = c->levels[0];
    const double last = c->levels[c->level_count - 1];
    const double room = pow(last / first, 0.06) * 1.05;
    a->lo = first / room;
    a->hi = last * room;
    /* Labels of neighbours would run into each other. */
    double before = 0;
    for (size_t i = 0; i < c->level_count && a->count < AXIS_TICKS_MAX; i++) {
        double at = log((double)c->levels[i] / a->lo) / log(a->hi / a->lo);
        a->tick[a->count] = c->levels[i];
        a->text[a->count][0] = '\0';
        if (i == 0 || at - before > least_gap) {
            figure_thousands(a->text[a->count], sizeof a->text[0], c->levels[i]);
            before = at;
        }
        a->count++;
    }
}

static bool any_limited(const struct plot_frame *frame, const struct cells *c) {
    for (size_t i = 0; i < c->count; i++) {
        if (c->cell[i].client == CLIENT_LIMITED && c->cell[i].workload == frame->plot->workload &&
            c->targets[c->cell[i].target].role != ROLE_NULL) {
            return true;
        }
    }
    return false;
}

/* Whether a target lacks a figure that another has. */
static bool any_gap(const struct plot_frame *frame, const struct cells *c) {
    for (size_t p = 0; p < frame->panels; p++) {
        for (size_t i = 0; i < c->level_count; i++) {
            size_t lacking = 0;
            for (size_t t = 0; t < c->target_count; t++) {
                lacking += plot_shows(frame, c, t) && is_gap(frame, c, p, t, c->levels[i]);
            }
            if (lacking > 0 && lacking < plot_shown_count(frame, c)) {
                return true;
            }
        }
    }
    return false;
}

/* What resident memory is of targets that ran several processes. */
static const char *memory_note(const struct plot_frame *frame, const struct cells *c) {
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        if (frame->plot->kind == PLOT_MEMORY && cell->workload == frame->plot->workload &&
            *cell->memory_kind && strcmp(cell->memory_kind, "rss") != 0) {
            return "; PSS where there were several processes";
        }
    }
    return "";
}

static void subtitle(struct plot_frame *frame, const struct cells *c) {
    char rounds[96];
    bool any = c->rounds >= ORDER_MIN_N;
    if (c->rounds == 1) {
        snprintf(rounds, sizeof rounds, "1 round, so no intervals");
    } else {
        snprintf(rounds, sizeof rounds,
                 any ? "median of %zu rounds and its 95%% interval"
                     : "median of %zu rounds, too few for intervals",
                 c->rounds);
    }
    const char *kind = frame->plot->kind == PLOT_LATENCY ? "; closed loop, raw latency"
                       : frame->plot->kind == PLOT_RATE && any_limited(frame, c)
                           ? "; pale: a lower bound, the load generator was the limit"
                           : "";
    const char *level = "";
    char text[48] = "";
    if (c->level_count == 1) {
        snprintf(text, sizeof text, "%d connections; ", c->levels[0]);
        level = text;
    }
    snprintf(frame->subtitle, sizeof frame->subtitle, "%s%s%s%s%s", level, rounds, kind,
             memory_note(frame, c),
             !frame->plot->dots && any_gap(frame, c) ? "; ×: no figure" : "");
}

int plot_write_figures(const struct plot *p, const struct cells *c, struct err *e) {
    struct text_file t;
    char name[128];
    struct plot_frame frame = {
        .plot = p,
        .panels = sets[p->kind].count,
        .panel_title = panel_title,
        .is_gap = is_gap,
        .place = place,
    };
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    const struct span span = put_blocks(t.f, p, c);
    if (span.hi == 0) {
        text_drop(&t);
        return 0;
    }
    snprintf(name, sizeof name, "plots/data/%s.dat", p->name);
    if (text_end(&t, c->store->dir, name, e) != 0) {
        return -1;
    }
    subtitle(&frame, c);
    levels_axis(&frame.x, c, frame.panels);
    axis_choose(&frame.y, figure_info(sets[p->kind].id[0])->kind, span.lo, span.hi);
    snprintf(frame.x_label, sizeof frame.x_label, "connections, log scale");
    snprintf(frame.y_label, sizeof frame.y_label, "%s%s", sets[p->kind].y_label,
             frame.y.log ? ", log scale" : "");
    return plot_write_settings(&frame, c, e) == 0 ? 1 : -1;
}
