/* The settings of a picture of counts: sizes, axis, rows, legend; for a desk and for a phone. */
#include <math.h>
#include <string.h>

#include "report/counts.h"
#include "report/figures.h"
#include "report/plot_counts_parts.h"
#include "report/text.h"

#define LETTER_WIDTH 7.1
#define TOTAL_WIDTH  7.0 /* of a letter of a row's total, generously */
#define SUBTITLE_ROW 15
#define KEY_MARK     50
#define NAME_SIZE    (4 * PLOT_NAME_COLUMNS + 40)
#define ROOM_SIZE    64 /* for a total */

static void row_text(const struct count_record *r, char *out, size_t size) {
    char name[4 * PLOT_NAME_COLUMNS + 8];
    char level[32] = "";
    text_terminal(name, sizeof name, r->target, PLOT_NAME_COLUMNS, true);
    if (r->connections > 1) {
        snprintf(level, sizeof level, ", c=%d", r->connections);
    }
    const size_t used = strlen(level);
    if (r->pipeline > 1) {
        snprintf(level + used, sizeof level - used, ", p=%d", r->pipeline);
    }
    snprintf(out, size, "%s%s", name, level);
}

static double chars_of(const char *text) {
    double n = 0;
    for (; *text; text += text_char_len(text)) {
        n++;
    }
    return n;
}

static void put_text(FILE *f, const char *name, const char *text) {
    fprintf(f, "%s = ", name);
    text_gnuplot(f, text);
    fputc('\n', f);
}

/* "2,503", "2,503 (did not settle)", "n/a". */
static void total_text(const struct stack *s, const struct count_record *r, char *out,
                       size_t size) {
    const struct count_figure *v = &r->figure[s->kind];
    counts_value_text(out, size, s->kind, v->per_request);
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", v->state == COUNT_UNSETTLED ? " (did not settle)" : "");
}

/* Where the axis ends: every row has room for its total behind it. */
static double axis_end(const struct stack *s, double panel_width) {
    double end = stack_widest(s);
    for (size_t i = 0; i < s->c->count; i++) {
        const struct count_record *r = &s->c->record[i];
        char text[ROOM_SIZE];
        if (stack_has(s, r) && isfinite(r->figure[s->kind].per_request)) {
            total_text(s, r, text, sizeof text);
            const double room = (12 + TOTAL_WIDTH * chars_of(text)) / panel_width;
            end = fmax(end, r->figure[s->kind].per_request / (1 - fmin(room, 0.6)));
        }
    }
    return end;
}

/* A step of 1, 2 or 5 times a power of ten. */
static void put_axis(FILE *f, const struct stack *s, const struct canvas *v) {
    const double most = stack_widest(s);
    const double rough = most / (v->narrow ? 3 : 6);
    const double power = pow(10, floor(log10(rough)));
    const double step = power * (rough / power <= 1   ? 1
                                 : rough / power <= 2 ? 2
                                 : rough / power <= 5 ? 5
                                                      : 10);
    const int n = (int)floor(most / step) + 1;
    fprintf(f, "XMAX = %.10g\nXTICKS = %d\narray XTICK[%d]\narray XTEXT[%d]\n",
            axis_end(s, v->panel_width), n, n, n);
    for (int i = 0; i < n; i++) {
        char text[40];
        if (step >= 1) {
            figure_thousands(text, sizeof text, step * i);
        } else {
            snprintf(text, sizeof text, "%.*f", step >= 0.1 ? 1 : 2, step * i);
        }
        fprintf(f, "XTICK[%d] = %.10g; XTEXT[%d] = '%s'\n", i + 1, step * i, i + 1, text);
    }
}

static void put_rows(FILE *f, const struct stack *s) {
    const size_t n = stack_rows(s);
    size_t row = 0;
    fprintf(f, "RN = %zu\narray RTEXT[%zu]\narray RLABEL[%zu]\narray RTOTAL[%zu]\narray RX[%zu]\n",
            n, n, n, n, n);
    for (size_t i = 0; i < s->c->count; i++) {
        const struct count_record *r = &s->c->record[i];
        const double value = r->figure[s->kind].per_request;
        char text[NAME_SIZE];
        if (!stack_has(s, r)) {
            continue;
        }
        row++;
        row_text(r, text, sizeof text);
        fprintf(f, "RLABEL[%zu] = ", row);
        text_gnuplot(f, text);
        fprintf(f, "; RTEXT[%zu] = ", row);
        /* The text of a tick is a format to gnuplot. */
        for (char *p = text; *p; p++) {
            *p = *p == '%' ? ' ' : *p;
        }
        text_gnuplot(f, text);
        total_text(s, r, text, ROOM_SIZE);
        fprintf(f, "; RX[%zu] = %.10g; RTOTAL[%zu] = ", row, isfinite(value) ? value : 0, row);
        text_gnuplot(f, text);
        fputc('\n', f);
    }
}

