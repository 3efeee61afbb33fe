/* The tables of a report: cells, and latencies in full. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page_parts.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void scaled(char *out, size_t size, enum figure_id id, double v,
                   const struct figure_scale *s) {
    if (id == FIG_RATE && s->decimals == 0) {
        figure_thousands(out, size, v);
    } else {
        snprintf(out, size, "%.*f", s->decimals, v / s->divisor);
    }
}

static struct doc_value value_of(const struct cell *cell, enum figure_id id) {
    const struct order_summary *s = &cell->figure[id].s;
    return (struct doc_value){figure_info(id)->key, s->median, s->lo, s->hi};
}

void page_figure(struct doc *d, const struct cell *cell, enum figure_id id) {
    const struct figure *figure = &cell->figure[id];
    const struct doc_value value = value_of(cell, id);
    char text[48];
    doc_cell_value(d, &value);
    if (figure->missing[0]) {
        doc_say(d, "n/a");
        return;
    }
    if (id == FIG_RATE && cell->client == CLIENT_LIMITED) {
        doc_say(d, "≥ ");
    }
    figure_format(text, sizeof text, id, figure->s.median);
    doc_say(d, "%s", text);
    if (figure_info(id)->kind == UNIT_BYTES && *cell->memory_kind &&
        strcmp(cell->memory_kind, "rss") != 0) {
        doc_say(d, strcmp(cell->memory_kind, "pss") == 0 ? " PSS" : " RSS or PSS");
    }
    /* A value that never moved needs no interval. */
    if (figure->s.k > 0 && figure->s.lo < figure->s.hi) {
        const struct figure_scale s = figure_scale(id, figure->s.median);
        char lo[32];
        char hi[32];
        scaled(lo, sizeof lo, id, figure->s.lo, &s);
        scaled(hi, sizeof hi, id, figure->s.hi, &s);
        doc_interval(d, "[%s, %s]", lo, hi);
    }
}

static void put_count(struct doc *d, int64_t v) {
    char text[32] = "n/a";
    if (v >= 0) {
        figure_thousands(text, sizeof text, (double)v);
    }
    doc_cell(d);
    doc_say(d, "%s", text);
}

/* Who set the throughput, among the flags: said unless it was the server, or was flagged before. */
static void put_client(struct doc *d, const struct cells *c, const struct cell *cell) {
    const bool null = c->targets[cell->target].role == ROLE_NULL;
    char word[32];
    snprintf(word, sizeof word, "client-%s", client_state_name(cell->client));
    if (cell->client == CLIENT_FREE || cell->measured == cell->failed ||
        (null && cell->client == CLIENT_UNKNOWN) || strstr(cell->flags, word)) {
        return;
    }
    doc_say(d, "%s%s", *cell->flags ? " " : "", word);
}

/* Rounds that gave figures; of those, where they differ, the ones a verdict may rest on. */
static void put_rounds(struct doc *d, const struct cells *c, const struct cell *cell) {
    int valid = 0;
    for (size_t i = 0; i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        valid += r && r->status == TRIAL_OK && !verdict_trial_invalid(r);
    }
    doc_cell(d);
    doc_say(d, "%d of %d", cell->measured - cell->failed, cell->planned);
    if (valid < cell->measured - cell->failed) {
        doc_say(d, ", %d valid", valid);
    }
}

static void put_row(struct doc *d, const struct cells *c, const struct cell *cell) {
    static const enum figure_id ids[] = {FIG_CPU,  FIG_RATE,     FIG_P50,     FIG_P99,
                                         FIG_P999, FIG_RSS_IDLE, FIG_RSS_PEAK};
    const char *name = c->targets[cell->target].name;
    const struct doc_row row = {
        .workload = cell->workload, .connections = cell->connections, .a = name};
    doc_row(d, &row);
    doc_cell(d);
    doc_name(d, name);
    for (size_t i = 0; i < COUNT(ids); i++) {
        page_figure(d, cell, ids[i] == FIG_P999 && c->counts ? FIG_DURATION : ids[i]);
    }
    put_rounds(d, c, cell);
    put_count(d, cell->errors);
    doc_cell(d);
    doc_name(d, cell->flags);
    put_client(d, c, cell);
    doc_row_end(d);
}

