#include "base/loop.h"

#include <signal.h>

#include "base/clock.h"

static void loop_on_signal(uv_signal_t *handle, int signum) {
    struct loop *loop = handle->data;
    loop->interrupted++;
    loop->signum = signum;
}

static void loop_on_deadline(uv_timer_t *timer) {
    (void)timer; /* it only has to end uv_run(); loop_wait looks at the clock */
}

static int loop_catch(struct loop *loop, uv_signal_t *handle, int signum) {
    int rc = uv_signal_init(&loop->uv, handle);
    if (rc == 0) {
        handle->data = loop;
        rc = uv_signal_start(handle, loop_on_signal, signum);
        uv_unref((uv_handle_t *)handle);
    }
    return rc;
}

int loop_init(struct loop *loop, struct err *e) {
    *loop = (struct loop){0};
    int rc = uv_loop_init(&loop->uv);
    if (rc == 0) {
        rc = uv_timer_init(&loop->uv, &loop->deadline);
    }
    if (rc == 0) {
        rc = loop_catch(loop, &loop->on_int, SIGINT);
    }
    if (rc == 0) {
        rc = loop_catch(loop, &loop->on_term, SIGTERM);
    }
    if (rc == 0) {
        rc = loop_catch(loop, &loop->on_hup, SIGHUP);
    }
    if (rc != 0) {
        return err_set(e, ERR_MACHINE,
                       "cannot start an event loop: %s; raise the limit of open files (ulimit -n)",
                       uv_strerror(rc));
    }
    /* A reader that has gone, or a limit on the size of files, is an error of write(). */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return 0;
}

static void loop_close_handle(uv_handle_t *handle, void *ctx) {
    (void)ctx;
    if (!uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}

void loop_release(struct loop *loop) {
    uv_walk(&loop->uv, loop_close_handle, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    uv_loop_close(&loop->uv);
}

void loop_poll(struct loop *loop) {
    uv_ref((uv_handle_t *)&loop->on_int); /* a loop without a handle that counts does not poll */
    uv_run(&loop->uv, UV_RUN_NOWAIT);
    uv_unref((uv_handle_t *)&loop->on_int);
}

enum loop_wait loop_wait(struct loop *loop, bool (*done)(void *ctx), void *ctx,
                         int64_t timeout_ns) {
    int before = loop->interrupted;
    int64_t end = clock_mono_ns() + timeout_ns;
    enum loop_wait result;
    for (;;) {
        if (done && done(ctx)) {
            result = LOOP_DONE;
            break;
        }
        if (loop->interrupted != before) {
            result = LOOP_INTERRUPTED;
            break;
        }
        int64_t left = end - clock_mono_ns();
        if (left <= 0) {
            result = LOOP_TIMEOUT;
            break;
        }
        /* libuv counts from its cached idea of now, which is stale after work between two waits. */
        uv_update_time(&loop->uv);
        uv_timer_start(&loop->deadline, loop_on_deadline, (uint64_t)((left + 999999) / 1000000), 0);
        uv_run(&loop->uv, UV_RUN_ONCE);
    }
    uv_timer_stop(&loop->deadline);
    return result;
}
