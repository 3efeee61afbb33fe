/* The settings file of one plot: numbers and quoted texts for the gnuplot programs in plots/. */
#include "report/plot_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN_LEFT    84
#define MARGIN_RIGHT   24
#define MARGIN_BOTTOM  58
#define PANEL_HEAD     26 /* room for the title of a panel */
#define PANEL_GAP_X    24
#define PANEL_GAP_AXIS 72 /* when every panel has its own axis */
#define PANEL_GAP_Y    60
#define ROWS_GAP_X     34
#define LEGEND_ROW     22
#define LEGEND_CHAR    7.1 /* of the legend's font, generously */
#define LEGEND_MARK    50

struct canvas {
    int width, height, head;
    int columns, rows, gap;
    double panel_width, panel_height, left;
};

/* Whether the target was measured with the plot's workload at all: the null server knows but one.
 */
static bool is_shown(const struct plot_frame *frame, const struct cells *c, size_t target) {
    for (size_t i = 0; i < c->level_count; i++) {
        if (cells_find(c, target, frame->plot->workload, c->levels[i])) {
            return true;
        }
    }
    return false;
}

/* The target that is the n-th of those shown, or target_count. */
static size_t nth_shown(const struct plot_frame *frame, const struct cells *c, size_t n) {
    size_t t = 0;
    for (; t < c->target_count; t++) {
        if (is_shown(frame, c, t) && n-- == 0) {
            break;
        }
    }
    return t;
}

static size_t shown_count(const struct plot_frame *frame, const struct cells *c) {
    size_t n = 0;
    for (size_t t = 0; t < c->target_count; t++) {
        n += is_shown(frame, c, t);
    }
    return n;
}

static size_t legend_count(const struct plot_frame *frame, const struct cells *c) {
    if (frame->rows > 0) {
        return 0; /* rows are named where they are */
    }
    if (!frame->plot->dots) {
        return shown_count(frame, c);
    }
    return frame->panels > 1 ? frame->panels : 0;
}

static void legend_text(const struct plot_frame *frame, const struct cells *c, size_t i, char *out,
                        size_t size) {
    const char *text = frame->plot->dots ? frame->panel_title(frame, c, i)
                                         : c->targets[nth_shown(frame, c, i)].name;
    text_terminal(out, size, text, PLOT_NAME_COLUMNS, true);
}

static double chars_of(const char *text) {
    double n = 0;
    for (; *text; text += text_char_len(text)) {
        n++;
    }
    return n;
}

/* Places the entries in rows from the left, calls `put` with each; returns the rows used. */
static int legend_place(const struct plot_frame *frame, const struct cells *c,
                        const struct canvas *canvas, double *xs, int *row_of) {
    double x = canvas->left;
    int row = 0;
    for (size_t i = 0; i < legend_count(frame, c); i++) {
        char text[4 * PLOT_NAME_COLUMNS + 8];
        legend_text(frame, c, i, text, sizeof text);
        double width = LEGEND_MARK + LEGEND_CHAR * chars_of(text) + 18;
        if (x > canvas->left && x + width > canvas->width - MARGIN_RIGHT) {
            x = canvas->left;
            row++;
        }
        if (xs) {
            xs[i] = x;
            row_of[i] = row;
        }
        x += width;
    }
    return legend_count(frame, c) ? row + 1 : 0;
}

static double dots_margin(const struct cells *c) {
    double widest = 0;
    for (size_t i = 0; i < c->target_count; i++) {
        char text[4 * PLOT_NAME_COLUMNS + 8];
        text_terminal(text, sizeof text, c->targets[i].name, PLOT_NAME_COLUMNS, true);
        widest = fmax(widest, chars_of(text));
    }
    return 24 + LEGEND_CHAR * widest;
}

