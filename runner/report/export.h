/* export.h — a run in formats that other programs read. A new format is one file and one row. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/cells.h"

/* What of the run; unset members choose everything. */
struct export_select {
    const char *target, *workload; /* NULL = all */
    int connections;               /* 0 = all */
};

/* Writes one format; returns 0, or -1 with *e. What the stream could not take is the caller's to
 * find (ferror). */
typedef int (*export_writer)(FILE *out, const struct cells *c, const struct export_select *s,
                             struct err *e);

struct export_format {
    const char *name;
    export_writer write;
};

/* All rows, ended by one whose name is NULL. */
extern const struct export_format export_formats[];

/* The format of that name, or NULL with *e (ERR_USAGE). */
const struct export_format *export_find(const char *name, struct err *e);

/* Whether the cell is chosen. */
bool export_chooses(const struct export_select *s, const struct cells *c, const struct cell *cell);

/* Fails with *e (ERR_USAGE) when nothing is chosen. */
int export_check(const struct export_select *s, const struct cells *c, struct err *e);

/* Every trial with every figure, one row each: all attempts, those that count marked. */
int export_csv(FILE *out, const struct cells *c, const struct export_select *s, struct err *e);

/* The same, with the manifest, as one document (format "loopbench-export", version 1). */
int export_json(FILE *out, const struct cells *c, const struct export_select *s, struct err *e);

/* Go's benchmark format (golang.org/design/14313-benchmark-format), one line for each trial that
 * counts and was not disturbed: BenchmarkHello/target=libuv/connections=100, with server CPU,
 * throughput (of another unit where the load generator limited it), latencies and peak memory;
 * above them whether the run is validated, and how many trials are left out. */
int export_benchstat(FILE *out, const struct cells *c, const struct export_select *s,
                     struct err *e);

/* OpenMetrics 1.0 text: medians of cells with their intervals, and latency histograms. */
int export_openmetrics(FILE *out, const struct cells *c, const struct export_select *s,
                       struct err *e);

/* HdrHistogram's percentile table of one cell's merged raw latencies, in milliseconds. ERR_USAGE
 * when more than one cell is chosen. */
int export_hgrm(FILE *out, const struct cells *c, const struct export_select *s, struct err *e);

/* Adds the raw latencies of all trials of the cell that count. Returns 0, or -1 with *e. */
int export_merge(const struct cells *c, const struct cell *cell, struct hist *h, struct err *e);

#endif
