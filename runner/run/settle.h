/* settle.h — between warm-up and window a target comes to rest.
 *
 * A load generator that ends leaves what it had asked and not been answered: of a slow server at
 * many connections up to one request each, which it still reads and answers, to nobody. Express
 * spent 0.8 s so after a warm-up at 1,000 connections: as much of the window, whose requests then
 * wait, and whose CPU is that of others. */
#ifndef RUN_SETTLE_H
#define RUN_SETTLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"

/* How long that may take where no more is known. A target that is never at rest is measured after
 * it all the same. */
#define SETTLE_MAX_NS INT64_C(2000000000)

/* Waits until the processes, with their descendants, used less than a quarter of a CPU over 20 ms;
 * at most max_ns, and not at all where they cannot be seen. LOOP_DONE: they are at rest, or
 * nobody can tell. */
enum loop_wait settle_wait(struct loop *loop, const pid_t *pids, size_t n, int64_t max_ns);

#endif
