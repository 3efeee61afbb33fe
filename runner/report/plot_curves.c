/* Percentile curves from the raw histograms of all rounds together, one panel a level. */
#include "report/plot_parts.h"

#include <math.h>
#include <stdlib.h>

/* Steps of the curve: finer than the eye sees. */
#define STEP 1.02

/* Where a curve begins: below the 10% percentile it only falls off a cliff. */
#define FIRST_X (1 / 0.9)

struct curve_span {
    double lo, hi, x; /* least and greatest latency, greatest 1/(1-q) */
};

static int merge_trial(const struct cells *c, const struct trial_record *r, struct hist *h,
                       struct plot_damage *damage) {
    struct err e;
    const int rc = store_read_hist(c->store, r, h, &e);
    damage->all += rc != 0;
    if (rc < 0 && e.class != ERR_MACHINE) {
        if (damage->unread++ == 0) {
            snprintf(damage->first, sizeof damage->first, "%.255s", e.text);
            text_without(damage->first, c->store->dir);
        }
        return 1;
    }
    return rc < 0 ? -1 : 0;
}

/* All rounds together, or none of them: a curve of some would pass for one of all. */
static int merge_cell(const struct cells *c, const struct cell *cell, struct hist *h,
                      struct plot_damage *damage) {
    bool whole = true;
    for (size_t i = 0; cell && i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        const int rc = r && r->status == TRIAL_OK ? merge_trial(c, r, h, damage) : 0;
        if (rc < 0) {
            return -1;
        }
        whole = whole && rc == 0;
    }
    if (!whole) {
        hist_release(h);
        *h = (struct hist){0};
    }
    return 0;
}

/* One of the two blocks of a curve: where the samples bear the percentile (10 c beyond it,
 * percentile.h), and where fewer but at least ten lie beyond it. */
static bool put_part(FILE *f, const struct hist *h, double connections, bool borne,
                     struct curve_span *span) {
    const double total = (double)hist_total(h);
    const double last = total / PERCENTILE_MIN_BEYOND;
    const double limit = total / (PERCENTILE_MIN_BEYOND * connections);
    const double from = borne ? FIRST_X : fmax(limit, FIRST_X);
    const double to = borne ? fmin(limit, last) : last;
    double below = 0;
    double drawn = 0;
    bool any = false;
    for (size_t i = 0; i < h->n; i++) {
        /* value[i] is the percentile of every q in (below, below + count] / total. */
        const double begin = total / (total - below);
        below += (double)h->count[i];
        const double end = below < total ? total / (total - below) : INFINITY;
        if (end < from || begin > to || (end < drawn * STEP && end < to)) {
            continue;
        }
        drawn = fmin(end, to);
        const double y = h->value[i] > 0 ? (double)h->value[i] : 1;
        if (!any) {
            fprintf(f, "%.6g %.6g\n", fmax(begin, from), y);
        }
        fprintf(f, "%.6g %.6g\n", drawn, y);
        span->lo = fmin(span->lo, y);
        span->hi = fmax(span->hi, y);
        span->x = fmax(span->x, drawn);
        any = true;
    }
    fputs(any ? "\n\n" : "NaN NaN\n\n\n", f);
    return any;
}

static int put_curves(FILE *f, const struct plot *p, const struct cells *c,
                      struct plot_damage *damage, struct axis *axes, double *greatest_x,
                      struct plot_drawn *drawn) {
    fputs("# 1/(1-q), latency in µs; two blocks a curve: borne by its samples, and not\n", f);
    *greatest_x = 0;
    for (size_t i = 0; i < c->level_count; i++) {
        struct curve_span span = {INFINITY, 0, 0};
        for (size_t t = 0; t < c->target_count; t++) {
            struct hist h = {0};
            const struct cell *cell = cells_find(c, t, p->workload, c->levels[i]);
            if (merge_cell(c, cell, &h, damage) != 0) {
                hist_release(&h);
                return -1;
            }
            const bool borne = put_part(f, &h, c->levels[i], true, &span);
            const bool more = put_part(f, &h, c->levels[i], false, &span);
            drawn->any[i * drawn->targets + t] = borne || more;
            hist_release(&h);
        }
        if (span.hi > 0) {
            axis_choose(&axes[i], UNIT_LATENCY_US, span.lo, span.hi);
        } else {
            axes[i] = (struct axis){.log = true, .lo = 1, .hi = 10, .unit = ""}; /* no ticks */
        }
        *greatest_x = fmax(*greatest_x, span.x);
    }
    return 0;
}

static int write_curves(const struct plot *p, const struct cells *c, struct axis *axes,
                        struct plot_drawn *drawn, struct plot_damage *damage, struct err *e) {
    struct text_file t;
    char name[128];
    double greatest_x;
    struct plot_frame frame = {
        .plot = p,
        .panels = c->level_count,
        .panel_title = plot_level_title,
        .panel_y = axes,
        .is_gap = plot_level_is_gap,
        .data = drawn,
    };
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    if (put_curves(t.f, p, c, damage, axes, &greatest_x, drawn) != 0) {
        text_drop(&t);
        return err_set(e, ERR_MACHINE, "out of memory for the percentile curves");
    }
    if (greatest_x == 0) {
        text_drop(&t);
        return 0;
    }
    snprintf(name, sizeof name, "plots/data/%s.dat", p->name);
    if (text_end(&t, c->store->dir, name, e) != 0) {
        return -1;
    }
    snprintf(frame.subtitle, sizeof frame.subtitle,
             "all rounds together; closed loop, raw latency; pale: too few samples to be stated%s",
             plot_level_note(&frame, c));
    axis_quantiles(&frame.x, FIRST_X, greatest_x * 1.3);
    snprintf(frame.x_label, sizeof frame.x_label, "percentile, log scale");
    snprintf(frame.y_label, sizeof frame.y_label, "latency, log scale");
    return plot_write_settings(&frame, c, e) == 0 ? 1 : -1;
}

int plot_write_curves(const struct plot *p, const struct cells *c, struct plot_damage *damage,
                      struct err *e) {
    struct axis *axes = calloc(c->level_count, sizeof *axes);
    struct plot_drawn *drawn = plot_drawn_new(c);
    int rc = axes && drawn ? write_curves(p, c, axes, drawn, damage, e)
                           : err_set(e, ERR_MACHINE, "out of memory for the percentile curves");
    plot_drawn_free(drawn);
    free(axes);
    return rc;
}