static double rows_margin(const struct plot_frame *frame, const struct cells *c) {
    double widest = 0;
    for (size_t i = 0; i < frame->rows; i++) {
        char text[4 * PLOT_NAME_COLUMNS + 40];
        frame->row_text(frame, c, i, text, sizeof text);
        widest = fmax(widest, chars_of(text));
    }
    return 28 + LEGEND_CHAR * widest;
}

static void rows_canvas(const struct plot_frame *frame, const struct cells *c, struct canvas *v) {
    const int n = (int)frame->panels;
    v->left = rows_margin(frame, c);
    v->gap = ROWS_GAP_X;
    v->columns = n <= 3 ? n : n == 4 ? 2 : 3;
    v->rows = (n + v->columns - 1) / v->columns;
    v->panel_width = v->columns == 1 ? 560 : v->columns == 2 ? 380 : 280;
    v->panel_height = 10 + frame->row_height * (double)frame->rows;
}

static struct canvas canvas_of(const struct plot_frame *frame, const struct cells *c) {
    struct canvas v = {.columns = 1, .rows = 1, .left = MARGIN_LEFT};
    v.gap = frame->panel_y ? PANEL_GAP_AXIS : PANEL_GAP_X;
    v.panel_width = 700;
    v.panel_height = 340;
    if (frame->rows > 0) {
        rows_canvas(frame, c, &v);
    } else if (frame->plot->dots) {
        v.left = dots_margin(c);
        v.panel_width = 560;
        v.panel_height = 40 + 34.0 * (double)shown_count(frame, c);
    } else if (frame->panels > 1) {
        int n = (int)frame->panels;
        v.columns = n <= 3 ? n : n == 4 ? 2 : n > 8 ? 4 : 3;
        v.rows = (n + v.columns - 1) / v.columns;
        v.panel_width = v.columns == 2 ? 440 : 330;
        v.panel_height = v.rows == 1 ? 330 : 250;
    }
    v.width = (int)(v.left + v.columns * v.panel_width + (v.columns - 1) * v.gap + MARGIN_RIGHT);
    v.head = 58 + LEGEND_ROW * legend_place(frame, c, &v, NULL, NULL);
    double titles = frame->panels > 1 && !frame->plot->dots ? PANEL_HEAD : 8;
    v.height = (int)(v.head + titles + v.rows * v.panel_height + (v.rows - 1) * PANEL_GAP_Y +
                     MARGIN_BOTTOM);
    return v;
}

static void put_text(FILE *f, const char *name, const char *text) {
    fprintf(f, "%s = ", name);
    text_gnuplot(f, text);
    fputc('\n', f);
}

/* The text of a tick is a format to gnuplot. */
static void put_tick_text(FILE *f, const char *text) {
    char doubled[8 * PLOT_NAME_COLUMNS + 16];
    size_t n = 0;
    for (; *text && n + 2 < sizeof doubled; text++) {
        doubled[n++] = *text;
        if (*text == '%') {
            doubled[n++] = '%';
        }
    }
    doubled[n] = '\0';
    text_gnuplot(f, doubled);
}

/* An axis as elements [from + 1 …] of arrays that hold several. */
static void put_axis(FILE *f, const char *name, size_t place, const struct axis *a) {
    fprintf(f, "%sMIN[%zu] = %.10g; %sMAX[%zu] = %.10g; %sTICKS[%zu] = %zu\n", name, place + 1,
            a->lo, name, place + 1, a->hi, name, place + 1, a->count);
    for (size_t i = 0; i < a->count; i++) {
        size_t at = place * AXIS_TICKS_MAX + i + 1;
        fprintf(f, "%sTICK[%zu] = %.10g; %sTEXT[%zu] = ", name, at, a->tick[i], name, at);
        put_tick_text(f, a->text[i]);
        fputc('\n', f);
    }
}

