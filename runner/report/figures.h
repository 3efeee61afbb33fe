/* figures.h — the figures of a cell: one table drives tables, CSV, JSON and plots. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "store/record.h"

enum figure_id {
    FIG_RATE,
    FIG_CPU,
    FIG_P50,
    FIG_P90,
    FIG_P99,
    FIG_P999,
    FIG_MAX,
    FIG_CORRECTED_P50,
    FIG_CORRECTED_P90,
    FIG_CORRECTED_P99,
    FIG_CORRECTED_P999,
    FIG_CORRECTED_MAX,
    FIG_RSS_IDLE,
    FIG_RSS_LOADED,
    FIG_RSS_PEAK,
    FIG_DURATION, /* of a window; where requests are counted, what they took */
    FIG_COUNT
};

enum figure_unit { UNIT_PER_SECOND, UNIT_CPU_US, UNIT_LATENCY_US, UNIT_BYTES };

struct figure_info {
    const char *key;   /* in CSV and JSON, unit included: cpu_us_per_request */
    const char *title; /* for people: "server CPU per request" */
    const char *unit;  /* "µs" */
    double quantile;   /* of a latency percentile; 0 for all others */
    enum figure_unit kind;
    bool higher_better; /* only throughput */
    bool corrected;     /* a latency from the corrected histogram */
};

const struct figure_info *figure_info(enum figure_id id);

/* Whether the memory of a trial is given as PSS: its target ran several processes, and PSS could be
 * read. */
bool figure_is_pss(const struct trial_record *r);

/* What the memory of a trial is: "pss", "rss", or "" where it has none. */
const char *figure_memory_kind(const struct trial_record *r);

/* The figure of one trial; NaN when unknown. */
double figure_value(const struct trial_record *r, enum figure_id id);

/* How values near `value` are written: divided by `divisor`, with `decimals`, followed by `unit`,
 * so that a median and the ends of its interval share one unit. */
struct figure_scale {
    double divisor;
    int decimals;
    const char *unit; /* "" for throughput, whose unit stands in the heading */
};

struct figure_scale figure_scale(enum figure_id id, double value);

/* "6.71 µs", "1.23 ms", "125,431", "4.2 MiB"; "n/a" for NaN. */
void figure_format(char *out, size_t size, enum figure_id id, double value);

/* A whole number with its thousands set apart: "125,431". */
void figure_thousands(char *out, size_t size, double value);

#endif
