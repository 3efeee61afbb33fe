#include "h2o/conn.h"

#include "h2o/head.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINGER_MS    2000
#define LINGER_BYTES ((size_t)64 << 20)
#define SWEEP_MAX_MS 1000 /* how often stuck writers are looked for, at least */

struct lingering {
    h2o_linklist_t link;
    h2o_timeout_entry_t timeout;
    h2o_socket_t *sock;
    size_t taken;
};

static void on_read(h2o_socket_t *sock, const char *err);
static void on_written(h2o_socket_t *sock, const char *err);

static struct conn *conn_of_socket(const h2o_socket_t *sock) {
    return sock->on_close.data;
}

struct conn *conn_of(const h2o_req_t *req) {
    return conn_of_socket(req->conn->callbacks->get_socket(req->conn));
}

void conn_will_end(struct conn *conn, enum conn_ending ending) {
    conn->ending = ending;
    conn->head_seen = false;
}

/* --- closing so that the last reply is read: a socket closed with input unread sends a reset,
 * which makes the client's kernel throw away what it has not read yet ----------------------------
 */

static void linger_end(struct lingering *held) {
    h2o_timeout_unlink(&held->timeout);
    h2o_linklist_unlink(&held->link);
    h2o_socket_close(held->sock);
    free(held);
}

static void on_linger_timeout(h2o_timeout_entry_t *entry) {
    linger_end(H2O_STRUCT_FROM_MEMBER(struct lingering, timeout, entry));
}

static void on_linger_read(h2o_socket_t *sock, const char *err) {
    struct lingering *held = sock->data;
    held->taken += sock->input->size;
    h2o_buffer_consume(&sock->input, sock->input->size);
    if (err != NULL || held->taken > LINGER_BYTES) {
        linger_end(held);
    }
}

/* Reads off what the client still sends on fd, for a while; takes fd over. */
static void linger_begin(struct transport *transport, int fd) {
    struct lingering *held = calloc(1, sizeof(*held));
    if (held == NULL || shutdown(fd, SHUT_WR) != 0) {
        free(held);
        close(fd);
        return;
    }
    held->sock = h2o_evloop_socket_create(transport->ctx.loop, fd, 0);
    held->sock->data = held;
    held->timeout.cb = on_linger_timeout;
    h2o_linklist_insert(&transport->lingers, &held->link);
    h2o_timeout_link(transport->ctx.loop, &transport->linger_timeout, &held->timeout);
    h2o_socket_read_start(held->sock, on_linger_read);
}

/* --- refusing what h2o would take ------------------------------------------------------------- */

/* A second descriptor of the connection, to go on with after h2o has closed its own; -1: none. */
static int keep_descriptor(h2o_socket_t *sock) {
    return fcntl(h2o_socket_get_fd(sock), F_DUPFD_CLOEXEC, 0);
}

static void on_refused(h2o_socket_t *sock, const char *err) {
    struct conn *conn = conn_of_socket(sock);
    struct transport *transport = conn->transport;
    int fd = err == NULL ? keep_descriptor(sock) : -1;
    conn->read(sock, "refused"); /* h2o closes the connection at any read error */
    if (fd >= 0) {
        linger_begin(transport, fd);
    }
}

/* Answers in h2o's place and closes. Only while h2o waits for more of a request. */
static void conn_refuse(struct conn *conn, unsigned status) {
    struct app_exchange exchange = {.worker = &conn->transport->worker->app};
    app_refuse(&exchange, status);
    const struct app_reply *reply = &exchange.reply;
    size_t size = 256 + reply->reason.len + reply->content_type.len + reply->body.len;
    conn->refusal = malloc(size);
    h2o_socket_read_stop(conn->sock);
    if (conn->refusal == NULL) {
        conn->read(conn->sock, "out of memory");
        return;
    }
    int len = snprintf(
        conn->refusal, size,
        "HTTP/1.1 %u %.*s\r\nDate: %.*s\r\nConnection: close\r\n"
        "Content-Length: %zu\r\nServer: " APP_SERVER_NAME "\r\ncontent-type: %.*s\r\n\r\n%.*s",
        reply->status, (int)reply->reason.len, reply->reason.base, DATE_LEN,
        date_now(&conn->transport->date), reply->body.len, (int)reply->content_type.len,
        reply->content_type.base, (int)reply->body.len, reply->body.base);
    h2o_iovec_t bytes = h2o_iovec_init(conn->refusal, (size_t)len);
    exchange.method = APP_UNKNOWN;
    app_replied(&exchange);
    app_finish(&exchange);
    conn->write_began = h2o_now(conn->transport->ctx.loop);
    h2o_socket_write(conn->sock, &bytes, 1, on_refused);
}

