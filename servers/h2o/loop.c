#include "h2o/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

static struct h2o_thin_loop *thin(struct loop *loop) {
    return (struct h2o_thin_loop *)loop;
}

/* A watched descriptor: an h2o socket on a duplicate, because h2o closes the one it has. */
struct watched {
    h2o_socket_t *sock;
    struct loop_watch *watch;
    unsigned asked;
    bool calling; /* its callback is on the stack: who unwatches only marks it */
    bool gone;
};

/* Calls back; false: it is unwatched now. */
static bool tell(struct watched *watched, unsigned event) {
    watched->calling = true;
    watched->watch->on_event(watched->watch, event);
    watched->calling = false;
    if (watched->gone) {
        free(watched);
        return false;
    }
    return true;
}

static void on_readable(h2o_socket_t *sock, const char *err) {
    (void)err;
    (void)tell(sock->data, LOOP_READ);
}

/* h2o tells once: ask again while it is wanted. */
static void on_writable(h2o_socket_t *sock, const char *err) {
    struct watched *watched = sock->data;
    (void)err;
    if ((watched->asked & LOOP_WRITE) != 0 && tell(watched, LOOP_WRITE) &&
        (watched->asked & LOOP_WRITE) != 0 && !h2o_socket_is_writing(sock)) {
        h2o_socket_notify_write(sock, on_writable);
    }
}

static void unwatch(struct loop *loop, struct loop_watch *watch) {
    struct watched *watched = watch->impl;
    (void)loop;
    watch->impl = NULL;
    h2o_socket_close(watched->sock);
    watched->gone = true;
    if (!watched->calling) {
        free(watched);
    }
}

static struct watched *watched_new(struct h2o_thin_loop *loop, struct loop_watch *watch) {
    struct watched *watched = calloc(1, sizeof *watched);
    int fd = watched != NULL ? fcntl(watch->fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (fd < 0) {
        free(watched);
        return NULL;
    }
    watched->watch = watch;
    watched->sock = h2o_evloop_socket_create(loop->ctx->loop, fd, H2O_SOCKET_FLAG_DONT_READ);
    watched->sock->data = watched;
    return watched;
}

static int watch_fd(struct loop *loop, struct loop_watch *watch, unsigned events) {
    struct watched *watched = watch->impl;
    if (watched == NULL) {
        watched = watched_new(thin(loop), watch);
        if (watched == NULL) {
            return -1;
        }
        watch->impl = watched;
    }
    watched->asked = events;
    bool reads = h2o_socket_is_reading(watched->sock);
    if ((events & LOOP_READ) == 0) {
        h2o_socket_read_stop(watched->sock);
    } else if (!reads) {
        h2o_socket_read_start(watched->sock, on_readable);
    }
    /* There is no way to take this back: where it is not wanted any more the callback ignores it.
     */
    if ((events & LOOP_WRITE) != 0 && !h2o_socket_is_writing(watched->sock)) {
        h2o_socket_notify_write(watched->sock, on_writable);
    }
    return 0;
}

static int start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    return timers_start(&thin(loop)->timers, timer, ms);
}

static void cancel(struct loop *loop, struct loop_timer *timer) {
    timers_cancel(&thin(loop)->timers, timer);
}

void h2o_thin_loop_init(struct h2o_thin_loop *loop, h2o_context_t *ctx) {
    static const struct loop_ops ops = {watch_fd, unwatch, start, cancel};
    *loop = (struct h2o_thin_loop){.loop = {.ops = &ops}, .ctx = ctx};
    timers_init(&loop->timers, &loop->loop);
}

void h2o_thin_loop_release(struct h2o_thin_loop *loop) {
    timers_release(&loop->timers);
}
