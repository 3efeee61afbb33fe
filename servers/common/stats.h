/* What a server knows about itself: counters per worker, CPU and memory of the process. */
#ifndef LOOPBENCH_SERVERS_STATS_H
#define LOOPBENCH_SERVERS_STATS_H

#include <stdatomic.h>
#include <stdint.h>

/* Written by one worker only, read by any: relaxed atomics, on cache lines of their own. */
struct stats_counters {
    _Alignas(64) _Atomic uint64_t requests;
    _Atomic uint64_t accepted;
    _Atomic uint64_t closed;
    char pad[40];
};

/* Adds to a counter of the calling worker: a plain load and store, no locked instruction. */
static inline void stats_add(_Atomic uint64_t *counter, uint64_t n) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline uint64_t stats_get(const _Atomic uint64_t *counter) {
    return atomic_load_explicit(counter, memory_order_relaxed);
}

struct stats_process {
    uint64_t user_us, system_us;        /* getrusage(RUSAGE_SELF) */
    uint64_t rss_bytes, peak_rss_bytes; /* VmRSS and VmHWM of /proc/self/status */
};

/* Reads the process's own figures. What cannot be read is 0. */
void stats_read_process(struct stats_process *out);

#endif