static void put_key(FILE *f, const struct stack *s, const struct canvas *v, size_t i, double x,
                    int row) {
    fprintf(f,
            "KEYX[%zu] = %.1f; KEYY[%zu] = %d; KEYOF[%zu] = %zu; COLOR[%zu] = '%s'; "
            "WIDTH[%zu] = 10; DASH[%zu] = 1; QUIET[%zu] = 1; KEYTEXT[%zu] = ",
            i, x, i, v->height - v->legend_y - PLOT_LEGEND_ROW * row, i, i, i,
            s->slices.color[i - 1], i, i, i, i);
    text_gnuplot(f, s->slices.name[i - 1]);
    fputc('\n', f);
}

/* The legend, in rows from the left. Returns the rows it takes; f may be NULL. */
static int put_keys(FILE *f, const struct stack *s, const struct canvas *v) {
    const double left = v->narrow ? v->text_x : v->left;
    double x = left;
    int row = 0;
    static const char *const arrays[] = {"KEYX",  "KEYY",  "KEYTEXT", "KEYOF",
                                         "COLOR", "WIDTH", "DASH",    "QUIET"};
    if (f) {
        fprintf(f, "KEYS = %zu\n", s->slices.n);
    }
    for (size_t i = 0; f && i < sizeof arrays / sizeof arrays[0]; i++) {
        fprintf(f, "array %s[%zu]\n", arrays[i], s->slices.n);
    }
    for (size_t i = 0; i < s->slices.n; i++) {
        const double wide = KEY_MARK + LETTER_WIDTH * chars_of(s->slices.name[i]);
        if (x > left && x + wide > v->width - v->right) {
            x = left;
            row++;
        }
        if (f) {
            put_key(f, s, v, i + 1, x, row);
        }
        x += wide + 18;
    }
    return row + 1;
}

static double names_width(const struct stack *s) {
    double most = 0;
    for (size_t i = 0; i < s->c->count; i++) {
        char text[NAME_SIZE];
        if (stack_has(s, &s->c->record[i])) {
            row_text(&s->c->record[i], text, sizeof text);
            most = fmax(most, chars_of(text));
        }
    }
    return 28 + LETTER_WIDTH * most;
}

/* As canvas_of lays out rows. */
static struct canvas lay(const struct stack *s, const char *subtitle, bool narrow) {
    struct canvas v = {.columns = 1, .rows = 1, .narrow = narrow};
    char line[NAME_SIZE + 96];
    int lines = 0;
    v.text_x = narrow ? 8 : 16;
    v.right = narrow ? 16 : 24;
    v.left = narrow ? 16 : names_width(s);
    v.panel_width = narrow ? 344 - v.left - v.right : 620;
    v.width = (int)(v.left + v.panel_width + v.right);
    v.panel_height = 10 + (narrow ? 48.0 : 34.0) * (double)stack_rows(s);
    while (layout_next_line(&v, &subtitle, line, sizeof line)) {
        lines++;
    }
    v.legend_y = 66 + SUBTITLE_ROW * (lines > 1 ? lines - 1 : 0);
    v.head = v.legend_y - 8 + PLOT_LEGEND_ROW * put_keys(NULL, s, &v) + 8;
    v.height = (int)(v.head + v.panel_height + PLOT_MARGIN_BOTTOM);
    return v;
}

static void put_canvas(FILE *f, const struct canvas *v, const char *subtitle) {
    char line[NAME_SIZE + 96];
    int n = 0;
    fprintf(f,
            "NARROW = %d\nW = %d\nH = %d\nHEAD = %d\nLEFT = %.1f\nPANELW = %.1f\nPANELH = %.1f\n",
            v->narrow, v->width, v->height, v->head, v->left, v->panel_width, v->panel_height);
    fprintf(f,
            "COLUMNS = 1\nROWS = 1\nGAPX = 0\nGAPY = 0\nBOTTOM = %d\nTEXTX = %d\narray LINE[8]\n",
            PLOT_MARGIN_BOTTOM, v->text_x);
    while (n < 8 && layout_next_line(v, &subtitle, line, sizeof line)) {
        fprintf(f, "LINE[%d] = ", ++n);
        text_gnuplot(f, line);
        fputc('\n', f);
    }
    fprintf(f, "LINES = %d\n", n);
}

void stack_put_settings(FILE *f, const struct stack *s, bool narrow) {
    const bool instructions = s->kind == COUNT_INSTRUCTIONS;
    char text[NAME_SIZE];
    char subtitle[NAME_SIZE + 96];
    text_terminal(text, sizeof text, s->workload, PLOT_NAME_COLUMNS, true);
    snprintf(subtitle, sizeof subtitle, "%s: %s", text,
             instructions ? "user space, counted by callgrind; fewer is better"
                          : "counted by strace; fewer is better");
    const struct canvas v = lay(s, subtitle, narrow);
    fputs("# Settings of one plot, made by loopbench; plots/stack.gp of its sources reads them.\n",
          f);
    put_text(f, "PLOT", s->plot->name);
    put_text(f, "HEADING", s->plot->heading);
    put_text(f, "XLABEL", instructions ? "instructions per request" : "system calls per request");
    fputs("YLABEL = ''\nDOTS = 0\nMARKS = 0\nK = 1\n", f);
    put_canvas(f, &v, subtitle);
    put_axis(f, s, &v);
    put_rows(f, s);
    put_keys(f, s, &v);
}
