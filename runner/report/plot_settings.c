/* The settings file of one plot: numbers and quoted texts for the gnuplot programs in plots/. */
#include "report/plot_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_text(FILE *f, const char *name, const char *text) {
    fprintf(f, "%s = ", name);
    text_gnuplot(f, text);
    fputc('\n', f);
}

/* The text of a tick is a format to gnuplot; that of a label is not. */
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
    size_t row = plot_shown_count(frame, c);
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
                plot_shows(frame, c, i) ? row-- : 0);
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

/* How many targets have no figure at a level of a panel. */
static size_t gaps_at(const struct plot_frame *frame, const struct cells *c, size_t panel,
                      int level) {
    size_t n = 0;
    for (size_t t = 0; t < c->target_count; t++) {
        n += plot_shows(frame, c, t) && frame->is_gap(frame, c, panel, t, level);
    }
    return n;
}

static void put_gap(FILE *f, size_t n, size_t panel, double x, size_t target) {
    fprintf(f, "GAPP[%zu] = %zu; GAPAT[%zu] = %.8g; GAPT[%zu] = %zu\n", n, panel + 1, n, x, n,
            target);
}

/* What is missing is marked where it would be: of all targets at a level once (target 0), else of
 * each. */
static void put_gaps(FILE *f, const struct plot_frame *frame, const struct cells *c) {
    const size_t room = frame->panels * c->level_count * c->target_count + 1;
    size_t n = 0;
    fprintf(f, "array GAPP[%zu]\narray GAPAT[%zu]\narray GAPT[%zu]\n", room, room, room);
    for (size_t p = 0; frame->is_gap && p < frame->panels; p++) {
        for (size_t i = 0; i < c->level_count; i++) {
            const int level = c->levels[i];
            if (gaps_at(frame, c, p, level) == plot_shown_count(frame, c) && !frame->plot->dots) {
                put_gap(f, ++n, p, level, 0);
                continue;
            }
            for (size_t t = 0; t < c->target_count; t++) {
                if (plot_shows(frame, c, t) && frame->is_gap(frame, c, p, t, level)) {
                    put_gap(f, ++n, p, frame->place ? frame->place(frame, c, t, level) : level,
                            t + 1);
                }
            }
        }
    }
    fprintf(f, "GAPS = %zu\n", n);
}

static void put_rows(FILE *f, const struct plot_frame *frame, const struct cells *c) {
    fprintf(f, "RN = %zu\narray RTEXT[%zu]\narray RLABEL[%zu]\n", frame->rows, frame->rows,
            frame->rows);
    for (size_t i = 0; i < frame->rows; i++) {
        char text[PLOT_TEXT_ROOM];
        frame->row_text(frame, c, i, text, sizeof text);
        fprintf(f, "RTEXT[%zu] = ", i + 1);
        put_tick_text(f, text);
        fprintf(f, "; RLABEL[%zu] = ", i + 1);
        text_gnuplot(f, text);
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
                legend_of(frame, c, i) + 1, i + 1, xs[i], i + 1,
                canvas->height - canvas->legend_y - PLOT_LEGEND_ROW * rows[i], i + 1);
        text_gnuplot(f, text);
        fputc('\n', f);
    }
    free(xs);
    free(rows);
    return 0;
}

static void put_canvas(FILE *f, const struct canvas *v, const char *subtitle) {
    char line[512];
    int n = 0;
    fprintf(f, "NARROW = %d\nW = %d\nH = %d\nHEAD = %d\nCOLUMNS = %d\nROWS = %d\n", v->narrow,
            v->width, v->height, v->head, v->columns, v->rows);
    fprintf(f, "LEFT = %.1f\nPANELW = %.1f\nPANELH = %.1f\n", v->left, v->panel_width,
            v->panel_height);
    fprintf(f, "GAPX = %d\nGAPY = %d\nBOTTOM = %d\nTEXTX = %d\n", v->gap_x, v->gap_y,
            PLOT_MARGIN_BOTTOM, v->text_x);
    fputs("array LINE[8]\n", f);
    while (n < 8 && layout_next_line(v, &subtitle, line, sizeof line)) {
        fprintf(f, "LINE[%d] = ", ++n);
        text_gnuplot(f, line);
        fputc('\n', f);
    }
    fprintf(f, "LINES = %d\n", n);
}

/* Everything that is the same in every layout. */
static void put_content(FILE *f, const struct plot_frame *frame, const struct cells *c) {
    put_text(f, "PLOT", frame->plot->name);
    put_text(f, "HEADING", frame->plot->heading);
    put_text(f, "XLABEL", frame->x_label);
    put_text(f, "YLABEL", frame->y_label);
    fprintf(f, "DOTS = %d\nSHARED = %d\nROOM = %d\n", frame->plot->dots, frame->panel_y == NULL,
            AXIS_TICKS_MAX);
    /* Curves of percentiles have no points to tell them by. */
    fprintf(f, "MARKS = %d\n",
            frame->plot->kind != PLOT_PERCENTILES && frame->plot->kind != PLOT_MEMORY_TIME);
    put_axes(f, "X", &frame->x, 1, true);
    put_axes(f, "Y", frame->panel_y ? frame->panel_y : &frame->y, frame->panels,
             frame->panel_y == NULL);
    put_targets(f, frame, c);
    put_panels(f, frame, c);
    put_gaps(f, frame, c);
    if (frame->rows > 0) {
        put_rows(f, frame, c);
    }
    if (frame->more) {
        frame->more(f, frame);
    }
}

/* The horizontal axes again, where a narrow plot has no room for all their texts. */
static void put_thinned(FILE *f, const struct plot_frame *frame, const struct canvas *v) {
    const bool named = frame->rows > 0 || frame->plot->dots;
    const struct axis *from = !named ? &frame->x : frame->panel_y ? frame->panel_y : &frame->y;
    for (size_t i = 0; i < (named ? frame->panels : 1); i++) {
        struct axis a = from[named && frame->panel_y ? i : 0];
        layout_thin(&a, v->panel_width, frame->plot->kind == PLOT_RATIOS ? 1 : NAN);
        put_axis(f, named ? "Y" : "X", i, &a);
    }
}

static int write_layout(const struct plot_frame *frame, const struct cells *c, bool narrow,
                        struct err *e) {
    char name[128];
    char workload[4 * PLOT_NAME_COLUMNS + 8];
    char subtitle[sizeof workload + sizeof frame->subtitle + 16];
    struct text_file t;
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    text_terminal(workload, sizeof workload, frame->plot->workload, PLOT_NAME_COLUMNS, true);
    snprintf(subtitle, sizeof subtitle, "%s: %s", workload, frame->subtitle);
    const struct canvas v = canvas_of(frame, c, subtitle, narrow);
    fprintf(t.f,
            "# %s, made by loopbench; the programs that read them are plots/*.gp of its "
            "sources.\n",
            narrow ? "What is different in a narrow page" : "Settings of one plot");
    if (!narrow) {
        put_content(t.f, frame, c);
    } else {
        put_thinned(t.f, frame, &v);
    }
    put_canvas(t.f, &v, subtitle);
    if (put_legend(t.f, frame, c, &v, e) != 0) {
        text_drop(&t);
        return -1;
    }
    snprintf(name, sizeof name, "plots/data/%s%s.gp", frame->plot->name, narrow ? ".narrow" : "");
    return text_end(&t, c->store->dir, name, e);
}

int plot_write_settings(const struct plot_frame *frame, const struct cells *c, struct err *e) {
    return write_layout(frame, c, false, e) == 0 ? write_layout(frame, c, true, e) : -1;
}
