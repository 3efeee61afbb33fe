/*
 * The timers of loop.h, for all adapters: a binary heap, and a timerfd that the loop watches like
 * any other descriptor and that waits for the first. They count in ns, and a turn of the loop fires
 * a few of them, so that what came evenly is answered evenly (docs/servers.md says why it matters).
 * No library's own do that: libuv's and h2o's count in whole milliseconds, libevent's by a clock
 * that steps by the kernel's tick (4 ms is usual), and all fire in one go what is due.
 */
#ifndef LOOPBENCH_SERVERS_TIMERS_H
#define LOOPBENCH_SERVERS_TIMERS_H

#include "common/loop.h"

struct timers_node {
    uint64_t deadline_ns; /* by CLOCK_MONOTONIC */
    struct loop_timer *timer;
};

struct timers {
    struct loop *loop;
    struct timers_node *heap; /* heap[0] is the next to fire */
    size_t len, size;
    struct loop_watch tick; /* of the timerfd; fd -1: no timer was ever used */
    uint64_t armed_ns;      /* what it waits for; UINT64_MAX: nothing */
};

/* Opens nothing: the first timer does. The loop's watches are all that is used of it. */
void timers_init(struct timers *timers, struct loop *loop);

/* As loop_timer_start. Where it returns -1 (memory or descriptors) the timer does not run. */
int timers_start(struct timers *timers, struct loop_timer *timer, uint64_t ms);

/* The timer must run. */
void timers_cancel(struct timers *timers, struct loop_timer *timer);

/* Frees all; no timer may run, the loop must still be there. */
void timers_release(struct timers *timers);

#endif
