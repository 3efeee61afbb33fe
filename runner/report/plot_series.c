/* Memory of the server while the window runs: medians over rounds, a panel a level. */
#include <math.h>
#include <stdlib.h>

#include "report/plot_parts.h"

struct series_span {
    double seconds, lo, hi;
};

/* The k-th readings of all rounds: alike in time, since every window of a run is as long. Returns
 * false where fewer than half of the rounds that have any have one. */
static bool put_moment(FILE *f, const struct cells *c, const struct cell *cell, int k, double *work,
                       struct series_span *span) {
    size_t n = 0;
    size_t all = 0;
    double ms = 0;
    for (size_t i = 0; i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        if (!r || r->status != TRIAL_OK || r->memory.series.n == 0) {
            continue;
        }
        all++;
        if (k < r->memory.series.n) {
            ms += (double)r->memory.series.ms[k];
            work[n++] = (double)r->memory.series.rss[k];
        }
    }
    if (n == 0 || 2 * n < all) {
        return false;
    }
    const double at = ms / (double)n / 1000;
    const struct order_summary s = order_summarise(work, n, CELL_LEVEL);
    fprintf(f, "%.6g %.10g %.10g %.10g\n", at, s.median, s.lo, s.hi);
    span->seconds = fmax(span->seconds, at);
    span->lo = fmin(span->lo, isfinite(s.lo) ? s.lo : s.median);
    span->hi = fmax(span->hi, isfinite(s.hi) ? s.hi : s.median);
    return true;
}

static struct series_span put_blocks(FILE *f, const struct plot *p, const struct cells *c,
                                     double *work, struct plot_drawn *drawn) {
    struct series_span span = {0, INFINITY, 0};
    fputs("# one block a level and target: seconds, median, low, high in bytes\n", f);
    for (size_t l = 0; l < c->level_count; l++) {
        for (size_t t = 0; t < c->target_count; t++) {
            const struct cell *cell = cells_find(c, t, p->workload, c->levels[l]);
            int k = 0;
            while (cell && k < MEMORY_SERIES_MAX && put_moment(f, c, cell, k, work, &span)) {
                k++;
            }
            drawn->any[l * drawn->targets + t] = k > 0;
            fputs(k > 0 ? "\n\n" : "NaN NaN NaN NaN\n\n\n", f);
        }
    }
    return span;
}

static int write_series(const struct plot *p, const struct cells *c, struct plot_drawn *drawn,
                        struct err *e) {
    struct text_file t;
    char name[128];
    double *work = malloc((c->rounds + 1) * sizeof *work);
    if (!work || text_begin(&t, e) != 0) {
        free(work);
        return err_set(e, ERR_MACHINE, "out of memory for a plot");
    }
    const struct series_span span = put_blocks(t.f, p, c, work, drawn);
    free(work);
    if (span.hi <= 0 || span.seconds <= 0) {
        text_drop(&t);
        return 0;
    }
    snprintf(name, sizeof name, "plots/data/%s.dat", p->name);
    if (text_end(&t, c->store->dir, name, e) != 0) {
        return -1;
    }
    struct plot_frame frame = {.plot = p,
                               .panels = c->level_count,
                               .panel_title = plot_level_title,
                               .is_gap = plot_level_is_gap,
                               .data = drawn};
    snprintf(frame.subtitle, sizeof frame.subtitle,
             c->rounds >= ORDER_MIN_N ? "median of %zu rounds, shaded: its 95%% interval%s"
             : c->rounds > 1          ? "median of %zu rounds, too few for intervals%s"
                                      : "%zu round%s",
             c->rounds, plot_level_note(&frame, c));
    axis_near(&frame.x, UNIT_CPU_US, 0, span.seconds, 5);
    frame.x.lo = 0;
    axis_choose(&frame.y, UNIT_BYTES, span.lo, span.hi);
    snprintf(frame.x_label, sizeof frame.x_label, "seconds of the measured window");
    snprintf(frame.y_label, sizeof frame.y_label, "resident memory, MiB%s",
             frame.y.log ? ", log scale" : "");
    return plot_write_settings(&frame, c, e) == 0 ? 1 : -1;
}

int plot_write_series(const struct plot *p, const struct cells *c, struct err *e) {
    struct plot_drawn *drawn = plot_drawn_new(c);
    const int rc =
        drawn ? write_series(p, c, drawn, e) : err_set(e, ERR_MACHINE, "out of memory for a plot");
    plot_drawn_free(drawn);
    return rc;
}
