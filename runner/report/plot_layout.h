/* plot_layout.h — where things are in a plot: sizes, panels, legend. Two layouts of every plot: for
 * a desk and paper, and narrow, for a phone, with the same sizes of letters. Between the files that
 * make plots; nobody else includes it. */
#ifndef REPORT_PLOT_LAYOUT_H
#define REPORT_PLOT_LAYOUT_H

#include "report/plot_parts.h"

#define PLOT_MARGIN_BOTTOM 58
#define PLOT_TEXT_ROOM     (4 * PLOT_NAME_COLUMNS + 40) /* bytes for any name, of a row too */

/* Pixels of the SVG. */
struct canvas {
    int width, height;
    int head;     /* from the top to the panels' titles */
    int text_x;   /* where title, subtitle and a narrow plot's legend begin */
    int legend_y; /* the first row of the legend, from the top */
    int columns, rows;
    int gap_x, gap_y; /* between panels */
    int right;        /* margin */
    double panel_width, panel_height, left;
    bool narrow;
};

/* The layout of a plot; `subtitle` as it is printed. */
struct canvas canvas_of(const struct plot_frame *frame, const struct cells *c, const char *subtitle,
                        bool narrow);

/* Whether the target was measured with the plot's workload at all: the null server knows but one.
 */
bool plot_shows(const struct plot_frame *frame, const struct cells *c, size_t target);
size_t plot_shown_count(const struct plot_frame *frame, const struct cells *c);

/* The entries of the legend, placed in rows from the left. */
size_t legend_count(const struct plot_frame *frame, const struct cells *c);
void legend_text(const struct plot_frame *frame, const struct cells *c, size_t i, char *out,
                 size_t size);
/* The target an entry stands for, or the panel in a plot of dots. */
size_t legend_of(const struct plot_frame *frame, const struct cells *c, size_t i);
/* Fills xs and rows (NULL = not wanted) with one value an entry; returns the rows used. */
int legend_place(const struct plot_frame *frame, const struct cells *c, const struct canvas *canvas,
                 double *xs, int *rows);

/* The next line of `text` that is no wider than the canvas, broken at a blank where there is one;
 * `text` goes on to what follows. Returns false when there is none left. */
bool layout_next_line(const struct canvas *canvas, const char **text, char *line, size_t size);

/* Blanks the texts of ticks that would run into their neighbours', or out of a narrow plot, on a
 * horizontal axis of that many pixels; begins at the tick `keep` (NaN = the first). */
void layout_thin(struct axis *a, double pixels, double keep);

#endif
