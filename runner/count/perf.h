/* perf.h — instructions as the processor counts them, user space and kernel apart, where the
 * machine has such counters and lets them be used. */
#ifndef COUNT_PERF_H
#define COUNT_PERF_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

/* The system call behind it, and what explains a refusal; replaced in tests. NULL = the real one.
 */
struct perf_source {
    /* Opens a counter of `tid` and all threads and processes it will start; kernel: of the kernel,
     * else of user space. Returns a descriptor, or -1 with errno. */
    int (*open)(pid_t tid, int kernel);
    const char *root; /* before /proc; NULL = "" */
};

struct perf;

/* Counts from now on what every thread of these processes does. NULL with *e (ERR_MACHINE): no
 * counters here (most virtual machines), no permission (perf_event_paranoid; with its value), … */
struct perf *perf_start(const struct perf_source *source, const pid_t *pids, size_t n,
                        struct err *e);

/* Reads both sums and closes the counters. Returns 0, or -1 with *e, also when the processor was
 * shared with other counters (then a sum is an estimate, no count). */
int perf_stop(struct perf *p, int64_t *user, int64_t *kernel, struct err *e);

#endif
