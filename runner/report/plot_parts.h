/* plot_parts.h — between the files that make plots; nobody else includes it. */
#ifndef REPORT_PLOT_PARTS_H
#define REPORT_PLOT_PARTS_H

#include "report/axis.h"
#include "report/cells.h"
#include "report/plots.h"
#include "report/text.h"
#include "store/counts.h"

#define PLOT_NAME_COLUMNS 36 /* of a target in a legend */
#define PLOT_LEGEND_ROW   22 /* pixels */
#define PLOT_LABEL_ROW    20 /* of the y axis, where it stands above it */

/* How a target looks in every plot. */
struct plot_style {
    const char *color;
    int point, dash; /* gnuplot's numbers */
    double width;
    bool quiet; /* the ceiling: a thin line behind the others */
};

struct plot_style plot_style_of(const struct cells *c, size_t target);

/* A point shape by number, the same for the panels of one plot. */
int plot_point(size_t i);

/* What a plot's settings file needs beside the target's styles. */
struct plot_frame {
    const struct plot *plot;
    char subtitle[256];
    char x_label[160], y_label[64];
    struct axis x, y;           /* x of lines: its levels */
    const struct axis *panel_y; /* one a panel instead of y; NULL = they share y */
    /* Values run to the right in rows, as in plots of dots, the first row on top. 0 = they do not.
     */
    size_t rows;
    double row_height, row_height_narrow;
    void (*row_text)(const struct plot_frame *frame, const struct cells *c, size_t row, char *out,
                     size_t size);
    /* What else the program reads; NULL = nothing. */
    void (*more)(FILE *f, const struct plot_frame *frame);
    const void *data; /* of those two, and of plot_level_is_gap: a plot_drawn */
    size_t panels;
    const char *(*panel_title)(const struct plot_frame *frame, const struct cells *c, size_t panel);
    /* Whether a target has no figure at a level in a panel; NULL = none is looked for. */
    bool (*is_gap)(const struct plot_frame *frame, const struct cells *c, size_t panel,
                   size_t target, int level);
    /* Where on the x axis it would be; NULL = nowhere, it is listed in its panel. */
    double (*place)(const struct plot_frame *frame, const struct cells *c, size_t target,
                    int level);
};

/* Which targets left a curve at which level: any[level * targets + target]. */
struct plot_drawn {
    size_t targets;
    bool *any;
};

/* None yet; NULL out of memory. */
struct plot_drawn *plot_drawn_new(const struct cells *c);
void plot_drawn_free(struct plot_drawn *d);

/* Of plots with a panel a level: "100 connections"; is_gap of a frame whose data is a plot_drawn;
 * and what the subtitle says where some, but not all, targets of a panel left no curve, or "". */
const char *plot_level_title(const struct plot_frame *frame, const struct cells *c, size_t panel);
bool plot_level_is_gap(const struct plot_frame *frame, const struct cells *c, size_t panel,
                       size_t target, int level);
const char *plot_level_note(const struct plot_frame *frame, const struct cells *c);

/* Writes plots/data/NAME.gp and what is different in a narrow page, plots/data/NAME.narrow.gp. */
int plot_write_settings(const struct plot_frame *frame, const struct cells *c, struct err *e);

/* The kinds of data: figures against connections, percentile curves, every round, ratios, and
 * memory over time. Each writes plots/data/NAME.dat and the settings; returns 1, or 0 when there is
 * nothing to draw, or -1. */
int plot_write_figures(const struct plot *p, const struct cells *c, struct err *e);
int plot_write_curves(const struct plot *p, const struct cells *c, struct plot_damage *damage,
                      struct err *e);
int plot_write_rounds(const struct plot *p, const struct cells *c, struct err *e);
int plot_write_ratios(const struct plot *p, const struct verdicts *v, struct err *e);
int plot_write_series(const struct plot *p, const struct cells *c, struct err *e);

/* The same of counts: bars of one workload, stacked, into the run folder `dir`. */
int plot_write_stack(const struct plot *p, const struct counts *c, enum count_kind kind,
                     const char *dir, struct err *e);

/* Finds the folder of the *.gp files. Returns 0, or -1 with *e (ERR_USAGE for a wrong --plots,
 * ERR_MACHINE when none is found). */
int gnuplot_find_programs(const char *given, char *out, size_t size, struct err *e);

struct loop;

/* Draws plots one after another: where everything is, found once. */
struct gnuplot {
    struct loop *loop;
    const char *program;  /* gnuplot itself */
    const char *programs; /* folder of the *.gp files */
    const char *dir;      /* of the run */
    int64_t limit_ns;
};

/* Draws one plot (settings and data are written) as SVG and PNG into dir/plots, and as narrow SVG
 * into dir/plots/narrow. On failure no picture is left. */
int gnuplot_draw(const struct gnuplot *g, const struct plot *p, struct err *e);

#endif
