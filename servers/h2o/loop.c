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
    bool *gone; /* set by unwatch, for who is in the middle of a callback */
};

/* Calls back; false: it is unwatched now. */
static bool tell(struct watched *watched, unsigned event) {
    bool gone = false;
    bool *outer = watched->gone;
    watched->gone = &gone;
    watched->watch->on_event(watched->watch, event);
    if (gone) {
        if (outer != NULL) {
            *outer = true;
        }
        return false;
    }
    watched->gone = outer;
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
    if (watched->gone != NULL) {
        *watched->gone = true;
    }
    h2o_socket_close(watched->sock);
    free(watched);
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

/* --- timers: a binary heap; timer->impl is the index in it plus one ------------------------------
 */

static void put(struct h2o_thin_loop *loop, size_t at, struct heap_node node) {
    loop->heap[at] = node;
    node.timer->impl = (void *)(uintptr_t)(at + 1);
}

static size_t index_of(const struct loop_timer *timer) {
    return (size_t)(uintptr_t)timer->impl - 1;
}

static void sift_up(struct h2o_thin_loop *loop, size_t at, struct heap_node node) {
    while (at > 0 && loop->heap[(at - 1) / 2].deadline > node.deadline) {
        put(loop, at, loop->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(loop, at, node);
}

static void sift_down(struct h2o_thin_loop *loop, size_t at, struct heap_node node) {
    for (size_t child; (child = 2 * at + 1) < loop->len; at = child) {
        if (child + 1 < loop->len && loop->heap[child + 1].deadline < loop->heap[child].deadline) {
            child++;
        }
        if (loop->heap[child].deadline >= node.deadline) {
            break;
        }
        put(loop, at, loop->heap[child]);
    }
    put(loop, at, node);
}

static void heap_remove(struct h2o_thin_loop *loop, struct loop_timer *timer) {
    size_t at = index_of(timer);
    struct heap_node last = loop->heap[--loop->len];
    timer->impl = NULL;
    if (at == loop->len) {
        return;
    }
    if (at > 0 && loop->heap[(at - 1) / 2].deadline > last.deadline) {
        sift_up(loop, at, last);
    } else {
        sift_down(loop, at, last);
    }
}

/* Waits for the first. A duration of 0 goes to h2o's own list of those: linking anew to a list of
 * that duration while it runs would make it run for ever. */
static void arm(struct h2o_thin_loop *loop) {
    uint64_t now = h2o_now(loop->ctx->loop);
    h2o_timeout_unlink(&loop->entry);
    if (loop->len == 0) {
        return;
    }
    if (loop->heap[0].deadline <= now) {
        h2o_timeout_link(loop->ctx->loop, &loop->ctx->zero_timeout, &loop->entry);
        return;
    }
    if (!loop->used) {
        h2o_timeout_init(loop->ctx->loop, &loop->timeout, 1);
        loop->used = true;
    }
    loop->timeout.timeout = loop->heap[0].deadline - now;
    h2o_timeout_link(loop->ctx->loop, &loop->timeout, &loop->entry);
}

static void on_timeout(h2o_timeout_entry_t *entry) {
    struct h2o_thin_loop *loop = H2O_STRUCT_FROM_MEMBER(struct h2o_thin_loop, entry, entry);
    uint64_t now = h2o_now(loop->ctx->loop);
    /* At most those there are now: one that starts itself anew with 0 waits for the next turn. */
    for (size_t most = loop->len; most > 0 && loop->len != 0 && loop->heap[0].deadline <= now;
         most--) {
        struct loop_timer *timer = loop->heap[0].timer;
        heap_remove(loop, timer);
        timer->on_fire(timer);
    }
    arm(loop);
}

static void cancel(struct loop *loop, struct loop_timer *timer) {
    heap_remove(thin(loop), timer); /* the wait may come to an end for nothing */
}

static int start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    struct h2o_thin_loop *own = thin(loop);
    if (timer->impl != NULL) {
        heap_remove(own, timer);
    }
    if (own->len == own->size) {
        size_t size = own->size == 0 ? 16 : own->size * 2;
        struct heap_node *grown = realloc(own->heap, size * sizeof *grown);
        if (grown == NULL) {
            return -1;
        }
        own->heap = grown;
        own->size = size;
    }
    sift_up(own, own->len++,
            (struct heap_node){.deadline = h2o_now(own->ctx->loop) + ms, .timer = timer});
    if (index_of(timer) == 0) {
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
    free(loop->heap);
    loop->heap = NULL;
}
