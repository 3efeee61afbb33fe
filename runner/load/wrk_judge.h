/* wrk_judge.h — whether wrk's figures are what was asked for, and what they say. */
#ifndef LOAD_WRK_JUDGE_H
#define LOAD_WRK_JUDGE_H

#include "base/err.h"
#include "load/load.h"

struct wrk_wanted {
    enum load_phase phase;
    bool counts;      /* requests are counted, not time */
    int64_t requests; /* so many */
    int pipeline;     /* at least 1 */
    bool close;
    int connections;
    int64_t duration_ns;
};

/* Judges a parsed result and completes it: raw latencies and active_ratio of a window. Figures that
 * contradict each other, a window cut short and one without a reply are failures, with *e. Requests
 * lost with their connections are not: they are answered for as errors. */
enum load_failure wrk_judge(const struct wrk_wanted *w, struct load_outcome *out, struct err *e);

#endif
