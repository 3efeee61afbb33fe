/* One picture of counts, for a desk and for a phone: what instructions or system calls of one
 * request are made of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/counts.h"
#include "report/figures.h"
#include "report/plot_parts.h"
#include "report/text.h"

#define SLICES_MAX   8 /* of a row; what is left is one more */
#define ROW_HEIGHT   34.0
#define PANEL_WIDTH  620.0
#define NARROW_WIDTH 344 /* as in plot_layout.c */
#define NARROW_EDGE  8
#define NARROW_ROW   46.0 /* the name stands above its row */
#define LETTER_WIDTH 7.1
#define KEY_ROW      22
#define KEY_MARK     50
#define BOTTOM       58
#define TICKS_WANTED 6
#define NARROW_TICKS 3
#define NAME_SIZE    (4 * PLOT_NAME_COLUMNS + 40)

/* The slices of one plot, in the order they are drawn. */
struct slices {
    const char *name[SLICES_MAX + 1];
    const char *color[SLICES_MAX + 1];
    size_t n;
};

struct stack {
    const struct counts *c;
    const char *workload;
    enum count_kind kind;
    struct slices slices;
    const struct plot *plot;
    bool narrow; /* for a phone */
};

/* As in plot_style.c, but for the last, which is what is left. */
static const char *const colors[SLICES_MAX] = {"#0072B2", "#E69F00", "#009E73", "#D55E00",
                                               "#56B4E9", "#CC79A7", "#000000", "#7A5195"};
#define REST_COLOR "#B0B0B0"

static bool is_row(const struct stack *s, const struct count_record *r) {
    return strcmp(r->workload, s->workload) == 0;
}

static double call_of(const struct count_record *r, const char *name) {
    for (size_t i = 0; i < r->calls; i++) {
        if (strcmp(r->call[i].name, name) == 0) {
            return r->call[i].per_request;
        }
    }
    return 0;
}

static void choose_parts(struct slices *out) {
    for (int p = 0; p < COUNT_PARTS; p++) {
        out->name[p] = count_part_name((enum count_part)p);
        out->color[p] = p == PART_OTHER ? REST_COLOR : colors[p];
    }
    out->n = COUNT_PARTS;
}

/* The calls that are most frequent over all rows. */
static void choose_calls(struct stack *s) {
    struct slices *out = &s->slices;
    while (out->n < SLICES_MAX) {
        const char *best = NULL;
        double most = 0;
        for (size_t i = 0; i < s->c->count; i++) {
            const struct count_record *r = &s->c->record[i];
            for (size_t k = 0; is_row(s, r) && k < r->calls; k++) {
                bool taken = strcmp(r->call[k].name, "others") == 0;
                for (size_t t = 0; t < out->n && !taken; t++) {
                    taken = strcmp(out->name[t], r->call[k].name) == 0;
                }
                double sum = 0;
                for (size_t j = 0; j < s->c->count && !taken; j++) {
                    sum += is_row(s, &s->c->record[j]) ? call_of(&s->c->record[j], r->call[k].name)
                                                       : 0;
                }
                best = sum > most ? r->call[k].name : best;
                most = fmax(most, sum);
            }
        }
        if (!best) {
            return;
        }
        out->color[out->n] = colors[out->n];
        out->name[out->n++] = best;
    }
    out->name[out->n] = "others";
    out->color[out->n++] = REST_COLOR;
}

static double slice_of(const struct stack *s, const struct count_record *r, size_t i) {
    if (s->kind == COUNT_INSTRUCTIONS) {
        return r->part[i];
    }
    if (strcmp(s->slices.name[i], "others") != 0) {
        return call_of(r, s->slices.name[i]);
    }
    double rest = r->figure[COUNT_SYSCALLS].per_request;
    for (size_t k = 0; k < i; k++) {
        rest -= call_of(r, s->slices.name[k]);
    }
    return rest > 0.005 ? rest : 0;
}

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

static double widest(const struct stack *s) {
    double most = 0;
    for (size_t i = 0; i < s->c->count; i++) {
        const struct count_figure *f = &s->c->record[i].figure[s->kind];
        most = is_row(s, &s->c->record[i]) && isfinite(f->per_request) ? fmax(most, f->per_request)
                                                                       : most;
    }
    return most;
}

static size_t row_count(const struct stack *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->c->count; i++) {
        n += is_row(s, &s->c->record[i]);
    }
    return n;
}