/* Looks at the request that is arriving; returns true when it was refused. */
static bool conn_judge(struct conn *conn) {
    const h2o_buffer_t *input = conn->sock->input;
    unsigned status = head_judge(input->bytes, input->size,
                                 conn->transport->worker->options->max_body, &conn->head_seen);
    if (status != 0) {
        conn_refuse(conn, status);
    }
    return status != 0;
}

/* --- while a reply is waited for: h2o does not read then ----------------------------------------
 */

/* Nothing may be read into h2o's buffer, where the request still lies: look, but do not touch. */
static void on_wait_readable(h2o_socket_t *sock, const char *err) {
    struct conn *conn = conn_of_socket(sock);
    char byte;
    (void)err;
    ssize_t n = recv(h2o_socket_get_fd(sock), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    conn_wait_end(conn); /* the next request; or the end of the client's side, who may still read */
    if (n < 0) {
        conn->read(sock, "reset"); /* h2o closes the connection at any read error */
    }
}

void conn_wait_begin(struct conn *conn) {
    h2o_socket_dont_read(conn->sock, 1);
    h2o_socket_read_start(conn->sock, on_wait_readable);
}

void conn_wait_end(struct conn *conn) {
    if (conn->sock->_cb.read == on_wait_readable) {
        h2o_socket_read_stop(conn->sock);
        h2o_socket_dont_read(conn->sock, 0);
    }
}

/* --- our callbacks in front of h2o's ---------------------------------------------------------- */

void conn_after(struct conn *conn) {
    h2o_socket_t *sock = conn->sock;
    if (sock == NULL) {
        return;
    }
    if (sock->_cb.write != NULL && sock->_cb.write != on_written) {
        conn->write = sock->_cb.write;
        conn->write_began = h2o_now(conn->transport->ctx.loop);
        sock->_cb.write = on_written;
    }
    if (sock->_cb.read != NULL && sock->_cb.read != on_wait_readable) {
        if (sock->_cb.read != on_read) {
            conn->read = sock->_cb.read;
            sock->_cb.read = on_read;
        }
        if (sock->input->size != 0 && !conn->head_seen) {
            (void)conn_judge(conn); /* a request that has arrived in part */
        }
    }
}

static void on_read(h2o_socket_t *sock, const char *err) {
    struct conn *conn = conn_of_socket(sock);
    if (err == NULL && sock->input->size > APP_MAX_TARGET && !conn->head_seen && conn_judge(conn)) {
        return;
    }
    conn->read(sock, err);
    conn_after(conn);
}

static void on_written(h2o_socket_t *sock, const char *err) {
    struct conn *conn = conn_of_socket(sock);
    int fd = -1;
    bool unknown = conn->ending == CONN_UNKNOWN;
    if ((conn->ending == CONN_LINGER || unknown) && err == NULL) {
        fd = keep_descriptor(sock);
    }
    conn->ending = CONN_UNKNOWN;
    conn->write_began = 0;
    conn->write(sock, err);
    if (unknown && conn->sock == NULL) {
        /* It was no 100: h2o's parser has refused something. */
        struct app_exchange exchange = {.worker = &conn->transport->worker->app,
                                        .method = APP_UNKNOWN};
        app_refuse(&exchange, 400);
        app_replied(&exchange);
    }
    if (fd >= 0) {
        if (conn->sock == NULL) {
            linger_begin(conn->transport, fd);
        } else {
            close(fd);
        }
    }
    conn_after(conn);
}

/* --- life of a connection --------------------------------------------------------------------- */

static void on_close(void *data) {
    struct conn *conn = data;
    struct transport *transport = conn->transport;
    stats_add(&transport->worker->app.counters.closed, 1);
    free(conn->refusal);
    conn->refusal = NULL;
    conn->sock = NULL;
    /* Not freed: a callback of this very connection may be on the stack. */
    h2o_linklist_unlink(&conn->link);
    h2o_linklist_insert(&transport->spare, &conn->link);
}

void conn_open(struct transport *transport, int fd) {
    struct conn *conn = NULL;
    if (!h2o_linklist_is_empty(&transport->spare)) {
        conn = (struct conn *)transport->spare.next;
        h2o_linklist_unlink(&conn->link);
    } else {
        conn = malloc(sizeof(*conn));
    }
    if (conn == NULL) {
        close(fd);
        return;
    }
    stats_add(&transport->worker->app.counters.accepted, 1);
    *conn = (struct conn){.transport = transport};
    h2o_linklist_insert(&transport->conns, &conn->link);
    conn->sock =
        h2o_evloop_socket_create(transport->ctx.loop, fd, H2O_SOCKET_FLAG_IS_ACCEPTED_CONNECTION);
    conn->sock->on_close.cb = on_close;
    conn->sock->on_close.data = conn;
    h2o_http1_accept(&transport->accept, conn->sock,
                     *h2o_get_timestamp(&transport->ctx, NULL, NULL));
    conn_after(conn);
}

bool conn_any(struct transport *transport) {
    return !h2o_linklist_is_empty(&transport->conns);
}

void conn_close_idle(struct transport *transport) {
    h2o_linklist_t *next = NULL;
    for (h2o_linklist_t *at = transport->conns.next; at != &transport->conns; at = next) {
        struct conn *conn = (struct conn *)at;
        next = at->next;
        if (conn->sock->_cb.read == on_read && conn->sock->input->size == 0) {
            conn->read(conn->sock, "shutting down");
        }
    }
}

/* Bytes that the client's kernel has acknowledged. */
static uint64_t acked_bytes(const h2o_socket_t *sock) {
    struct tcp_info info = {0};
    socklen_t len = sizeof(info);
    (void)getsockopt(h2o_socket_get_fd((h2o_socket_t *)sock), IPPROTO_TCP, TCP_INFO, &info, &len);
    return info.tcpi_bytes_acked;
}

/* Whether nothing of what is being written has been taken for the idle timeout. */
static bool is_stuck(struct conn *conn, uint64_t now) {
    if (conn->write_began == 0) {
        return false;
    }
    uint64_t acked = acked_bytes(conn->sock);
    if (acked != conn->acked) {
        conn->acked = acked;
        conn->write_began = now;
    }
    return now - conn->write_began >= conn->transport->worker->options->idle_timeout_ms;
}

/* h2o's timeout guards the reading of a request only: cut off who does not take the reply. */
static void on_sweep(h2o_timeout_entry_t *entry) {
    struct transport *transport = H2O_STRUCT_FROM_MEMBER(struct transport, sweep, entry);
    uint64_t now = h2o_now(transport->ctx.loop);
    for (h2o_linklist_t *at = transport->conns.next; at != &transport->conns; at = at->next) {
        struct conn *conn = (struct conn *)at;
        if (is_stuck(conn, now)) {
            (void)shutdown(h2o_socket_get_fd(conn->sock), SHUT_RDWR); /* its write now fails */
        }
    }
    h2o_timeout_link(transport->ctx.loop, &transport->sweep_timeout, &transport->sweep);
}

void conn_init(struct transport *transport) {
    uint64_t half = transport->worker->options->idle_timeout_ms / 2;
    h2o_linklist_init_anchor(&transport->conns);
    h2o_linklist_init_anchor(&transport->spare);
    h2o_linklist_init_anchor(&transport->lingers);
    h2o_timeout_init(transport->ctx.loop, &transport->linger_timeout, LINGER_MS);
    h2o_timeout_init(transport->ctx.loop, &transport->sweep_timeout,
                     half > SWEEP_MAX_MS ? SWEEP_MAX_MS : half + 1);
    transport->sweep.cb = on_sweep;
    h2o_timeout_link(transport->ctx.loop, &transport->sweep_timeout, &transport->sweep);
}

void conn_release(struct transport *transport) {
    h2o_linklist_t *next = NULL;
    for (h2o_linklist_t *at = transport->conns.next; at != &transport->conns; at = next) {
        const struct conn *conn = (const struct conn *)at;
        next = at->next;
        conn->read(conn->sock, "shutting down");
    }
    for (h2o_linklist_t *at = transport->lingers.next; at != &transport->lingers; at = next) {
        next = at->next;
        linger_end((struct lingering *)at);
    }
    for (h2o_linklist_t *at = transport->spare.next; at != &transport->spare; at = next) {
        next = at->next;
        free(at);
    }
    h2o_timeout_unlink(&transport->sweep);
    h2o_timeout_dispose(transport->ctx.loop, &transport->linger_timeout);
    h2o_timeout_dispose(transport->ctx.loop, &transport->sweep_timeout);
}
