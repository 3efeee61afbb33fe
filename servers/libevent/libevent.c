/*
 * libevent: carries bytes between sockets and servers/common/http1_conn.
 *
 * It uses struct event and plain recv/writev rather than bufferevent, which costs a third more CPU
 * per request: one event per connection, waiting to read or to write, never both.
 */
#include "common/http1_conn.h"
#include "common/listen.h"
#include "libevent/loop.h"

#include <errno.h>
#include <event2/event_struct.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Connections taken in one go; more are left for the next turn of the loop. */
#define ACCEPT_BATCH 64
/* Accepting pauses this long when not even the reserve descriptor helps. */
#define ACCEPT_PAUSE_MS 100

struct connection {
    struct conn conn; /* first */
    struct event event;
};

struct transport {
    struct conn_worker conns; /* first */
    struct event_loop loop;
    struct event_base *base;
    struct event listener, wake, sweep, retry;
    int reserve;
    int alarm; /* timerfd behind sweep */
    bool accepting;
};

static struct transport *transport_of(struct conn *conn) {
    return (struct transport *)conn->owner;
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
    } else if (n == 0) {
        conn_on_end(&c->conn);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        conn_on_failure(&c->conn);
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
        event_assign(&c->event, transport_of(conn)->base, fd,
                     (short)((writing ? EV_WRITE : EV_READ) | EV_PERSIST),
                     writing ? on_writable : on_readable, c);
        event_add(&c->event, NULL);
    }
}

static void io_half_close(struct conn *conn) {
    (void)shutdown(event_get_fd(&((struct connection *)conn)->event), SHUT_WR);
}

static void stop_when_drained(struct transport *transport) {
    if (conn_drained(&transport->conns)) {
        event_base_loopbreak(transport->base);
    }
}

static void io_close(struct conn *conn) {
    struct connection *c = (struct connection *)conn;
    struct transport *transport = transport_of(conn);
    event_del(&c->event);
    close(event_get_fd(&c->event));
    free(c);
    stop_when_drained(transport);
}

/* By a descriptor of the kernel's: with a timer of its own pending, libevent reads the clock and
 * works out how long to wait in every turn of the loop, which is once a request (docs/counts.md).
 */
static void io_wake_in(struct conn_worker *owner, uint64_t ms) {
    const struct itimerspec delay = {
        .it_value = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000}};
    (void)timerfd_settime(((struct transport *)owner)->alarm, 0, &delay, NULL);
}

static const struct conn_io io = {io_write, io_want, io_half_close, io_close, io_wake_in};

static void on_sweep(evutil_socket_t fd, short what, void *arg) {
    uint64_t times;
    (void)what;
    if (read(fd, &times, sizeof times) == (ssize_t)sizeof times) {
        conn_sweep(arg);
    }
}

static void open_connection(struct transport *transport, int fd) {
    struct connection *c = malloc(sizeof *c);
    if (c == NULL) {
        close(fd);
        return;
    }
    if (event_assign(&c->event, transport->base, fd, EV_READ | EV_PERSIST, on_readable, c) != 0 ||
        event_add(&c->event, NULL) != 0) {
        close(fd);
        free(c);
        return;
    }
    conn_init(&c->conn, &transport->conns);
}

/* Takes up to `most` connections. */
static void accept_some(struct transport *transport, int fd, unsigned most) {
    for (unsigned i = 0; i < most; i++) {
        int client = listen_accept(fd, &transport->reserve);
        if (client < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK) {
                struct timeval delay = event_timeval(ACCEPT_PAUSE_MS);
                event_del(&transport->listener);
                event_add(&transport->retry, &delay);
            }
            return;
        }
        open_connection(transport, client);
    }
}

static void on_acceptable(evutil_socket_t fd, short what, void *arg) {
    (void)what;
    accept_some(arg, fd, ACCEPT_BATCH);
}

static void on_retry(evutil_socket_t fd, short what, void *arg) {
    struct transport *transport = arg;
    (void)fd;
    (void)what;
    if (transport->accepting) {
        event_add(&transport->listener, NULL);
    }
}

static void on_wake(evutil_socket_t fd, short what, void *arg) {
    struct transport *transport = arg;
    int listener = event_get_fd(&transport->listener);
    (void)fd;
    (void)what;
    event_del(&transport->wake);
    /* Who is in the queue has connected already: serve them too. */
    accept_some(transport, listener, (unsigned)transport->conns.worker->options->backlog);
    transport->accepting = false;
    event_del(&transport->listener);
    event_del(&transport->retry);
    close(listener);
    conn_drain(&transport->conns);
    stop_when_drained(transport);
}

static struct event_base *make_base(void) {
    struct event_config *config = event_config_new();
    if (config == NULL) {
        return NULL;
    }
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV);
    /* Timers are rare here, and the time is read when one is set. */
    event_config_set_flag(config, EVENT_BASE_FLAG_NO_CACHE_TIME);
    struct event_base *base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static int add_events(struct transport *transport, struct worker *worker) {
    event_assign(&transport->listener, transport->base, worker->listener, EV_READ | EV_PERSIST,
                 on_acceptable, transport);
    event_assign(&transport->wake, transport->base, worker->wake, EV_READ | EV_PERSIST, on_wake,
                 transport);
    event_assign(&transport->sweep, transport->base, transport->alarm, EV_READ | EV_PERSIST,
                 on_sweep, transport);
    event_assign(&transport->retry, transport->base, -1, 0, on_retry, transport);
    return event_add(&transport->listener, NULL) == 0 && event_add(&transport->wake, NULL) == 0 &&
                   event_add(&transport->sweep, NULL) == 0
               ? 0
               : -1;
}

static int run(struct worker *worker) {
    struct transport *transport = malloc(sizeof *transport);
    struct event_base *base = make_base();
    if (transport != NULL) {
        transport->base = base;
        transport->alarm = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    }
    if (transport == NULL || base == NULL || transport->alarm < 0 ||
        add_events(transport, worker) != 0) {
        free(transport);
        server_complain(worker->server->type, "cannot set up an event loop: raise the memory or "
                                              "file limit (ulimit -v, ulimit -n)");
        return EXIT_MACHINE;
    }
    conn_worker_init(&transport->conns, worker, &io);
    transport->reserve = listen_reserve();
    transport->accepting = true;
    event_loop_init(&transport->loop, base);
    int code = worker_start(worker, &transport->loop.loop);
    if (code != EXIT_DONE) {
        return code;
    }
    event_base_dispatch(transport->base);
    worker_stop(worker);
    event_loop_release(&transport->loop);
    event_del(&transport->sweep);
    event_base_free(transport->base);
    close(transport->alarm);
    if (transport->reserve >= 0) {
        close(transport->reserve);
    }
    free(transport);
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
