/* sampler.h — what is looked at while the window runs: server memory and generator threads.
 *
 * A timer on the loop, every 100 ms: a handful of small /proc files, well below 1% of a CPU. */
#ifndef SAMPLE_SAMPLER_H
#define SAMPLE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/loop.h"
#include "sample/proc.h"

#define SAMPLER_ROOTS  512
#define SAMPLER_SERIES 64

struct sampler;

/* RSS over time. Where a window is longer than fits, the readings kept are evenly spaced. */
struct sampler_series {
    int n;
    int64_t ms[SAMPLER_SERIES]; /* since sampling began */
    int64_t rss[SAMPLER_SERIES];
};

struct sampler_result {
    int samples;               /* how often the server's memory was read */
    struct proc_memory loaded; /* the reading with the highest RSS */
    struct proc_memory last;   /* the last reading */
    int64_t peak_pss;          /* the highest PSS of any reading; -1 = unknown */
    int processes;             /* most at once in any reading */
    int64_t socket_memory;     /* highest kernel TCP memory of the namespace, bytes; -1 = unknown */
    /* CPU of the generator's busiest thread over the time it was observed, 0..1; NaN when no
     * thread was seen twice. */
    double thread_busy;
    int threads; /* generator threads seen */
    struct sampler_series series;
};

/* Starts looking, first at once and then by the timer. server: at most SAMPLER_ROOTS roots, whose
 * descendants are found anew at every reading. generator = 0: there is none. Returns NULL with *e
 * (ERR_MACHINE). */
struct sampler *sampler_start(struct loop *loop, const pid_t *server, size_t n, pid_t generator,
                              struct err *e);

/* Takes one more reading now (the last moment the connections are still open is the caller's). */
void sampler_take(struct sampler *s);

/* Stops the timer, gives what was seen, and frees it; without a sampler (NULL) nothing was seen,
 * and *out says that all is unknown. `out` may be NULL. */
void sampler_stop(struct sampler *s, struct sampler_result *out);

#endif