static void put_text(FILE *f, const char *name, const char *text) {
    fprintf(f, "%s = ", name);
    text_gnuplot(f, text);
    fputc('\n', f);
}

static void total_text(char *out, size_t size, const struct stack *s,
                       const struct count_record *r) {
    const struct count_figure *v = &r->figure[s->kind];
    counts_value_text(out, size, s->kind, v->per_request);
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", v->state == COUNT_UNSETTLED ? " (did not settle)" : "");
}

/* The width of the longest total, for which there has to be room behind the longest row. */
static double total_room(const struct stack *s) {
    double most = 0;
    for (size_t i = 0; i < s->c->count; i++) {
        char text[NAME_SIZE];
        if (is_row(s, &s->c->record[i])) {
            total_text(text, sizeof text, s, &s->c->record[i]);
            most = fmax(most, chars_of(text));
        }
    }
    return LETTER_WIDTH * most + 12;
}

/* A step of 1, 2 or 5 times a power of ten. */
static void put_axis(FILE *f, const struct stack *s, double panel) {
    const double most = widest(s);
    const double rough = most / (s->narrow ? NARROW_TICKS : TICKS_WANTED);
    const double power = pow(10, floor(log10(rough)));
    const double step = power * (rough / power <= 1   ? 1
                                 : rough / power <= 2 ? 2
                                 : rough / power <= 5 ? 5
                                                      : 10);
    const int n = (int)floor(most / step) + 1;
    fprintf(f, "XMAX = %.10g\nXTICKS = %d\narray XTICK[%d]\narray XTEXT[%d]\n",
            most * panel / (panel - total_room(s)), n, n, n);
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
    const size_t n = row_count(s);
    size_t row = 0;
    fprintf(f, "RN = %zu\narray RTEXT[%zu]\narray RTOTAL[%zu]\narray RX[%zu]\n", n, n, n, n);
    for (size_t i = 0; i < s->c->count; i++) {
        const struct count_record *r = &s->c->record[i];
        const struct count_figure *v = &r->figure[s->kind];
        char text[NAME_SIZE];
        if (!is_row(s, r)) {
            continue;
        }
        row++;
        row_text(r, text, sizeof text);
        fprintf(f, "RTEXT[%zu] = ", row);
        /* The text of a tick is a format to gnuplot. */
        for (char *p = text; *p; p++) {
            *p = *p == '%' ? ' ' : *p;
        }
        text_gnuplot(f, text);
        total_text(text, sizeof text, s, r);
        fprintf(f, "; RX[%zu] = %.10g; RTOTAL[%zu] = ", row,
                isfinite(v->per_request) ? v->per_request : 0, row);
        text_gnuplot(f, text);
        fputc('\n', f);
    }
}

/* The legend, in rows from the left. Returns the rows it takes; f may be NULL. */
static int put_keys(FILE *f, const struct stack *s, double left, int width, int height) {
    double x = left;
    int row = 0;
    if (f) {
        const size_t n = s->slices.n;
        static const char *const arrays[] = {"KEYX",  "KEYY",  "KEYTEXT", "KEYOF",
                                             "COLOR", "WIDTH", "DASH",    "QUIET"};
        fprintf(f, "KEYS = %zu\n", n);
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
            fprintf(f, "array %s[%zu]\n", arrays[i], n);
        }
    }
    for (size_t i = 0; i < s->slices.n; i++) {
        const double wide = KEY_MARK + LETTER_WIDTH * chars_of(s->slices.name[i]) + 18;
        if (x > left && x + wide > width - 24) {
            x = left;
            row++;
        }
        if (f) {
            fprintf(f,
                    "KEYX[%zu] = %.1f; KEYY[%zu] = %d; KEYOF[%zu] = %zu; COLOR[%zu] = '%s'; "
                    "WIDTH[%zu] = 10; DASH[%zu] = 1; QUIET[%zu] = 1; KEYTEXT[%zu] = ",
                    i + 1, x, i + 1, height - 66 - KEY_ROW * row, i + 1, i + 1, i + 1,
                    s->slices.color[i], i + 1, i + 1, i + 1, i + 1);
            text_gnuplot(f, s->slices.name[i]);
            fputc('\n', f);
        }
        x += wide;
    }
    return row + 1;
}

/* The room for the names of rows, left of them. */
static double name_room(const struct stack *s) {
    double most = 0;
    char text[NAME_SIZE];
    for (size_t i = 0; i < s->c->count; i++) {
        if (is_row(s, &s->c->record[i])) {
            row_text(&s->c->record[i], text, sizeof text);
            most = fmax(most, chars_of(text));
        }
    }
    return 28 + LETTER_WIDTH * most;
}

