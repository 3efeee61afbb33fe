#include "common/http1_conn.h"

#include <string.h>

/* Sweeps are not closer together than this: a deadline may pass that late. */
#define SWEEP_MIN_MS ((uint64_t)10)

static ssize_t write_out(struct http1 *http, const struct iovec *iov, int count) {
    struct conn *conn = (struct conn *)http;
    return conn->owner->io->write(conn, iov, count);
}

static void on_ready(struct http1 *http);

static const struct http1_io http_io = {write_out, on_ready};

void conn_worker_init(struct conn_worker *owner, struct worker *worker, const struct conn_io *io) {
    owner->worker = worker;
    owner->io = io;
    idle_init(&owner->active, worker->options->idle_timeout_ms);
    idle_init(&owner->lingering, CONN_LINGER_MS);
    idle_init(&owner->waiting, UINT64_MAX);
    owner->open = 0;
    owner->drain_since = 0;
    owner->armed = false;
    http1_worker_init(&owner->http, &worker->app, &http_io, worker->options->max_body);
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void arm(struct conn_worker *owner, uint64_t now) {
    uint64_t ms = smaller(idle_wait(&owner->active, now), idle_wait(&owner->lingering, now));
    if (owner->drain_since != 0 && owner->open != 0) {
        ms = smaller(ms, CONN_GRACE_MS);
    }
    if (ms != UINT64_MAX) {
        owner->armed = true;
        owner->io->wake_in(owner, ms < SWEEP_MIN_MS ? SWEEP_MIN_MS : ms);
    }
}

void conn_init(struct conn *conn, struct conn_worker *owner) {
    uint64_t now = idle_now();
    http1_init(&conn->http, &owner->http);
    memset(&conn->link, 0, sizeof conn->link);
    conn->owner = owner;
    conn->lingered = 0;
    conn->want = CONN_WANT_READ;
    conn->lingers = false;
    idle_touch(&owner->active, &conn->link, now);
    owner->open++;
    stats_add(&owner->worker->app.counters.accepted, 1);
    if (!owner->armed) {
        arm(owner, now);
    }
}

static void finish(struct conn *conn) {
    struct conn_worker *owner = conn->owner;
    idle_remove(&conn->link);
    owner->open--;
    stats_add(&owner->worker->app.counters.closed, 1);
    http1_release(&conn->http); /* before a loop that closes later: a reply may be on its way */
    owner->io->close(conn);
}

static void want(struct conn *conn, enum conn_want what) {
    if (conn->want != what) {
        conn->want = (uint8_t)what;
        conn->owner->io->want(conn, what);
    }
}

static void linger(struct conn *conn) {
    struct conn_worker *owner = conn->owner;
    uint64_t now = idle_now();
    conn->lingers = true;
    owner->io->half_close(conn);
    idle_touch(&owner->lingering, &conn->link, now);
    want(conn, CONN_WANT_READ);
    arm(owner, now); /* shorter than what the timer may wait for */
}

static void go_on(struct conn *conn, enum http1_next next) {
    struct conn_worker *owner = conn->owner;
    if (conn->http.moved) {
        conn->http.moved = false;
        idle_touch(&owner->active, &conn->link, idle_now());
    }
    switch (next) {
    case HTTP1_READ:
        want(conn, CONN_WANT_READ);
        break;
    case HTTP1_WRITE:
        want(conn, CONN_WANT_WRITE);
        break;
    case HTTP1_WAIT:
        idle_touch(&owner->waiting, &conn->link, 0);
        want(conn, http1_may_feed(&conn->http) ? CONN_WANT_READ : CONN_WANT_NOTHING);
        break;
    case HTTP1_LINGER:
        linger(conn);
        break;
    case HTTP1_CLOSE:
    case HTTP1_DEAD:
        finish(conn);
        break;
    }
}

static void on_ready(struct http1 *http) {
    struct conn *conn = (struct conn *)http;
    struct conn_worker *owner = conn->owner;
    http->moved = true;
    go_on(conn, http1_resume(http)); /* may be the end of *conn */
    if (!owner->armed) {
        arm(owner, idle_now()); /* a sweep that saw only connections that wait watched nothing */
    }
}

void conn_on_read(struct conn *conn, const char *data, size_t len) {
    if (!conn->lingers) {
        go_on(conn, http1_feed(&conn->http, data, len));
        return;
    }
    conn->lingered += len;
    if (conn->lingered > CONN_LINGER_BYTES) {
        finish(conn);
    }
}

void conn_on_end(struct conn *conn) {
    if (http1_may_feed(&conn->http)) {
        want(conn, CONN_WANT_NOTHING); /* it is read again after the reply */
    } else {
        finish(conn);
    }
}

void conn_on_failure(struct conn *conn) {
    finish(conn);
}

void conn_on_written(struct conn *conn, ssize_t n) {
    if (n < 0) {
        finish(conn);
        return;
    }
    go_on(conn, http1_written(&conn->http, (size_t)n));
}

static struct conn *conn_of(struct idle_link *link) {
    return (struct conn *)((char *)link - offsetof(struct conn, link));
}

static void finish_all(struct idle_list *list) {
    while (list->head.next != &list->head) {
        finish(conn_of(list->head.next));
    }
}

static void finish_idle(struct idle_list *list) {
    struct idle_link *next;
    for (struct idle_link *link = list->head.next; link != &list->head; link = next) {
        next = link->next;
        if (http1_idle(&conn_of(link)->http)) {
            finish(conn_of(link));
        }
    }
}

void conn_sweep(struct conn_worker *owner) {
    uint64_t now = idle_now();
    struct idle_link *link;
    owner->armed = false;
    while ((link = idle_expired(&owner->active, now)) != NULL) {
        finish(conn_of(link));
    }
    while ((link = idle_expired(&owner->lingering, now)) != NULL) {
        finish(conn_of(link));
    }
    if (owner->drain_since != 0) {
        if (now - owner->drain_since >= CONN_GRACE_MS) {
            finish_idle(&owner->active);
        }
        /* The last tenth is for closing down. */
        if (now - owner->drain_since >= SERVER_DRAIN_MS - SERVER_DRAIN_MS / 10) {
            finish_all(&owner->active);
            finish_all(&owner->lingering);
            finish_all(&owner->waiting);
        }
    }
    arm(owner, now);
}

void conn_drain(struct conn_worker *owner) {
    uint64_t now = idle_now();
    owner->drain_since = now;
    arm(owner, now);
}

bool conn_drained(const struct conn_worker *owner) {
    return owner->drain_since != 0 && owner->open == 0;
}
