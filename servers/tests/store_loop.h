/* The smallest event loop that a store can run on: poll, a few watches, a few timers. */
#ifndef LOOPBENCH_SERVERS_TESTS_STORE_LOOP_H
#define LOOPBENCH_SERVERS_TESTS_STORE_LOOP_H

#include "common/idle.h"
#include "common/loop.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define SLOTS 16

struct small_loop {
    struct loop loop; /* first */
    struct loop_watch *watches[SLOTS];
    unsigned events[SLOTS];
    struct loop_timer *timers[SLOTS];
    uint64_t due[SLOTS];
};

static void small_unwatch(struct loop *loop, struct loop_watch *watch) {
    struct small_loop *small = (struct small_loop *)loop;
    small->watches[(struct loop_watch **)watch->impl - small->watches] = NULL;
    watch->impl = NULL;
}

static int small_watch(struct loop *loop, struct loop_watch *watch, unsigned events) {
    struct small_loop *small = (struct small_loop *)loop;
    struct loop_watch **slot = watch->impl;
    for (unsigned i = 0; slot == NULL && i < SLOTS; i++) {
        slot = small->watches[i] == NULL ? &small->watches[i] : NULL;
    }
    if (slot == NULL) {
        errno = EMFILE;
        return -1;
    }
    *slot = watch;
    small->events[slot - small->watches] = events;
    watch->impl = slot;
    return 0;
}

static void small_cancel(struct loop *loop, struct loop_timer *timer) {
    struct small_loop *small = (struct small_loop *)loop;
    small->timers[(struct loop_timer **)timer->impl - small->timers] = NULL;
    timer->impl = NULL;
}

static int small_start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    struct small_loop *small = (struct small_loop *)loop;
    struct loop_timer **slot = timer->impl;
    for (unsigned i = 0; slot == NULL && i < SLOTS; i++) {
        slot = small->timers[i] == NULL ? &small->timers[i] : NULL;
    }
    if (slot == NULL) {
        return -1;
    }
    *slot = timer;
    small->due[slot - small->timers] = idle_now() + ms;
    timer->impl = slot;
    return 0;
}

static const struct loop_ops small_ops = {small_watch, small_unwatch, small_start, small_cancel};

static inline void small_loop_init(struct small_loop *small) {
    memset(small, 0, sizeof *small);
    small->loop.ops = &small_ops;
}

/* Nothing is watched and no timer runs. */
static inline bool small_loop_empty(const struct small_loop *small) {
    bool empty = true;
    for (unsigned i = 0; i < SLOTS; i++) {
        empty = empty && small->watches[i] == NULL && small->timers[i] == NULL;
    }
    return empty;
}

static inline void small_loop_fire(struct small_loop *small) {
    for (unsigned i = 0; i < SLOTS; i++) {
        struct loop_timer *timer = small->timers[i];
        if (timer != NULL && small->due[i] <= idle_now()) {
            small_cancel(&small->loop, timer);
            timer->on_fire(timer);
        }
    }
}

/* One turn: waits up to 10 ms for a descriptor, then fires what is due. */
static inline void small_loop_turn(struct small_loop *small) {
    for (unsigned i = 0; i < SLOTS; i++) {
        struct loop_watch *watch = small->watches[i];
        if (watch == NULL) {
            continue;
        }
        struct pollfd waits = {.fd = watch->fd};
        waits.events |= (small->events[i] & LOOP_READ) != 0 ? POLLIN : 0;
        waits.events |= (small->events[i] & LOOP_WRITE) != 0 ? POLLOUT : 0;
        if (poll(&waits, 1, 10) == 1) {
            unsigned events = 0;
            events |= (waits.revents & (POLLIN | POLLHUP | POLLERR)) != 0 ? LOOP_READ : 0;
            events |= (waits.revents & POLLOUT) != 0 ? LOOP_WRITE : 0;
            watch->on_event(watch, events);
        }
    }
    small_loop_fire(small);
}

#endif