static void put_axes(FILE *f, const char *name, const struct axis *a, size_t count, bool same) {
    fprintf(f, "%sLOG = %d\narray %sMIN[%zu]\narray %sMAX[%zu]\narray %sTICKS[%zu]\n", name, a->log,
            name, count, name, count, name, count);
    fprintf(f, "array %sTICK[%zu]\narray %sTEXT[%zu]\n", name, count * AXIS_TICKS_MAX, name,
            count * AXIS_TICKS_MAX);
    for (size_t i = 0; i < count; i++) {
        put_axis(f, name, i, same ? a : &a[i]);
    }
}

static void put_targets(FILE *f, const struct plot_frame *frame, const struct cells *c) {
    static const char *const arrays[] = {"NAME", "ROWNAME", "COLOR", "POINT",
                                         "DASH", "WIDTH",   "QUIET"};
    size_t row = shown_count(frame, c);
    fprintf(f, "N = %zu\nROWS_SHOWN = %zu\narray ROW[%zu]\n", c->target_count, row,
            c->target_count);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        fprintf(f, "array %s[%zu]\n", arrays[i], c->target_count);
    }
    for (size_t i = 0; i < c->target_count; i++) {
        char text[4 * PLOT_NAME_COLUMNS + 8];
        struct plot_style s = plot_style_of(c, i);
        text_terminal(text, sizeof text, c->targets[i].name, PLOT_NAME_COLUMNS, true);
        fprintf(f, "NAME[%zu] = ", i + 1);
        text_gnuplot(f, text);
        fprintf(f, "; ROWNAME[%zu] = ", i + 1);
        put_tick_text(f, text);
        fprintf(f, "; COLOR[%zu] = '%s'; POINT[%zu] = %d; DASH[%zu] = %d; WIDTH[%zu] = %.1f; ",
                i + 1, s.color, i + 1, s.point, i + 1, s.dash, i + 1, s.width);
        fprintf(f, "QUIET[%zu] = %d; ROW[%zu] = %zu\n", i + 1, s.quiet, i + 1,
                is_shown(frame, c, i) ? row-- : 0);
    }
}

static void put_panels(FILE *f, const struct plot_frame *frame, const struct cells *c) {
    fprintf(f, "K = %zu\narray PANEL[%zu]\narray SHAPE[%zu]\n", frame->panels, frame->panels,
            frame->panels);
    for (size_t p = 0; p < frame->panels; p++) {
        fprintf(f, "SHAPE[%zu] = %d; PANEL[%zu] = ", p + 1, plot_point(p), p + 1);
        text_gnuplot(f, frame->panel_title(frame, c, p));
        fputc('\n', f);
    }
}

/* Levels at which a panel shows nothing, so that the gap is marked as one. */
static void put_gaps(FILE *f, const struct plot_frame *frame, const struct cells *c) {
    size_t n = 0;
    fprintf(f, "array GAPP[%zu]\narray GAPL[%zu]\n", frame->panels * c->level_count + 1,
            frame->panels * c->level_count + 1);
    for (size_t p = 0; frame->is_gap && p < frame->panels; p++) {
        for (size_t i = 0; i < c->level_count; i++) {
            if (frame->is_gap(frame, c, p, c->levels[i])) {
                n++;
                fprintf(f, "GAPP[%zu] = %zu; GAPL[%zu] = %d\n", n, p + 1, n, c->levels[i]);
            }
        }
    }
    fprintf(f, "GAPS = %zu\n", n);
}

static void put_rows(FILE *f, const struct plot_frame *frame, const struct cells *c) {
    fprintf(f, "RN = %zu\narray RTEXT[%zu]\n", frame->rows, frame->rows);
    for (size_t i = 0; i < frame->rows; i++) {
        char text[4 * PLOT_NAME_COLUMNS + 40];
        frame->row_text(frame, c, i, text, sizeof text);
        fprintf(f, "RTEXT[%zu] = ", i + 1);
        put_tick_text(f, text);
        fputc('\n', f);
    }
}

