/* loop.h — the runner's event loop (libuv) with what every wait needs: a deadline and Ctrl-C. */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/err.h"

struct loop {
    uv_loop_t uv;
    uv_timer_t deadline;
    uv_signal_t on_int, on_term, on_hup;
    int interrupted; /* how often SIGINT, SIGTERM or SIGHUP came; 0 = go on */
    int signum;      /* the last of them */
};

/* Catches SIGINT, SIGTERM and SIGHUP from here on. Returns 0 or -1 with *e. */
int loop_init(struct loop *loop, struct err *e);

/* Closes all handles of its own and runs the loop until none is left. */
void loop_release(struct loop *loop);

/* Takes note of what has happened already, a signal among it, without waiting. Not uv_run() by
 * itself, which looks at nothing where only signals are watched. */
void loop_poll(struct loop *loop);

enum loop_wait { LOOP_DONE, LOOP_TIMEOUT, LOOP_INTERRUPTED };

/* Runs the loop until done(ctx) is true, `timeout_ns` has passed, or an interrupt arrives that was
 * not there when the wait began (so that cleaning up after Ctrl-C can itself wait). done may be
 * NULL. */
enum loop_wait loop_wait(struct loop *loop, bool (*done)(void *ctx), void *ctx, int64_t timeout_ns);

#endif