#define CELL_COLUMNS(tail)                                                                         \
    {                                                                                              \
        {"target", DOC_NAME}, {"CPU per request", DOC_NUMBER}, {"requests/s", DOC_NUMBER},         \
            {"p50", DOC_NUMBER}, {"p99", DOC_NUMBER}, {tail, DOC_NUMBER},                          \
            {"memory idle", DOC_NUMBER}, {"memory peak", DOC_NUMBER}, {"rounds", DOC_NUMBER},      \
            {"errors", DOC_NUMBER}, {"flags", DOC_TEXT},                                           \
    }

static const struct doc_column cell_columns[] = CELL_COLUMNS("p99.9");
/* So many requests have no p99.9 to speak of; they have a time. */
static const struct doc_column counted_columns[] = CELL_COLUMNS("time");

void page_tables(struct doc *d, const struct cells *c, const char *workload) {
    for (size_t l = 0; l < c->level_count; l++) {
        char n[24];
        char heading[64];
        bool begun = false;
        figure_thousands(n, sizeof n, c->levels[l]);
        snprintf(heading, sizeof heading, "%s connection%s", n, c->levels[l] == 1 ? "" : "s");
        for (size_t t = 0; t < c->target_count; t++) {
            const struct cell *cell = cells_find(c, t, workload, c->levels[l]);
            if (cell && !begun) {
                doc_whole(d, DOC_SMALL, NULL, heading);
                doc_table(d, heading, c->counts ? counted_columns : cell_columns,
                          COUNT(cell_columns));
                begun = true;
            }
            if (cell) {
                put_row(d, c, cell);
            }
        }
        if (begun) {
            doc_table_end(d);
        }
    }
}

static const struct doc_column latency_columns[] = {
    {"target", DOC_NAME},
    {"workload", DOC_TEXT},
    {"connections", DOC_NUMBER},
    {"p50", DOC_NUMBER},
    {"p50 corrected", DOC_NUMBER},
    {"p90", DOC_NUMBER},
    {"p90 corrected", DOC_NUMBER},
    {"p99", DOC_NUMBER},
    {"p99 corrected", DOC_NUMBER},
    {"p99.9", DOC_NUMBER},
    {"p99.9 corrected", DOC_NUMBER},
    {"max", DOC_NUMBER},
    {"max corrected", DOC_NUMBER},
};

void page_latency(struct doc *d, const struct cells *c) {
    static const enum figure_id ids[] = {FIG_P50, FIG_CORRECTED_P50, FIG_P90,  FIG_CORRECTED_P90,
                                         FIG_P99, FIG_CORRECTED_P99, FIG_P999, FIG_CORRECTED_P999,
                                         FIG_MAX, FIG_CORRECTED_MAX};
    doc_whole(d, DOC_SECTION, "latency", "Latency, raw and corrected");
    doc_whole(
        d, DOC_PARAGRAPH, NULL,
        "Raw is what was observed; corrected is back-filled for requests that a closed loop never "
        "sent while it waited (coordinated omission). What is filled in is shorter than the wait "
        "that it stands for: where "
        "most of it falls below a percentile, that comes out lower than raw. Medians over rounds.");
    doc_table(d, "Latency, raw and corrected", latency_columns, COUNT(latency_columns));
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        const char *name = c->targets[cell->target].name;
        const struct doc_row row = {
            .workload = cell->workload, .connections = cell->connections, .a = name};
        doc_row(d, &row);
        doc_cell(d);
        doc_name(d, name);
        doc_cell(d);
        doc_name(d, cell->workload);
        doc_cell(d);
        doc_say(d, "%d", cell->connections);
        for (size_t k = 0; k < COUNT(ids); k++) {
            const struct doc_value value = value_of(cell, ids[k]);
            char text[48];
            figure_format(text, sizeof text, ids[k], value.value);
            doc_cell_value(d, &value);
            doc_say(d, "%s", text);
        }
        doc_row_end(d);
    }
    doc_table_end(d);
}
