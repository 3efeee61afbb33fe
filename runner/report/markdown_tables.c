/* The tables of report.md: cells, and latencies in full. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/markdown_parts.h"

static void put_scaled(FILE *f, enum figure_id id, double v, const struct figure_scale *s) {
    if (id == FIG_RATE && s->decimals == 0) {
        char text[32];
        figure_thousands(text, sizeof text, v);
        fputs(text, f);
    } else {
        fprintf(f, "%.*f", s->decimals, v / s->divisor);
    }
}

void markdown_figure(FILE *f, const struct cell *cell, enum figure_id id) {
    const struct figure *figure = &cell->figure[id];
    char text[48];
    if (figure->missing[0]) {
        fputs("n/a", f);
        return;
    }
    if (id == FIG_RATE && cell->client == CLIENT_LIMITED) {
        fputs("≥ ", f);
    }
    figure_format(text, sizeof text, id, figure->s.median);
    fputs(text, f);
    /* A value that never moved needs no interval. */
    if (figure->s.k > 0 && figure->s.lo < figure->s.hi) {
        const struct figure_scale s = figure_scale(id, figure->s.median);
        fputs(" [", f);
        put_scaled(f, id, figure->s.lo, &s);
        fputs(", ", f);
        put_scaled(f, id, figure->s.hi, &s);
        fputs("]", f);
    }
}

static void put_count(FILE *f, int64_t v) {
    char text[32];
    if (v < 0) {
        fputs("n/a", f);
        return;
    }
    figure_thousands(text, sizeof text, (double)v);
    fputs(text, f);
}

static void put_row(FILE *f, const struct cells *c, const struct cell *cell) {
    static const enum figure_id ids[] = {FIG_CPU,  FIG_RATE,     FIG_P50,     FIG_P99,
                                         FIG_P999, FIG_RSS_IDLE, FIG_RSS_PEAK};
    fputs("| ", f);
    text_markdown(f, c->targets[cell->target].name);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        fputs(" | ", f);
        markdown_figure(f, cell, ids[i]);
    }
    fprintf(f, " | %d of %d | ", cell->measured - cell->failed, cell->planned);
    put_count(f, cell->errors);
    fputs(" | ", f);
    text_markdown(f, cell->flags);
    if (cell->client == CLIENT_LIMITED && !strstr(cell->flags, "client-limited")) {
        fprintf(f, "%sclient-limited", *cell->flags ? " " : "");
    }
    fputs(" |\n", f);
}

void markdown_tables(FILE *f, const struct cells *c, const char *workload) {
    for (size_t l = 0; l < c->level_count; l++) {
        char n[24];
        bool begun = false;
        figure_thousands(n, sizeof n, c->levels[l]);
        for (size_t t = 0; t < c->target_count; t++) {
            const struct cell *cell = cells_find(c, t, workload, c->levels[l]);
            if (cell && !begun) {
                fprintf(f,
                        "**%s connection%s**\n\n"
                        "| target | CPU per request | requests/s | p50 | p99 | p99.9 | memory idle "
                        "| memory peak | rounds | errors | flags |\n"
                        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
                        n, c->levels[l] == 1 ? "" : "s");
                begun = true;
            }
            if (cell) {
                put_row(f, c, cell);
            }
        }
        fputs(begun ? "\n" : "", f);
    }
}

void markdown_latency(FILE *f, const struct cells *c) {
    static const enum figure_id ids[] = {FIG_P50, FIG_CORRECTED_P50, FIG_P90,  FIG_CORRECTED_P90,
                                         FIG_P99, FIG_CORRECTED_P99, FIG_P999, FIG_CORRECTED_P999,
                                         FIG_MAX, FIG_CORRECTED_MAX};
    fputs(
        "## Latency, raw and corrected\n\n"
        "Raw is what was observed; corrected is back-filled for requests that a closed loop never "
        "sent while it waited (coordinated omission). In each cell of the table: raw / corrected, "
        "medians over rounds.\n\n"
        "| workload | connections | target | p50 | p90 | p99 | p99.9 | max |\n"
        "|---|--:|---|--:|--:|--:|--:|--:|\n",
        f);
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        fputs("| ", f);
        text_markdown(f, cell->workload);
        fprintf(f, " | %d | ", cell->connections);
        text_markdown(f, c->targets[cell->target].name);
        for (size_t k = 0; k < sizeof ids / sizeof ids[0]; k++) {
            char text[48];
            figure_format(text, sizeof text, ids[k], cell->figure[ids[k]].s.median);
            fprintf(f, "%s%s", k % 2 == 0 ? " | " : " / ", text);
        }
        fputs(" |\n", f);
    }
    fputc('\n', f);
}
