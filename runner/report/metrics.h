/* metrics.h — the figures of a cell: one table drives tables, CSV, JSON and plots. */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/record.h"

enum metric {
    METRIC_RATE,
    METRIC_CPU,
    METRIC_P50,
    METRIC_P90,
    METRIC_P99,
    METRIC_P999,
    METRIC_MAX,
    METRIC_CORRECTED_P50,
    METRIC_CORRECTED_P90,
    METRIC_CORRECTED_P99,
    METRIC_CORRECTED_P999,
    METRIC_CORRECTED_MAX,
    METRIC_RSS_IDLE,
    METRIC_RSS_LOADED,
    METRIC_RSS_PEAK,
    METRIC_COUNT
};

enum metric_unit { UNIT_PER_SECOND, UNIT_CPU_US, UNIT_LATENCY_US, UNIT_BYTES };

struct metric_info {
    const char *key;   /* in CSV and JSON, unit included: cpu_us_per_request */
    const char *title; /* for people: "server CPU per request" */
    const char *unit;  /* "µs" */
    enum metric_unit kind;
    double quantile;    /* of a latency percentile; 0 for all others */
    bool higher_better; /* only throughput */
    bool corrected;     /* a latency from the corrected histogram */
};

const struct metric_info *metric_info(enum metric m);

/* The metric of one trial; NaN when unknown. */
double metric_value(const struct trial_record *r, enum metric m);

/* A value for people in its natural unit, three or four digits: "6.71 µs", "1.23 ms", "125,431",
 * "4.2 MiB". `with_unit` false leaves the unit out (rate and CPU only). */
void metric_format(char *out, size_t size, enum metric m, double value, bool with_unit);

#endif
