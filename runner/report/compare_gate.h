/* compare_gate.h — limits on what may get worse: "cpu>5%,p99>10%".
 *
 * METRIC>N% is crossed when METRIC got worse by more than N% of the base run's: CPU, latency and
 * memory rose, throughput fell. With the interval [L, U] of the change (of the worsening):
 *   L above the limit      crossed
 *   U at or below it       kept
 *   else, or no verdict    not decided, which is never a pass by silence */
#ifndef REPORT_COMPARE_GATE_H
#define REPORT_COMPARE_GATE_H

#include <stddef.h>

#include "base/err.h"
#include "report/verdicts.h"
#include "stats/unpaired.h"

struct gate_limit {
    enum verdict_about about;
    double percent;
    char text[32]; /* as it is shown: "cpu>5%" */
};

struct gate {
    struct gate_limit limit[ABOUT_COUNT]; /* each metric at most once */
    size_t count;
};

enum gate_state { GATE_KEPT, GATE_CROSSED, GATE_UNDECIDED };

/* "cpu", "throughput", "p50", "p99", "memory". */
const char *gate_metric_name(enum verdict_about about);

/* The metric of that name; ABOUT_COUNT when there is none. */
enum verdict_about gate_metric_find(const char *name, size_t len);

/* Reads ">5%" behind the name of a metric; *at moves behind it. Returns 0, or -1 with *e. */
int gate_read_percent(const char **at, const char *metric, double *percent, struct err *e);

/* Reads the whole text or fails with *e (ERR_USAGE). */
int gate_parse(struct gate *g, const char *text, struct err *e);

enum gate_state gate_judge(const struct gate_limit *limit, const struct unpaired *u);

/* The rounds by which a target that did not change would likely keep a limit that is not decided
 * (unpaired_rounds_needed), where that is more than there are valid; else 0. */
size_t gate_rounds_needed(const struct gate_limit *limit, const struct unpaired *u);

#endif
