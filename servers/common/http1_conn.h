/*
 * A connection that speaks HTTP/1, as an event loop sees it: what to wait for next, when to give
 * up, how to end. What libevent and libuv need alike; each brings only `struct conn_io`.
 */
#ifndef LOOPBENCH_SERVERS_HTTP1_CONN_H
#define LOOPBENCH_SERVERS_HTTP1_CONN_H

#include "common/http1.h"
#include "common/idle.h"
#include "common/server.h"

/* The one buffer of a worker that all its connections read into. */
#define CONN_READ_SIZE ((size_t)16 * 1024)
/* A client that does not close after our end is given this long, and this much to send. */
#define CONN_LINGER_MS    ((uint64_t)2000)
#define CONN_LINGER_BYTES ((uint64_t)8 * 1024 * 1024)
#define CONN_GRACE_MS     ((uint64_t)SERVER_GRACE_MS)

struct conn;
struct conn_worker;

enum conn_want { CONN_WANT_NOTHING, CONN_WANT_READ, CONN_WANT_WRITE };

struct conn_io {
    /* Writes what goes without waiting: bytes, 0, or -1. */
    ssize_t (*write)(struct conn *conn, const struct iovec *iov, int count);
    /* Waits for readable (then conn_on_read, conn_on_end or conn_on_failure), for room to write
     * http1_pending (then conn_on_written), or for nothing. Called only when it changes. */
    void (*want)(struct conn *conn, enum conn_want want);
    /* Ends our side of the stream. */
    void (*half_close)(struct conn *conn);
    /* Closes and, now or later, frees. What the connection held is released already, output given
     * to `write` or in http1_pending with it. No other call follows. */
    void (*close)(struct conn *conn);
    /* Calls conn_sweep once, after `ms`; replaces an earlier wish. */
    void (*wake_in)(struct conn_worker *worker, uint64_t ms);
};

struct conn_worker {
    struct worker *worker;
    const struct conn_io *io;
    struct idle_list active;    /* serving */
    struct idle_list lingering; /* ended, reading off the rest */
    struct idle_list waiting;   /* a reply comes later: our time, not the client's */
    uint64_t open;
    uint64_t drain_since; /* 0: not draining */
    bool armed;           /* wake_in was called and has not fired */
    char read_buffer[CONN_READ_SIZE];
    struct http1_worker http; /* last: its output buffer's pages are touched only when used */
};

struct conn {
    struct http1 http; /* first */
    struct idle_link link;
    struct conn_worker *owner;
    uint64_t lingered; /* bytes read off */
    uint8_t want;      /* enum conn_want */
    bool lingers;
};

void conn_worker_init(struct conn_worker *owner, struct worker *worker, const struct conn_io *io);

/* A connection was accepted; the adapter waits for reading already. */
void conn_init(struct conn *conn, struct conn_worker *owner);

/* `len` bytes were read (into read_buffer or anywhere). The connection may be gone afterwards. */
void conn_on_read(struct conn *conn, const char *data, size_t len);
/* The client ended its side. Who waits for a reply still gets it: it may have ended only that side.
 */
void conn_on_end(struct conn *conn);
/* The connection failed: it was reset, or cannot be served. */
void conn_on_failure(struct conn *conn);
/* `n` bytes of http1_pending were written; n < 0: writing failed. */
void conn_on_written(struct conn *conn, ssize_t n);

/* Drops what has waited too long and asks for the next sweep. */
void conn_sweep(struct conn_worker *owner);

/* After worker->wake, when the adapter has stopped accepting: closes idle connections after a short
 * grace, all of them before SERVER_DRAIN_MS. conn_drained once the last one is gone. */
void conn_drain(struct conn_worker *owner);
bool conn_drained(const struct conn_worker *owner);

#endif
