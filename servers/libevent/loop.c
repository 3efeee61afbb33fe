#include "libevent/loop.h"

#include <errno.h>

static struct event_loop *own(struct loop *loop) {
    return (struct event_loop *)loop;
}

struct timeval event_timeval(uint64_t ms) {
    return (struct timeval){.tv_sec = (time_t)(ms / 1000),
                            .tv_usec = (suseconds_t)(ms % 1000 * 1000)};
}

static void on_event(evutil_socket_t fd, short what, void *arg) {
    struct loop_watch *watch = arg;
    unsigned events = 0;
    (void)fd;
    events |= (what & EV_READ) != 0 ? LOOP_READ : 0;
    events |= (what & EV_WRITE) != 0 ? LOOP_WRITE : 0;
    watch->on_event(watch, events);
}

static void unwatch(struct loop *loop, struct loop_watch *watch) {
    (void)loop;
    event_free(watch->impl);
    watch->impl = NULL;
}

static int watch_fd(struct loop *loop, struct loop_watch *watch, unsigned events) {
    short what = EV_PERSIST;
    what |= (events & LOOP_READ) != 0 ? EV_READ : 0;
    what |= (events & LOOP_WRITE) != 0 ? EV_WRITE : 0;
    if (watch->impl == NULL) {
        watch->impl = event_new(own(loop)->base, watch->fd, what, on_event, watch);
        if (watch->impl == NULL) {
            errno = ENOMEM;
            return -1;
        }
    } else {
        event_del(watch->impl);
        event_assign(watch->impl, own(loop)->base, watch->fd, what, on_event, watch);
    }
    if (events != 0 && event_add(watch->impl, NULL) != 0) {
        unwatch(loop, watch);
        errno = ENOMEM;
        return -1;
    }
    return 0;
}

static int start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    return timers_start(&own(loop)->timers, timer, ms);
}

static void cancel(struct loop *loop, struct loop_timer *timer) {
    timers_cancel(&own(loop)->timers, timer);
}

void event_loop_init(struct event_loop *loop, struct event_base *base) {
    static const struct loop_ops ops = {watch_fd, unwatch, start, cancel};
    *loop = (struct event_loop){.loop = {.ops = &ops}, .base = base};
    timers_init(&loop->timers, &loop->loop);
}

void event_loop_release(struct event_loop *loop) {
    timers_release(&loop->timers);
}
