/* The thin loop interface (servers/common/loop.h) on libuv. */
#ifndef LOOPBENCH_SERVERS_LIBUV_LOOP_H
#define LOOPBENCH_SERVERS_LIBUV_LOOP_H

#include "common/timers.h"

#include <uv.h>

struct uv_thin_loop {
    struct loop loop; /* first */
    uv_loop_t *uv;
    struct timers timers;
};

void uv_thin_loop_init(struct uv_thin_loop *loop, uv_loop_t *uv);

/* When nothing is watched and no timer runs: closes what is kept. One more uv_run frees it. */
void uv_thin_loop_close(struct uv_thin_loop *loop);

#endif
