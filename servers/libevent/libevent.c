/*
 * libevent: carries bytes between sockets and servers/common/http1_conn.
 *
 * It uses struct event and plain recv/writev rather than bufferevent, which costs a third more CPU
 * per request: one event per connection, waiting to read or to write, never both.
 */
#include "common/http1_conn.h"
#include "common/listen.h"

#include <errno.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections taken in one go; more are left for the next turn of the loop. */
#define ACCEPT_BATCH 64
/* Accepting pauses this long when not even the reserve descriptor helps. */
#define ACCEPT_PAUSE_MS 100

struct connection {
    struct conn conn; /* first */
    struct event event;
};

struct loop {
    struct conn_worker conns; /* first */
    struct event_base *base;
    struct event listener, wake, sweep, retry;
    int reserve;
    bool accepting;
};

static struct loop *loop_of(struct conn *conn) {
    return (struct loop *)conn->owner;
}

static struct timeval to_timeval(uint64_t ms) {
    return (struct timeval){.tv_sec = (time_t)(ms / 1000),
                            .tv_usec = (suseconds_t)(ms % 1000 * 1000)};
}

static ssize_t io_write(struct conn *conn, const struct iovec *iov, int count) {
    int fd = event_get_fd(&((struct connection *)conn)->event);
    ssize_t n;
    do {
        n = count == 1 ? send(fd, iov->iov_base, iov->iov_len, MSG_NOSIGNAL)
                       : writev(fd, iov, count);
    } while (n < 0 && errno == EINTR);
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : n;
}

static void on_readable(evutil_socket_t fd, short what, void *arg) {
    struct connection *c = arg;
    char *buffer = c->conn.owner->read_buffer;
    ssize_t n = recv(fd, buffer, CONN_READ_SIZE, 0);
    (void)what;
    if (n > 0) {
        conn_on_read(&c->conn, buffer, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        conn_on_end(&c->conn);
    }
}

static void on_writable(evutil_socket_t fd, short what, void *arg) {
    struct connection *c = arg;
    struct iovec iov[2];
    (void)fd;
    (void)what;
    conn_on_written(&c->conn, io_write(&c->conn, iov, http1_pending(&c->conn.http, iov)));
}

static void io_want(struct conn *conn, enum conn_want want) {
    struct connection *c = (struct connection *)conn;
    evutil_socket_t fd = event_get_fd(&c->event);
    event_del(&c->event);
    if (want != CONN_WANT_NOTHING) {
        bool writing = want == CONN_WANT_WRITE;
        event_assign(&c->event, loop_of(conn)->base, fd,
                     (short)((writing ? EV_WRITE : EV_READ) | EV_PERSIST),
                     writing ? on_writable : on_readable, c);
        event_add(&c->event, NULL);
    }
}

static void io_half_close(struct conn *conn) {
    (void)shutdown(event_get_fd(&((struct connection *)conn)->event), SHUT_WR);
}

static void stop_when_drained(struct loop *loop) {
    if (conn_drained(&loop->conns)) {
        event_base_loopbreak(loop->base);
    }
}

static void io_close(struct conn *conn) {
    struct connection *c = (struct connection *)conn;
    struct loop *loop = loop_of(conn);
    event_del(&c->event);
    close(event_get_fd(&c->event));
    conn_release(conn);
    free(c);
    stop_when_drained(loop);
}

static void io_wake_in(struct conn_worker *owner, uint64_t ms) {
    struct timeval delay = to_timeval(ms);
    event_add(&((struct loop *)owner)->sweep, &delay);
}

static const struct conn_io io = {io_write, io_want, io_half_close, io_close, io_wake_in};

static void on_sweep(evutil_socket_t fd, short what, void *arg) {
    (void)fd;
    (void)what;
    conn_sweep(arg);
}

static void open_connection(struct loop *loop, int fd) {
    struct connection *c = malloc(sizeof *c);
    if (c == NULL) {
        close(fd);
        return;
    }
    if (event_assign(&c->event, loop->base, fd, EV_READ | EV_PERSIST, on_readable, c) != 0 ||
        event_add(&c->event, NULL) != 0) {
        close(fd);
        free(c);
        return;
    }
    conn_init(&c->conn, &loop->conns);
}

/* Takes up to `most` connections. */
static void accept_some(struct loop *loop, int fd, unsigned most) {
    for (unsigned i = 0; i < most; i++) {
        int client = listen_accept(fd, &loop->reserve);
        if (client < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK) {
                struct timeval delay = to_timeval(ACCEPT_PAUSE_MS);
                event_del(&loop->listener);
                event_add(&loop->retry, &delay);
            }
            return;
        }
        open_connection(loop, client);
    }
}

static void on_acceptable(evutil_socket_t fd, short what, void *arg) {
    (void)what;
    accept_some(arg, fd, ACCEPT_BATCH);
}

static void on_retry(evutil_socket_t fd, short what, void *arg) {
    struct loop *loop = arg;
    (void)fd;
    (void)what;
    if (loop->accepting) {
        event_add(&loop->listener, NULL);
    }
}

static void on_wake(evutil_socket_t fd, short what, void *arg) {
    struct loop *loop = arg;
    int listener = event_get_fd(&loop->listener);
    (void)fd;
    (void)what;
    event_del(&loop->wake);
    /* Who is in the queue has connected already: serve them too. */
    accept_some(loop, listener, (unsigned)loop->conns.worker->options->backlog);
    loop->accepting = false;
    event_del(&loop->listener);
    event_del(&loop->retry);
    close(listener);
    conn_drain(&loop->conns);
    stop_when_drained(loop);
}

static struct event_base *make_base(void) {
    struct event_config *config = event_config_new();
    if (config == NULL) {
        return NULL;
    }
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV);
    struct event_base *base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static int add_events(struct loop *loop, struct worker *worker) {
    event_assign(&loop->listener, loop->base, worker->listener, EV_READ | EV_PERSIST, on_acceptable,
                 loop);
    event_assign(&loop->wake, loop->base, worker->wake, EV_READ | EV_PERSIST, on_wake, loop);
    event_assign(&loop->sweep, loop->base, -1, 0, on_sweep, loop);
    event_assign(&loop->retry, loop->base, -1, 0, on_retry, loop);
    return event_add(&loop->listener, NULL) == 0 && event_add(&loop->wake, NULL) == 0 ? 0 : -1;
}

static int run(struct worker *worker) {
    struct loop *loop = malloc(sizeof *loop);
    struct event_base *base = make_base();
    if (loop != NULL) {
        loop->base = base;
    }
    if (loop == NULL || base == NULL || add_events(loop, worker) != 0) {
        free(loop);
        server_complain(worker->server->type, "cannot set up an event loop: raise the memory or "
                                              "file limit (ulimit -v, ulimit -n)");
        return EXIT_MACHINE;
    }
    conn_worker_init(&loop->conns, worker, &io);
    loop->reserve = listen_reserve();
    loop->accepting = true;
    worker_ready(worker);
    event_base_dispatch(loop->base);
    event_del(&loop->sweep);
    event_base_free(loop->base);
    if (loop->reserve >= 0) {
        close(loop->reserve);
    }
    free(loop);
    return EXIT_DONE;
}

static void versions(struct json *json) {
    json_str(json, "libevent", event_get_version());
    json_str(json, "llhttp", http1_llhttp_version());
}

int main(int argc, char **argv) {
    static const struct server_type type = {.name = "libevent", .versions = versions, .run = run};
    return server_main(argc, argv, &type);
}
