/* summary.h — what one histogram of latencies says. */
#ifndef LOAD_SUMMARY_H
#define LOAD_SUMMARY_H

#include <stdint.h>

#include "base/hist.h"
#include "base/latency.h"

/* The smallest value with at least ⌈q·n⌉ of the n samples at or below it (nearest rank: Hyndman and
 * Fan 1996, definition 1); the minimum for q = 0, the maximum for q = 1. -1 for an empty histogram
 * or a q outside 0..1. */
int64_t load_percentile(const struct hist *h, double q);

/* Of no samples everything but their number is unknown. */
void load_summarise(const struct hist *h, struct latency_summary *out);

/* Σ raw latency / (connections × window), 0..1: the part of the connections' time spent waiting for
 * a reply that came. What is missing was spent idle, reconnecting, hung (a reply that never comes
 * is counted nowhere by wrk) or inside wrk: it takes a latency when the reply is parsed and writes
 * the next request in a later turn of its loop, so a wrk thread that is busy all the time leaves
 * half of it out. Only where the generator had time to spare does a low value mean trouble. NaN
 * without a window. */
double load_active_ratio(const struct hist *raw, int connections, int64_t duration_us);

/* The c-th longest latency, c the connections: when everything stops at once, each connection has
 * one reply that waits for at least as long as the stop. -1 with fewer than c replies. */
int64_t load_stall_us(const struct hist *raw, int connections);

#endif
