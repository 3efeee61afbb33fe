/* One picture of counts: what instructions or system calls of one request are made of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/counts.h"
#include "report/plot_counts_parts.h"
#include "report/text.h"

/* As in plot_style.c, but for the last, which is what is left. */
static const char *const colors[SLICES_MAX] = {"#0072B2", "#E69F00", "#009E73", "#D55E00",
                                               "#56B4E9", "#CC79A7", "#000000", "#7A5195"};
#define REST_COLOR "#B0B0B0"

bool stack_has(const struct stack *s, const struct count_record *r) {
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
            for (size_t k = 0; stack_has(s, r) && k < r->calls; k++) {
                bool taken = strcmp(r->call[k].name, "others") == 0;
                for (size_t t = 0; t < out->n && !taken; t++) {
                    taken = strcmp(out->name[t], r->call[k].name) == 0;
                }
                double sum = 0;
                for (size_t j = 0; j < s->c->count && !taken; j++) {
                    sum += stack_has(s, &s->c->record[j])
                               ? call_of(&s->c->record[j], r->call[k].name)
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

double stack_widest(const struct stack *s) {
    double most = 0;
    for (size_t i = 0; i < s->c->count; i++) {
        const struct count_figure *f = &s->c->record[i].figure[s->kind];
        most = stack_has(s, &s->c->record[i]) && isfinite(f->per_request)
                   ? fmax(most, f->per_request)
                   : most;
    }
    return most;
}

size_t stack_rows(const struct stack *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->c->count; i++) {
        n += stack_has(s, &s->c->record[i]);
    }
    return n;
}

static void put_data(FILE *f, const struct stack *s) {
    size_t row = stack_rows(s);
    fputs("# left right row colour\n", f);
    for (size_t i = 0; i < s->c->count; i++) {
        const struct count_record *r = &s->c->record[i];
        double at = 0;
        if (!stack_has(s, r)) {
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

static void put_wide(FILE *f, const struct stack *s) {
    stack_put_settings(f, s, false);
}

static void put_narrow(FILE *f, const struct stack *s) {
    stack_put_settings(f, s, true);
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
    if (!(stack_widest(&s) > 0)) {
        return 0;
    }
    if (kind == COUNT_INSTRUCTIONS) {
        choose_parts(&s.slices);
    } else {
        choose_calls(&s);
    }
    return write_part(put_data, &s, dir, "dat", e) == 0 &&
                   write_part(put_wide, &s, dir, "gp", e) == 0 &&
                   write_part(put_narrow, &s, dir, "narrow.gp", e) == 0
               ? 1
               : -1;
}
