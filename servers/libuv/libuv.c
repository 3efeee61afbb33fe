/*
 * libuv: carries bytes between uv_tcp_t and servers/common/http1_conn.
 *
 * Replies go out by uv_try_write in the read callback; only what a slow client leaves over takes a
 * uv_write_t, allocated for it.
 */
#include "common/http1_conn.h"
#include "libuv/loop.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct connection {
    struct conn conn; /* first */
    uv_tcp_t tcp;
};

struct transport {
    struct conn_worker conns; /* first */
    uv_loop_t uv;
    struct uv_thin_loop loop;
    uv_tcp_t listener;
    uv_poll_t wake;
    uv_timer_t sweep;
    uv_check_t stop;
    bool closing;
};

/* The most that one uv_write carries. */
#define WRITE_PIECE ((size_t)256 * 1024)

struct pending_write {
    uv_write_t request;
    size_t len;
};

static struct transport *transport_of(struct conn *conn) {
    return (struct transport *)conn->owner;
}

static uv_stream_t *stream_of(struct conn *conn) {
    return (uv_stream_t *)&((struct connection *)conn)->tcp;
}

/* On Unix a uv_buf_t is laid out as a struct iovec, by libuv's own documentation. */
_Static_assert(sizeof(uv_buf_t) == sizeof(struct iovec) &&
                   offsetof(uv_buf_t, base) == offsetof(struct iovec, iov_base) &&
                   offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
               "uv_buf_t is a struct iovec");

static ssize_t io_write(struct conn *conn, const struct iovec *iov, int count) {
    int n = uv_try_write(stream_of(conn), (const uv_buf_t *)iov, (unsigned)count);
    return n == UV_EAGAIN ? 0 : n;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf) {
    struct conn *conn = handle->data;
    (void)suggested;
    *buf = uv_buf_init(conn->owner->read_buffer, CONN_READ_SIZE);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf) {
    struct conn *conn = stream->data;
    if (n > 0) {
        conn_on_read(conn, buf->base, (size_t)n);
    } else if (n == UV_EOF) {
        conn_on_end(conn);
    } else if (n < 0) {
        conn_on_failure(conn);
    }
}

static void start_write(struct conn *conn);

static void on_write(uv_write_t *request, int status) {
    struct pending_write *pending = (struct pending_write *)request;
    struct conn *conn = request->data;
    size_t len = pending->len;
    free(pending);
    if (status == UV_ECANCELED) {
        return; /* the connection is being closed */
    }
    conn_on_written(conn, status < 0 ? -1 : (ssize_t)len);
    /* There is more: that was no change of what is waited for. */
    if (!uv_is_closing((uv_handle_t *)stream_of(conn)) && conn->want == CONN_WANT_WRITE) {
        start_write(conn);
    }
}

/* Writes a long body in pieces, so that a client that reads it slowly is seen to read. */
static size_t shorten(struct iovec *iov, int count) {
    size_t len = 0;
    for (int i = 0; i < count; i++) {
        size_t most = WRITE_PIECE - len;
        iov[i].iov_len = iov[i].iov_len < most ? iov[i].iov_len : most;
        len += iov[i].iov_len;
    }
    return len;
}

static void start_write(struct conn *conn) {
    struct pending_write *pending = malloc(sizeof *pending);
    struct iovec iov[2];
    int count = http1_pending(&conn->http, iov);
    if (pending != NULL) {
        pending->request.data = conn;
        pending->len = shorten(iov, count);
        if (uv_write(&pending->request, stream_of(conn), (const uv_buf_t *)iov, (unsigned)count,
                     on_write) == 0) {
            return;
        }
        free(pending);
    }
    conn_on_failure(conn);
}

static void io_want(struct conn *conn, enum conn_want want) {
    if (want == CONN_WANT_READ) {
        uv_read_start(stream_of(conn), on_alloc, on_read);
        return;
    }
    uv_read_stop(stream_of(conn));
    if (want == CONN_WANT_WRITE) {
        start_write(conn);
    }
}

/* Nothing is queued by then: uv_shutdown would only add a request to allocate. */
static void io_half_close(struct conn *conn) {
    uv_os_fd_t fd;
    if (uv_fileno((uv_handle_t *)stream_of(conn), &fd) == 0) {
        (void)shutdown(fd, SHUT_WR);
    }
}

static void close_own_handles(struct transport *transport) {
    if (conn_drained(&transport->conns) && !transport->closing) {
        transport->closing = true;
        uv_close((uv_handle_t *)&transport->sweep, NULL);
    }
}

