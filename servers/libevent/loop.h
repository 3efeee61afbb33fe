/* The thin loop interface (servers/common/loop.h) on libevent. */
#ifndef LOOPBENCH_SERVERS_LIBEVENT_LOOP_H
#define LOOPBENCH_SERVERS_LIBEVENT_LOOP_H

#include "common/loop.h"

#include <event2/event.h>

struct event_loop {
    struct loop loop; /* first */
    struct event_base *base;
};

void event_loop_init(struct event_loop *loop, struct event_base *base);

/* A timeout as libevent takes it. */
struct timeval event_timeval(uint64_t ms);

#endif
