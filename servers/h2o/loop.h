/* The thin loop interface (servers/common/loop.h) on h2o's evloop. */
#ifndef LOOPBENCH_SERVERS_H2O_LOOP_H
#define LOOPBENCH_SERVERS_H2O_LOOP_H

#include "common/timers.h"
#include "h2o/lib.h"

struct h2o_thin_loop {
    struct loop loop; /* first */
    h2o_context_t *ctx;
    struct timers timers;
};

void h2o_thin_loop_init(struct h2o_thin_loop *loop, h2o_context_t *ctx);
/* When nothing is watched and no timer runs. */
void h2o_thin_loop_release(struct h2o_thin_loop *loop);

#endif
