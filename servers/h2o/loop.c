#include "h2o/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

static struct h2o_thin_loop *thin(struct loop *loop) {
    return (struct h2o_thin_loop *)loop;
}

/* --- descriptors: an h2o socket on a duplicate, because h2o closes the one it has ----------------
 */

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

/* --- timers --------------------------------------------------------------------------------------
 */

/* Waits for the first. A duration of 0 goes to h2o's own list of those: linking anew to a list of
 * that duration while it runs would make it run for ever. */
static void arm(struct h2o_thin_loop *loop) {
    uint64_t now = h2o_now(loop->ctx->loop);
    uint64_t next = timers_next(&loop->timers);
    h2o_timeout_unlink(&loop->entry);
    if (next == UINT64_MAX) {
        return;
    }
    if (next <= now) {
        h2o_timeout_link(loop->ctx->loop, &loop->ctx->zero_timeout, &loop->entry);
        return;
    }
    if (!loop->used) {
        h2o_timeout_init(loop->ctx->loop, &loop->timeout, 1);
        loop->used = true;
    }
    loop->timeout.timeout = next - now;
    h2o_timeout_link(loop->ctx->loop, &loop->timeout, &loop->entry);
}

static void on_timeout(h2o_timeout_entry_t *entry) {
    struct h2o_thin_loop *loop = H2O_STRUCT_FROM_MEMBER(struct h2o_thin_loop, entry, entry);
    timers_fire(&loop->timers, h2o_now(loop->ctx->loop));
    arm(loop);
}

static void cancel(struct loop *loop, struct loop_timer *timer) {
    timers_cancel(&thin(loop)->timers, timer); /* the wait may come to an end for nothing */
}

static int start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    struct h2o_thin_loop *own = thin(loop);
    uint64_t deadline = h2o_now(own->ctx->loop) + ms;
    bool first = deadline < timers_next(&own->timers);
    if (timers_start(&own->timers, timer, deadline) != 0) {
        return -1;
    }
    if (first) {
        arm(own);
    }
    return 0;
}

void h2o_thin_loop_init(struct h2o_thin_loop *loop, h2o_context_t *ctx) {
    static const struct loop_ops ops = {watch_fd, unwatch, start, cancel};
    *loop = (struct h2o_thin_loop){.loop = {.ops = &ops}, .ctx = ctx, .entry = {.cb = on_timeout}};
}

void h2o_thin_loop_release(struct h2o_thin_loop *loop) {
    h2o_timeout_unlink(&loop->entry);
    if (loop->used) {
        h2o_timeout_dispose(loop->ctx->loop, &loop->timeout);
    }
    timers_release(&loop->timers);
}
