#include "libevent/loop.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

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

static uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Sets the timerfd, which also forgets that it has fired. */
static void arm(struct event_loop *loop) {
    uint64_t next = timers_next(&loop->timers);
    struct itimerspec when = {.it_value = {0}}; /* disarms */
    if (next != UINT64_MAX) {
        when.it_value.tv_sec = (time_t)(next / 1000);
        when.it_value.tv_nsec = (long)(next % 1000 * 1000000) + 1; /* 0 would disarm */
    }
    (void)timerfd_settime(event_get_fd(loop->tick), TFD_TIMER_ABSTIME, &when, NULL);
    loop->armed_ms = next;
}

static void on_tick(evutil_socket_t fd, short what, void *arg) {
    struct event_loop *loop = arg;
    (void)fd;
    (void)what;
    timers_fire(&loop->timers, now_ms());
    arm(loop);
}

static int make_tick(struct event_loop *loop) {
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    loop->tick = event_new(loop->base, fd, EV_READ | EV_PERSIST, on_tick, loop);
    if (loop->tick == NULL || event_add(loop->tick, NULL) != 0) {
        if (loop->tick != NULL) {
            event_free(loop->tick);
            loop->tick = NULL;
        }
        close(fd);
        return -1;
    }
    return 0;
}

static void cancel(struct loop *loop, struct loop_timer *timer) {
    timers_cancel(&own(loop)->timers, timer); /* the wait may come to an end for nothing */
}

static int start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    struct event_loop *mine = own(loop);
    uint64_t deadline = now_ms() + ms;
    if (mine->tick == NULL && make_tick(mine) != 0) {
        return -1;
    }
    if (timers_start(&mine->timers, timer, deadline) != 0) {
        return -1;
    }
    if (deadline < mine->armed_ms) {
        arm(mine);
    }
    return 0;
}

void event_loop_init(struct event_loop *loop, struct event_base *base) {
    static const struct loop_ops ops = {watch_fd, unwatch, start, cancel};
    *loop = (struct event_loop){.loop = {.ops = &ops}, .base = base, .armed_ms = UINT64_MAX};
}

void event_loop_release(struct event_loop *loop) {
    if (loop->tick != NULL) {
        int fd = event_get_fd(loop->tick);
        event_free(loop->tick);
        close(fd);
    }
    timers_release(&loop->timers);
}