static int put_legend(FILE *f, const struct plot_frame *frame, const struct cells *c,
                      const struct canvas *canvas, struct err *e) {
    size_t n = legend_count(frame, c);
    double *xs = calloc(n + 1, sizeof *xs);
    int *rows = calloc(n + 1, sizeof *rows);
    if (!xs || !rows) {
        free(xs);
        free(rows);
        return err_set(e, ERR_MACHINE, "out of memory for a plot");
    }
    legend_place(frame, c, canvas, xs, rows);
    fprintf(f, "KEYS = %zu\narray KEYX[%zu]\narray KEYY[%zu]\n", n, n + 1, n + 1);
    fprintf(f, "array KEYTEXT[%zu]\narray KEYOF[%zu]\n", n + 1, n + 1);
    for (size_t i = 0; i < n; i++) {
        char text[4 * PLOT_NAME_COLUMNS + 8];
        legend_text(frame, c, i, text, sizeof text);
        fprintf(f, "KEYOF[%zu] = %zu; KEYX[%zu] = %.1f; KEYY[%zu] = %d; KEYTEXT[%zu] = ", i + 1,
                frame->plot->dots ? i + 1 : nth_shown(frame, c, i) + 1, i + 1, xs[i], i + 1,
                canvas->height - 66 - LEGEND_ROW * rows[i], i + 1);
        text_gnuplot(f, text);
        fputc('\n', f);
    }
    free(xs);
    free(rows);
    return 0;
}

int plot_write_settings(const struct plot_frame *frame, const struct cells *c, struct err *e) {
    struct text_file t;
    char name[128];
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    const struct canvas v = canvas_of(frame, c);
    fputs("# Settings of one plot, made by loopbench; the programs that read them are plots/*.gp of"
          " its sources.\n",
          t.f);
    put_text(t.f, "PLOT", frame->plot->name);
    char workload[4 * PLOT_NAME_COLUMNS + 8];
    char subtitle[sizeof workload + sizeof frame->subtitle + 16];
    text_terminal(workload, sizeof workload, frame->plot->workload, PLOT_NAME_COLUMNS, true);
    snprintf(subtitle, sizeof subtitle, "%s: %s", workload, frame->subtitle);
    put_text(t.f, "HEADING", frame->plot->heading);
    put_text(t.f, "SUBTITLE", subtitle);
    put_text(t.f, "XLABEL", frame->x_label);
    put_text(t.f, "YLABEL", frame->y_label);
    fprintf(t.f, "W = %d\nH = %d\nHEAD = %d\nCOLUMNS = %d\nROWS = %d\n", v.width, v.height, v.head,
            v.columns, v.rows);
    fprintf(t.f, "LEFT = %.1f\nPANELW = %.1f\nPANELH = %.1f\n", v.left, v.panel_width,
            v.panel_height);
    fprintf(t.f, "GAPX = %d\nGAPY = %d\nBOTTOM = %d\nDOTS = %d\n", v.gap, PANEL_GAP_Y,
            MARGIN_BOTTOM, frame->plot->dots);
    fprintf(t.f, "SHARED = %d\nROOM = %d\n", frame->panel_y == NULL, AXIS_TICKS_MAX);
    /* Curves of percentiles have no points to tell them by. */
    fprintf(t.f, "MARKS = %d\n",
            frame->plot->kind != PLOT_PERCENTILES && frame->plot->kind != PLOT_MEMORY_TIME);
    put_axes(t.f, "X", &frame->x, 1, true);
    put_axes(t.f, "Y", frame->panel_y ? frame->panel_y : &frame->y, frame->panels,
             frame->panel_y == NULL);
    put_targets(t.f, frame, c);
    put_panels(t.f, frame, c);
    put_gaps(t.f, frame, c);
    if (frame->rows > 0) {
        put_rows(t.f, frame, c);
    }
    if (frame->more) {
        frame->more(t.f, frame);
    }
    if (put_legend(t.f, frame, c, &v, e) != 0) {
        text_drop(&t);
        return -1;
    }
    snprintf(name, sizeof name, "plots/data/%s.gp", frame->plot->name);
    return text_end(&t, c->store->dir, name, e);
}