static void on_closed(uv_handle_t *handle) {
    free(handle->data);
}

static void io_close(struct conn *conn) {
    uv_close((uv_handle_t *)stream_of(conn), on_closed);
    close_own_handles(transport_of(conn));
}

static void on_sweep(uv_timer_t *timer) {
    conn_sweep(timer->data);
}

static void io_wake_in(struct conn_worker *owner, uint64_t ms) {
    struct transport *transport = (struct transport *)owner;
    if (!transport->closing) {
        uv_timer_start(&transport->sweep, on_sweep, ms, 0);
    }
}

static const struct conn_io io = {io_write, io_want, io_half_close, io_close, io_wake_in};

/* libuv accepts in a loop until EAGAIN, and by itself closes connections past the file limit. */
static void on_connection(uv_stream_t *listener, int status) {
    struct transport *transport = listener->data;
    struct connection *c = status == 0 ? malloc(sizeof *c) : NULL;
    if (c == NULL) {
        return;
    }
    uv_tcp_init(&transport->uv, &c->tcp);
    c->tcp.data = c;
    if (uv_accept(listener, (uv_stream_t *)&c->tcp) != 0 ||
        uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) != 0) {
        uv_close((uv_handle_t *)&c->tcp, on_closed);
        return;
    }
    conn_init(&c->conn, &transport->conns);
}

/* Runs when everything that was ready along with the wake has been dealt with, the listener too. */
static void on_stop(uv_check_t *check) {
    struct transport *transport = check->data;
    uv_close((uv_handle_t *)&transport->stop, NULL);
    uv_close((uv_handle_t *)&transport->wake, NULL);
    uv_close((uv_handle_t *)&transport->listener, NULL);
    conn_drain(&transport->conns);
    close_own_handles(transport);
}

static void on_wake(uv_poll_t *poll, int status, int events) {
    struct transport *transport = poll->data;
    (void)status;
    (void)events;
    uv_poll_stop(&transport->wake);
    uv_check_start(&transport->stop, on_stop);
}

static int set_up(struct transport *transport, struct worker *worker) {
    int error = uv_loop_init(&transport->uv);
    if (error == 0) {
        error = uv_timer_init(&transport->uv, &transport->sweep);
    }
    if (error == 0) {
        error = uv_check_init(&transport->uv, &transport->stop);
    }
    if (error == 0) {
        error = uv_poll_init(&transport->uv, &transport->wake, worker->wake);
    }
    if (error == 0) {
        error = uv_poll_start(&transport->wake, UV_READABLE, on_wake);
    }
    if (error == 0) {
        error = uv_tcp_init(&transport->uv, &transport->listener);
    }
    if (error == 0) {
        error = uv_tcp_open(&transport->listener, worker->listener);
    }
    if (error == 0) {
        error = uv_listen((uv_stream_t *)&transport->listener, (int)worker->options->backlog,
                          on_connection);
    }
    transport->sweep.data = transport->stop.data = transport->wake.data = transport->listener.data =
        transport;
    return error;
}

static int run(struct worker *worker) {
    struct transport *transport = malloc(sizeof *transport);
    int error = UV_ENOMEM;
    if (transport != NULL) {
        conn_worker_init(&transport->conns, worker, &io);
        transport->closing = false;
        error = set_up(transport, worker);
    }
    if (error != 0) {
        server_complain(
            worker->server->type,
            "cannot set up an event loop: %s: raise the memory or file limit (ulimit -v, "
            "ulimit -n)",
            uv_strerror(error));
        return EXIT_MACHINE;
    }
    uv_thin_loop_init(&transport->loop, &transport->uv);
    int code = worker_start(worker, &transport->loop.loop);
    if (code != EXIT_DONE) {
        return code;
    }
    uv_run(&transport->uv, UV_RUN_DEFAULT);
    worker_stop(worker);
    uv_thin_loop_close(&transport->loop);
    uv_run(&transport->uv, UV_RUN_DEFAULT); /* frees what was closed */
    uv_loop_close(&transport->uv);
    free(transport);
    return EXIT_DONE;
}

static void versions(struct json *json) {
    json_str(json, "libuv", uv_version_string());
    json_str(json, "llhttp", http1_llhttp_version());
}

int main(int argc, char **argv) {
    static const struct server_type type = {.name = "libuv", .versions = versions, .run = run};
    return server_main(argc, argv, &type);
}
