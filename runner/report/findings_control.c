/* In which cells the A/A control was judged, and what rests on none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_parts.h"

#define CELLS_NAMED 12 /* in one sentence */

/* One workload at one number of connections: what every figure has one control row of, or none. */
struct place {
    const char *workload;
    int connections;
};

static struct place place_at(const struct cells *c, size_t i) {
    return (struct place){c->workloads[i / c->level_count], c->levels[i % c->level_count]};
}

static size_t place_count(const struct cells *c) {
    return c->workload_count * c->level_count;
}

static bool is_at(const struct verdict_row *r, enum verdict_about about, struct place p) {
    return r->about == about && r->a->connections == p.connections &&
           strcmp(r->a->workload, p.workload) == 0;
}

static const struct verdict_row *control_at(const struct verdicts *v, enum verdict_about about,
                                            struct place p) {
    for (size_t i = v->pair_count; i < v->count; i++) {
        if (is_at(&v->row[i], about, p)) {
            return &v->row[i];
        }
    }
    return NULL;
}

static bool says_something(const struct verdict_row *r) {
    return r->gated.kind != VERDICT_INSUFFICIENT && r->gated.kind != VERDICT_CLIENT_LIMITED;
}

/* Does a pair have a verdict there? */
static bool has_verdict(const struct verdicts *v, enum verdict_about about, struct place p) {
    for (size_t i = 0; i < v->pair_count; i++) {
        if (is_at(&v->row[i], about, p) && says_something(&v->row[i])) {
            return true;
        }
    }
    return false;
}

/* Why the control has none, as bits: it was not measured, was limited, has too few blocks. */
enum { WHY_ABSENT = 1, WHY_LIMITED = 2, WHY_FEW = 4 };

static unsigned char why_unjudged(const struct verdict_row *r) {
    if (!r || (r->gated.pairs.valid + r->invalid_blocks + r->few_blocks == 0 && !r->missing[0])) {
        return WHY_ABSENT;
    }
    if (verdict_row_limited(r)) {
        return WHY_LIMITED;
    }
    return r->gated.kind == VERDICT_INSUFFICIENT ? WHY_FEW : 0;
}

/* "hello at 10 and 500 connections; big at 1 connection", of the places marked. */
static void put_places(struct maker *m, const unsigned char *marked) {
    const struct cells *c = m->v->cells;
    int *levels = calloc(c->level_count + 1, sizeof *levels);
    size_t left = CELLS_NAMED;
    size_t more = 0;
    bool first = true;
    m->failed = m->failed || !levels;
    for (size_t w = 0; levels && w < c->workload_count; w++) {
        size_t n = 0;
        for (size_t l = 0; l < c->level_count; l++) {
            const bool named = marked[w * c->level_count + l] != 0;
            more += named && left == 0;
            if (named && left > 0) {
                levels[n++] = c->levels[l];
                left--;
            }
        }
        if (n > 0) {
            fprintf(m->say.f, "%s%s at ", first ? "" : "; ", c->workloads[w]);
            maker_levels(m->say.f, levels, n);
            first = false;
        }
    }
    if (more > 0) {
        fprintf(m->say.f, " and in %zu more cell%s", more, more == 1 ? "" : "s");
    }
    free(levels);
}

static void put_why(FILE *f, const unsigned char *marked, size_t n) {
    static const char *const words[] = {"it was not measured", "the load generator limited it",
                                        "too few of its blocks count"};
    unsigned why = 0;
    const char *sep = "";
    for (size_t i = 0; i < n; i++) {
        why |= marked[i];
    }
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if ((why & 1U << k) != 0) {
            fprintf(f, "%s%s", sep, words[k]);
            sep = " or ";
        }
    }
}

