/* replay_metrics.h — the numbers and events that claims of a replay are about, from one trial. */
#ifndef REPORT_REPLAY_METRICS_H
#define REPORT_REPLAY_METRICS_H

#include "base/replay.h"
#include "report/cells.h"

/* The value in one round of a cell; NaN when the trial is missing, failed, invalid, or did not
 * measure it. */
double replay_value(const struct cell *cell, size_t round, enum replay_metric metric);

/* Why the metric says nothing of this cell at all, or NULL. */
const char *replay_value_missing(const struct cell *cell, enum replay_metric metric);

/* 1 when the event happened in that round, 0 when it did not, -1 when nobody can know. */
int replay_event(const struct cell *cell, size_t rounds, size_t round,
                 const struct replay_claim *claim);

/* Median of the cell's values; NaN without any. work has room for n rounds. */
double replay_median(const struct cell *cell, size_t rounds, enum replay_metric metric,
                     double work[]);

/* "18,204", "6.71 µs", "147 B", "99.2%"; "n/a" for NaN. */
void replay_format(char *out, size_t size, enum replay_metric metric, double value);

#endif
