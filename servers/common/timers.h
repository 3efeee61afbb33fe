/*
 * Timers in a binary heap, for adapters whose library has none that fit loop.h: h2o keeps a list
 * for each duration and looks at all of them in every turn; libevent measures by a clock that steps
 * by the kernel's tick (4 ms is usual), and fires up to that early.
 */
#ifndef LOOPBENCH_SERVERS_TIMERS_H
#define LOOPBENCH_SERVERS_TIMERS_H

#include "common/loop.h"

struct timers_node {
    uint64_t deadline_ms;
    struct loop_timer *timer;
};

/* Zero it first. */
struct timers {
    struct timers_node *heap; /* heap[0] is the next to fire */
    size_t len, size;
};

/* Starts the timer, anew if it runs. Returns 0, or -1: out of memory, and it does not run. */
int timers_start(struct timers *timers, struct loop_timer *timer, uint64_t deadline_ms);

/* The timer must run. */
void timers_cancel(struct timers *timers, struct loop_timer *timer);

/* The next deadline; UINT64_MAX: no timer runs. */
uint64_t timers_next(const struct timers *timers);

/* Fires those whose deadline has come, at most as many as there are now: a timer that starts itself
 * anew with no delay waits for the next call. */
void timers_fire(struct timers *timers, uint64_t now_ms);

/* Frees all; no timer may run. */
void timers_release(struct timers *timers);

#endif
