/* plots.h — plots of a run: data files, settings, and gnuplot to draw them. */
#ifndef REPORT_PLOTS_H
#define REPORT_PLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "report/cells.h"
#include "report/verdicts.h"

/* In the order to show them. */
enum plot_kind {
    PLOT_RATIOS, /* every target against one, CPU per request and throughput */
    PLOT_CPU,
    PLOT_ROUNDS_CPU, /* every round a point */
    PLOT_RATE,
    PLOT_ROUNDS_RATE,
    PLOT_LATENCY,
    PLOT_PERCENTILES,
    PLOT_MEMORY,
    PLOT_MEMORY_TIME,
    PLOT_COUNT
};

struct plot {
    enum plot_kind kind;
    const char *workload;
    char name[80];       /* of the files in plots/, without the ending */
    const char *heading; /* what it shows, without the workload */
    char title[160];     /* plain text, also the text alternative of the picture */
    bool dots;           /* one level of connections: points by target, no lines */
    const char *program; /* of plots/, without the ending */
};

/* What was, or could not be, drawn. Zero-initialise it. */
struct plots {
    struct plot *plot;
    size_t count;
    char missing[1100]; /* why there are no pictures; "" when there are */
    struct plot_damage {
        size_t unread, all; /* histograms of trials that count */
        char first[256];    /* what is wrong with the first of those, from within the folder */
    } damage;
    char note[512]; /* the same as a sentence, with what follows; "" = none is damaged */
};

struct plots_options {
    const char *programs; /* folder of the *.gp files; NULL = found beside the program */
    const char *gnuplot;  /* NULL = "gnuplot" */
    int64_t limit_ns;     /* for one plot; 0 = a minute */
};

/* Writes DIR/plots/data/ (numbers and settings, from which `gnuplot` can be run again) and
 * DIR/plots/NAME.svg and .png. A plot without a single figure is left out. Returns 0, or -1 with
 * *e: ERR_MACHINE when gnuplot is missing, too old, too slow or was killed; p->missing says it too.
 */
int plots_make(struct plots *p, const struct verdicts *v, const struct plots_options *o,
               struct err *e);

/* The drawing alone, of what is written below `dir`: p->count becomes how many were drawn before
 * one failed. Returns as plots_make. */
int plots_draw(struct plots *p, const char *dir, const struct plots_options *o, struct err *e);

void plots_release(struct plots *p);

/* A verdict as the plot of ratios shows it: of a target against the baseline. */
struct plot_ratio {
    size_t target;
    enum verdict_kind kind;
    double ratio, lo, hi; /* NaN where there is none */
    bool fragile;
};

/* Whom the plot of ratios compares with: the baseline, or the first target. */
size_t plot_ratio_baseline(const struct verdicts *v);

/* The row turned so that its B is the baseline; false when it has no part in the plot. */
bool plot_ratio_of(const struct verdict_row *row, const struct verdicts *v, struct plot_ratio *out);

#endif
