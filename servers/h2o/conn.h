/*
 * Connections as this server sees them, around the ones h2o keeps for itself.
 *
 * h2o owns a connection's socket and sets that socket's callbacks anew for each request. Ours stand
 * in front of them (put back after every call into h2o), which gives what libh2o 2.2.5 has no
 * option for: refusing a head over the limits while it arrives, a close that lets the client read
 * the last reply although it is still sending, closing idle connections at SIGTERM, dropping
 * clients that do not read, counting. The price per request is two pointer assignments.
 */
#ifndef LOOPBENCH_SERVERS_H2O_CONN_H
#define LOOPBENCH_SERVERS_H2O_CONN_H

#include "common/date.h"
#include "common/server.h"
#include "h2o/lib.h"
#include "h2o/loop.h"

/* One worker's h2o. */
struct transport {
    struct worker *worker;
    h2o_context_t ctx;
    struct h2o_thin_loop loop;
    h2o_accept_ctx_t accept;
    h2o_socket_t *listener; /* NULL once draining */
    h2o_socket_t *wake;
    int reserve; /* see listen_accept */
    struct date_cache date;
    h2o_linklist_t conns;   /* struct conn, open */
    h2o_linklist_t spare;   /* struct conn, closed, for the next connections */
    h2o_linklist_t lingers; /* connections closed by us, not yet by the client */
    h2o_timeout_t linger_timeout;
    h2o_timeout_t sweep_timeout;
    h2o_timeout_entry_t sweep;
    h2o_timeout_entry_t retry; /* accepting again */
};

/* How the connection goes on after the reply now being written. */
enum conn_ending {
    CONN_UNKNOWN, /* written by h2o itself: 100 Continue, or the 400 of its parser */
    CONN_KEEP,
    CONN_CLOSE,
    CONN_LINGER /* close, but the client may still be sending */
};

struct conn {
    h2o_linklist_t link; /* first: in transport->conns or ->spare */
    struct transport *transport;
    h2o_socket_t *sock; /* NULL once closed */
    h2o_socket_cb read; /* h2o's own callbacks, behind ours */
    h2o_socket_cb write;
    uint64_t write_began; /* or went on; loop time in ms; 0: nothing is being written */
    uint64_t acked;       /* bytes the client had taken when the sweep last looked */
    char *refusal;        /* bytes being written by conn_refuse */
    enum conn_ending ending;
    bool head_seen; /* the current request's head was judged */
};

/* Lists and timeouts of a transport whose ctx is set up. */
void conn_init(struct transport *transport);
/* Closes every connection and frees what conn_init and conn_open took. */
void conn_release(struct transport *transport);

/* Takes over an accepted descriptor; on failure it is closed. */
void conn_open(struct transport *transport, int fd);

/* The connection a request came in by. */
struct conn *conn_of(const h2o_req_t *req);

/* Says how the connection goes on after the reply about to be sent. */
void conn_will_end(struct conn *conn, enum conn_ending ending);

/* A reply comes later: until conn_wait_end a client that resets the connection is noticed, and its
 * request disposed of. */
void conn_wait_begin(struct conn *conn);
void conn_wait_end(struct conn *conn);

/* To be called after h2o functions were called from outside its callbacks. */
void conn_after(struct conn *conn);

/* Closes the connections that are between requests. */
void conn_close_idle(struct transport *transport);

/* Whether any connection is still open (those lingering not counted). */
bool conn_any(struct transport *transport);

#endif
