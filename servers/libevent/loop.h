/* The thin loop interface (servers/common/loop.h) on libevent. */
#ifndef LOOPBENCH_SERVERS_LIBEVENT_LOOP_H
#define LOOPBENCH_SERVERS_LIBEVENT_LOOP_H

#include "common/timers.h"

#include <event2/event.h>

struct event_loop {
    struct loop loop; /* first */
    struct event_base *base;
    struct timers timers;
};

void event_loop_init(struct event_loop *loop, struct event_base *base);
/* When nothing is watched and no timer runs, before the base is freed. */
void event_loop_release(struct event_loop *loop);

/* A timeout as libevent takes it. */
struct timeval event_timeval(uint64_t ms);

#endif
