/* The plots of a report, each with what it shows in words: for those who do not see it, and for all
 * others its numbers. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/page_parts.h"

#define GIST_MAX 1400

struct gist {
    char text[GIST_MAX];
    size_t used;
};

static void add(struct gist *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What does not fit is cut. */
static void add(struct gist *g, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(g->text + g->used, sizeof g->text - g->used, format, ap);
    va_end(ap);
    if (n > 0) {
        g->used += (size_t)n;
        g->used = g->used < sizeof g->text ? g->used : sizeof g->text - 1;
    }
}

static void add_level(struct gist *g, int level) {
    char n[24];
    figure_thousands(n, sizeof n, level);
    add(g, "%s connection%s", n, level == 1 ? "" : "s");
}

/* "At 500 connections: p99 libevent 1.2 ms, libuv 1.3 ms." at the highest level with that figure.
 */
static void add_figure(struct gist *g, const struct cells *c, const char *workload,
                       enum figure_id id) {
    for (size_t l = c->level_count; l-- > 0;) {
        size_t said = 0;
        for (size_t t = 0; t < c->target_count; t++) {
            const struct cell *cell = cells_find(c, t, workload, c->levels[l]);
            char name[4 * 32 + 8];
            char value[48];
            if (!cell || !isfinite(cell->figure[id].s.median)) {
                continue;
            }
            if (said++ == 0) {
                const char *title = figure_info(id)->title;
                const bool word = isalpha((unsigned char)title[1]) != 0;
                add(g, " %c%s at ", word ? toupper((unsigned char)*title) : *title, title + 1);
                add_level(g, c->levels[l]);
                add(g, ": ");
            }
            text_terminal(name, sizeof name, c->targets[t].name, 32, true);
            figure_format(value, sizeof value, id, cell->figure[id].s.median);
            add(g, "%s%s %s%s", said > 1 ? ", " : "", name,
                id == FIG_RATE && cell->client == CLIENT_LIMITED ? "≥ " : "", value);
        }
        if (said > 0) {
            add(g, ".");
            return;
        }
    }
}

static const char *word_of(enum verdict_kind kind, enum verdict_about about) {
    const char *word = verdict_word(kind, verdict_about_info(about)->metric);
    return word ? word : verdict_name(kind);
}

/* "CPU per request: 3 of 8 heavier, 2 equivalent." */
static void add_verdicts(struct gist *g, const struct report_parts *r, const struct plot *p,
                         enum verdict_about about) {
    static const enum verdict_kind kinds[] = {VERDICT_HIGHER,         VERDICT_LOWER,
                                              VERDICT_EQUIVALENT,     VERDICT_NO_DIFFERENCE,
                                              VERDICT_CLIENT_LIMITED, VERDICT_INSUFFICIENT};
    bool any = false;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        size_t n = 0;
        size_t fragile = 0;
        for (size_t i = 0; i < r->verdicts->count; i++) {
            struct plot_ratio ratio;
            if (plot_ratio_of(&r->verdicts->row[i], r->verdicts, &ratio) &&
                r->verdicts->row[i].about == about &&
                strcmp(r->verdicts->row[i].a->workload, p->workload) == 0) {
                n += ratio.kind == kinds[k];
                fragile += ratio.kind == kinds[k] && ratio.fragile;
            }
        }
        if (n > 0) {
            add(g, "%s%zu %s",
                any                  ? ", "
                : about == ABOUT_CPU ? " CPU per request: "
                                     : " Throughput: ",
                n, word_of(kinds[k], about));
            if (fragile > 0) {
                add(g, " (%zu fragile)", fragile);
            }
            any = true;
        }
    }
    add(g, any ? "." : "");
}

static void describe(struct gist *g, const struct report_parts *r, const struct plot *p) {
    const struct cells *c = r->cells;
    switch (p->kind) {
    case PLOT_RATIOS: {
        char name[4 * 32 + 8];
        text_terminal(name, sizeof name, c->targets[plot_ratio_baseline(r->verdicts)].name, 32,
                      true);
        add(g,
            "What each target needs and gives against %s, with the interval its verdict rests on; "
            "the band is %.3g%% either way. Hollow and grey: the load generator was the limit. "
            "Dashed: fragile, the exact signed-rank test disagrees with the interval.",
            name, 100 * r->verdicts->rule.margin);
        add_verdicts(g, r, p, ABOUT_CPU);
        add_verdicts(g, r, p, ABOUT_RATE);
        return;
    }
    case PLOT_CPU:
        add(g, "Lower is better.");
        add_figure(g, c, p->workload, FIG_CPU);
        return;
    case PLOT_RATE:
        add(g, "Higher is better.");
        add_figure(g, c, p->workload, FIG_RATE);
        return;
    case PLOT_ROUNDS_CPU:
    case PLOT_ROUNDS_RATE:
        if (c->rounds == 1) {
            add(g, "One round, one point: how much another would differ is not known.");
            return;
        }
        add(g,
            "Every round is a point, the first at the bottom of its strip and the last at the "
            "top; the line is the median%s. A slope or a step is the machine's drift. A cross is a "
            "round in which the machine was disturbed: the median holds it, no verdict rests on "
            "it.",
            c->rounds >= ORDER_MIN_N ? ", the box its 95% interval" : "");
        return;
    case PLOT_LATENCY:
        add(g, "Lower is better.");
        add_figure(g, c, p->workload, FIG_P50);
        add_figure(g, c, p->workload, FIG_P99);
        return;
    case PLOT_PERCENTILES:
        add(g,
            "How latency grows towards the slowest requests; each step to the right is ten times "
            "rarer.");
        add_figure(g, c, p->workload, FIG_P999);
        return;
    case PLOT_MEMORY:
        add_figure(g, c, p->workload, FIG_RSS_IDLE);
        add_figure(g, c, p->workload, FIG_RSS_PEAK);
        return;
    case PLOT_MEMORY_TIME:
        add(g,
            "Resident memory of the server while the measured window runs: median over rounds%s.",
            c->rounds >= ORDER_MIN_N ? ", shaded its 95% interval" : "");
        return;
    case PLOT_COUNT:
        return;
    }
}

void page_plots(struct doc *d, const struct report_parts *r, const char *workload) {
    for (size_t i = 0; i < r->plots->count; i++) {
        const struct plot *p = &r->plots->plot[i];
        if (strcmp(p->workload, workload) == 0) {
            struct gist g = {.used = 0};
            g.text[0] = '\0';
            describe(&g, r, p);
            doc_picture(d, p, g.text[0] == ' ' ? g.text + 1 : g.text);
        }
    }
}
