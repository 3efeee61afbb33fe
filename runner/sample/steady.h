/* steady.h — how evenly the machine works: what CPU the same exchange costs from moment to moment.
 *
 * A spin (speed.h) waits for its own last result, so it is as fast beside a busy neighbour on the
 * same core or cache as without. Serving is not: system calls, cache misses and, on a virtual
 * machine, trips to the hypervisor cost more while a neighbour is busy, and no counter says so. So
 * this does in small what a trial does: a server and a load generator, each a process on the CPUs
 * of its side, exchange small messages over loopback TCP, and the serving side's CPU per exchange
 * is what is returned. */
#ifndef SAMPLE_STEADY_H
#define SAMPLE_STEADY_H

#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "sample/cpusplit.h"

struct steady_spec {
    const struct cpusplit *split; /* CPUs of server and load generator */
    int64_t slice_ns;
    size_t slices;
    int64_t patience_ns; /* how much longer than its slices it may last */
};

/* Fills us[0..slices) with the server's CPU per exchange, in µs, of so many slices in a row, after
 * one more that does not count. NaN where a slice saw no exchange. Returns
 *   LOOP_DONE         measured;
 *   LOOP_TIMEOUT      it could not be (no process, no CPU, no loopback, or a side hung or was
 *                     ended): all NaN;
 *   LOOP_INTERRUPTED  Ctrl-C came meanwhile: all NaN.
 * It leaves no process behind, not even when the runner is killed. */
enum loop_wait steady_measure(struct loop *loop, const struct steady_spec *spec, double us[]);

#endif