/* Figures whose marks are the same, from `first` on, share a sentence; they are taken off. */
static void say_unjudged(struct maker *m, unsigned char *const marks[], bool open[], int first) {
    const size_t n = place_count(m->v->cells);
    int last = first;
    if (!maker_begin(m)) {
        return;
    }
    for (int k = first; k < ABOUT_COUNT; k++) {
        last = open[k] && memcmp(marks[first], marks[k], n) == 0 ? k : last;
    }
    fputs("The A/A control was not judged in ", m->say.f);
    for (int k = first; k <= last; k++) {
        if (open[k] && memcmp(marks[first], marks[k], n) == 0) {
            fprintf(m->say.f, "%s%s",
                    k == first  ? ""
                    : k == last ? " and "
                                : ", ",
                    verdict_about_info((enum verdict_about)k)->title);
            open[k] = false;
        }
    }
    fputs(" in ", m->say.f);
    put_places(m, marks[first]);
    fputs(" (", m->say.f);
    put_why(m->say.f, marks[first], n);
    fputs("): findings there rest on no control.", m->say.f);
    maker_caution(m);
}

void findings_caution_control(struct maker *m) {
    const struct verdicts *v = m->v;
    const size_t n = place_count(v->cells);
    unsigned char *room = calloc(ABOUT_COUNT * n + 1, 1);
    unsigned char *marks[ABOUT_COUNT] = {NULL};
    bool open[ABOUT_COUNT] = {false};
    m->failed = m->failed || !room;
    /* Of a run without a judged control the header says so. */
    const bool judged = m->f->validity != FINDINGS_NOT_JUDGED;
    for (int k = 0; room && judged && k < ABOUT_COUNT; k++) {
        const enum verdict_about about = (enum verdict_about)k;
        marks[k] = room + (size_t)k * n;
        for (size_t i = 0; i < n; i++) {
            const struct place p = place_at(v->cells, i);
            marks[k][i] = has_verdict(v, about, p) ? why_unjudged(control_at(v, about, p)) : 0;
            open[k] = open[k] || marks[k][i] != 0;
        }
    }
    for (int k = 0; k < ABOUT_COUNT; k++) {
        if (open[k]) {
            say_unjudged(m, marks, open, k);
        }
    }
    free(room);
}

/* "7.7% of CPU per request in the worst cell (hello, 500 connections), 3.2% in the median one of
 * the 2 of 3 cells whose control was judged (hello at 10 and 500 connections)" */
static void put_resolution(struct maker *m, enum verdict_about about) {
    const struct verdicts *v = m->v;
    const struct aa *g = &v->aa[about].gated;
    const size_t n = place_count(v->cells);
    const size_t cells = findings_control_cells(v, about);
    FILE *f = m->say.f;
    fprintf(f, "%.1f%% of %s in ", 100 * g->resolution_worst, verdict_about_info(about)->title);
    if (g->judged > 1) {
        fputs("the worst cell (", f);
        maker_cell(f, v->aa[about].worst->a);
        fprintf(f, "), %.1f%% in the median one of ", 100 * g->resolution);
    }
    if (g->judged == cells) {
        fprintf(f, g->judged > 1 ? "%zu" : "%zu cell", g->judged);
    } else {
        fprintf(f, "the %zu of %zu cells whose control was judged", g->judged, cells);
    }
    unsigned char *marked = calloc(n + 1, 1);
    m->failed = m->failed || !marked;
    for (size_t i = 0; marked && i < n; i++) {
        const struct verdict_row *r = control_at(v, about, place_at(v->cells, i));
        marked[i] = r && why_unjudged(r) == 0;
    }
    if (marked && (g->judged < cells || g->judged == 1)) {
        fputs(" (", f);
        put_places(m, marked);
        fputc(')', f);
    }
    free(marked);
}

void findings_say_resolution(struct maker *m) {
    const char *sep = "";
    for (int k = 0; k < ABOUT_POOLED_COUNT; k++) {
        if (m->v->aa[k].gated.judged == 0) {
            continue;
        }
        if (!*sep && !maker_begin(m)) {
            return;
        }
        fputs(sep, m->say.f);
        put_resolution(m, (enum verdict_about)k);
        sep = "; ";
    }
    if (*sep) {
        fputs(". Where a cell resolves no better, this run cannot be expected to show a smaller "
              "difference.",
              m->say.f);
        m->f->resolution_text = maker_take(m);
    }
}
