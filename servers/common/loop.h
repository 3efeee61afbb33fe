/*
 * All that the application may ask of an event loop: watch a descriptor, set a timer, be woken from
 * another thread. Each adapter implements `struct loop_ops` once, with its library's own means;
 * worker->loop (app.h) points to it.
 *
 * Everything but loop_wake is called on the loop's thread, and calls back on it. Callbacks come
 * from the loop, never from inside a call made here, and may make any call here, also for the very
 * watch or timer that called. None of these keeps a draining server alive: only connections do.
 */
#ifndef LOOPBENCH_SERVERS_LOOP_H
#define LOOPBENCH_SERVERS_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;

enum { LOOP_READ = 1, LOOP_WRITE = 2 };

/* Zero it and set the first three. It must stay where it is until loop_unwatch. */
struct loop_watch {
    int fd; /* pollable, non-blocking; the caller's, who closes it after loop_unwatch */
    /* `events`: those of LOOP_READ and LOOP_WRITE that were asked for and would not block now. A
     * descriptor with an error or a hang-up is all that was asked for. Level-triggered: it comes
     * again while the condition lasts. */
    void (*on_event)(struct loop_watch *watch, unsigned events);
    void *data; /* the caller's */
    void *impl; /* the adapter's; NULL: not watched */
};

/* Zero it and set the first two. It must stay where it is while it runs. */
struct loop_timer {
    void (*on_fire)(struct loop_timer *timer);
    void *data;  /* the caller's */
    void *impl;  /* the adapter's; NULL: not running */
    size_t slot; /* the adapter's, while it runs */
};

struct loop_ops {
    int (*watch)(struct loop *loop, struct loop_watch *watch, unsigned events);
    void (*unwatch)(struct loop *loop, struct loop_watch *watch);
    int (*start)(struct loop *loop, struct loop_timer *timer, uint64_t ms);
    void (*cancel)(struct loop *loop, struct loop_timer *timer);
};

/* Embedded by the adapter in its own. */
struct loop {
    const struct loop_ops *ops;
};

/* Begins to wait for `events` (0: for nothing, for now), or changes what is waited for.
 * Returns 0, or -1 with errno: out of memory or descriptors; what was watched before is unwatched.
 */
static inline int loop_watch(struct loop *loop, struct loop_watch *watch, unsigned events) {
    return loop->ops->watch(loop, watch, events);
}

/* No callback follows. Does nothing when it is not watched. Before the descriptor is closed. */
static inline void loop_unwatch(struct loop *loop, struct loop_watch *watch) {
    if (watch->impl != NULL) {
        loop->ops->unwatch(loop, watch);
    }
}

/* Calls on_fire once, no earlier than `ms` from now. A timer that runs is started anew. Returns 0,
 * or -1: out of memory or descriptors, and it does not run. */
static inline int loop_timer_start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    return loop->ops->start(loop, timer, ms);
}

/* No callback follows. Does nothing when it does not run. */
static inline void loop_timer_cancel(struct loop *loop, struct loop_timer *timer) {
    if (timer->impl != NULL) {
        loop->ops->cancel(loop, timer);
    }
}

/* A way for other threads to have something done on the loop's. */
struct loop_waker {
    void (*on_wake)(struct loop_waker *waker);
    void *data; /* the caller's */
    struct loop_watch watch;
    _Atomic bool due;
};

/* Returns 0, or -1 with errno: out of memory or descriptors. */
int loop_waker_open(struct loop *loop, struct loop_waker *waker,
                    void (*on_wake)(struct loop_waker *waker), void *data);

/* No callback follows. No other thread may call loop_wake any more. */
void loop_waker_close(struct loop *loop, struct loop_waker *waker);

/* From any thread: on_wake will be called, once for all the calls before it. What the caller wrote
 * before is seen by on_wake. */
void loop_wake(struct loop_waker *waker);

#endif