static void put_frame(FILE *f, const struct stack *s) {
    const double left = s->narrow ? 2 * NARROW_EDGE : name_room(s);
    const double text_x = s->narrow ? NARROW_EDGE : 16;
    const double keys_x = s->narrow ? NARROW_EDGE : left;
    const int width = s->narrow ? NARROW_WIDTH : (int)(left + PANEL_WIDTH + 24);
    const double panel_width = s->narrow ? width - 2 * left : PANEL_WIDTH;
    const double panel = 10 + (s->narrow ? NARROW_ROW : ROW_HEIGHT) * (double)row_count(s);
    const int head = 58 + KEY_ROW * put_keys(NULL, s, keys_x, width, 0) + 8;
    const int height = (int)(head + panel + BOTTOM);
    fprintf(f, "NARROW = %d\nW = %d\nH = %d\nHEAD = %d\nTEXTX = %.1f\n", s->narrow, width, height,
            head, text_x);
    fprintf(f, "LEFT = %.1f\nPANELW = %.1f\nPANELH = %.1f\n", left, panel_width, panel);
    put_axis(f, s, panel_width);
    put_keys(f, s, keys_x, width, height);
}

static void put_settings(FILE *f, const struct stack *s) {
    char text[NAME_SIZE];
    char subtitle[NAME_SIZE + 96];
    text_terminal(text, sizeof text, s->workload, PLOT_NAME_COLUMNS, true);
    snprintf(subtitle, sizeof subtitle, "%s: %s", text,
             s->kind == COUNT_INSTRUCTIONS ? "user space, by callgrind; fewer is better"
                                           : "by strace; fewer is better");
    fputs("# Settings of one plot, made by loopbench; plots/stack.gp of its sources reads them.\n",
          f);
    put_text(f, "PLOT", s->plot->name);
    put_text(f, "HEADING", s->plot->heading);
    fputs("LINES = 1\narray LINE[1]\n", f);
    put_text(f, "LINE[1]", subtitle);
    put_text(f, "XLABEL",
             s->kind == COUNT_INSTRUCTIONS ? "instructions per request"
                                           : "system calls per request");
    fprintf(f,
            "YLABEL = ''\nBOTTOM = %d\nDOTS = 0\nMARKS = 0\nCOLUMNS = 1\nROWS = 1\nK = 1\n"
            "GAPX = 0\nGAPY = 0\n",
            BOTTOM);
    put_rows(f, s);
    put_frame(f, s);
}

static void put_data(FILE *f, const struct stack *s) {
    size_t row = row_count(s);
    fputs("# left right row colour\n", f);
    for (size_t i = 0; i < s->c->count; i++) {
        const struct count_record *r = &s->c->record[i];
        double at = 0;
        if (!is_row(s, r)) {
            continue;
        }
        for (size_t k = 0; k < s->slices.n; k++) {
            const double v = r->figure[s->kind].state == COUNT_MISSING ? 0 : slice_of(s, r, k);
            if (v > 0) {
                fprintf(f, "%.10g %.10g %zu %ld\n", at, at + v, row,
                        strtol(s->slices.color[k] + 1, NULL, 16));
                at += v;
            }
        }
        row--;
    }
}

static int write_part(void (*put)(FILE *f, const struct stack *s), const struct stack *s,
                      const char *dir, const char *ending, struct err *e) {
    struct text_file t;
    char name[128];
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    put(t.f, s);
    snprintf(name, sizeof name, "plots/data/%s.%s", s->plot->name, ending);
    return text_end(&t, dir, name, e);
}

int plot_write_stack(const struct plot *p, const struct counts *c, enum count_kind kind,
                     const char *dir, struct err *e) {
    struct stack s = {.c = c, .workload = p->workload, .kind = kind, .plot = p};
    if (!(widest(&s) > 0)) {
        return 0;
    }
    if (kind == COUNT_INSTRUCTIONS) {
        choose_parts(&s.slices);
    } else {
        choose_calls(&s);
    }
    if (write_part(put_data, &s, dir, "dat", e) != 0 ||
        write_part(put_settings, &s, dir, "gp", e) != 0) {
        return -1;
    }
    s.narrow = true;
    return write_part(put_frame, &s, dir, "narrow.gp", e) == 0 ? 1 : -1;
}
