#include "libuv/loop.h"

#include <errno.h>
#include <stdlib.h>

struct poll {
    uv_poll_t handle; /* first */
    struct loop_watch *watch;
    unsigned asked;
};

static struct uv_thin_loop *thin(struct loop *loop) {
    return (struct uv_thin_loop *)loop;
}

static void on_closed(uv_handle_t *handle) {
    free(handle); /* the handle is the first member of what was allocated */
}

static void on_poll(uv_poll_t *handle, int status, int ready);

static int poll_start(struct poll *poll) {
    int what = 0;
    what |= (poll->asked & LOOP_READ) != 0 ? UV_READABLE : 0;
    what |= (poll->asked & LOOP_WRITE) != 0 ? UV_WRITABLE : 0;
    return what == 0 ? uv_poll_stop(&poll->handle) : uv_poll_start(&poll->handle, what, on_poll);
}

static void on_poll(uv_poll_t *handle, int status, int ready) {
    struct poll *poll = (struct poll *)handle;
    unsigned events = 0;
    events |= (ready & UV_READABLE) != 0 ? LOOP_READ : 0;
    events |= (ready & UV_WRITABLE) != 0 ? LOOP_WRITE : 0;
    if (status < 0) {
        events = poll->asked;
        (void)poll_start(poll); /* libuv stops at an error */
    }
    poll->watch->on_event(poll->watch, events & poll->asked);
}

static void unwatch(struct loop *loop, struct loop_watch *watch) {
    (void)loop;
    uv_close(watch->impl, on_closed);
    watch->impl = NULL;
}

static int watch_fd(struct loop *loop, struct loop_watch *watch, unsigned events) {
    struct poll *poll = watch->impl;
    if (poll == NULL) {
        poll = malloc(sizeof *poll);
        int error =
            poll == NULL ? UV_ENOMEM : uv_poll_init(thin(loop)->uv, &poll->handle, watch->fd);
        if (error != 0) {
            free(poll);
            errno = -error;
            return -1;
        }
        uv_unref((uv_handle_t *)&poll->handle);
        poll->watch = watch;
        watch->impl = poll;
    }
    poll->asked = events;
    int error = poll_start(poll);
    if (error != 0) {
        unwatch(loop, watch);
        errno = -error;
        return -1;
    }
    return 0;
}

static int start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    return timers_start(&thin(loop)->timers, timer, ms);
}

static void cancel(struct loop *loop, struct loop_timer *timer) {
    timers_cancel(&thin(loop)->timers, timer);
}

void uv_thin_loop_init(struct uv_thin_loop *loop, uv_loop_t *uv) {
    static const struct loop_ops ops = {watch_fd, unwatch, start, cancel};
    loop->loop.ops = &ops;
    loop->uv = uv;
    timers_init(&loop->timers, &loop->loop);
}

void uv_thin_loop_close(struct uv_thin_loop *loop) {
    timers_release(&loop->timers);
}
