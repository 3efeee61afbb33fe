#include "target/local_probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/http.h"

#define DRAIN_BYTES ((size_t)64 * 1024)
#define DRAIN_NS    INT64_C(500000000)

struct probe {
    struct loop *loop;
    uv_poll_t poll;
    bool event;
    bool closed;
    int interrupted; /* how often the loop was before it began */
    int64_t end_ns;
    bool (*gone)(void *ctx);
    void *ctx;
};

socklen_t probe_address(const char *host, int port, struct sockaddr_storage *out) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        return sizeof *v4;
    }
    if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        return sizeof *v6;
    }
    return 0;
}

static void probe_on_poll(uv_poll_t *handle, int status, int events) {
    struct probe *p = handle->data;
    (void)status; /* an error shows in the call that follows */
    (void)events;
    p->event = true;
}

static void probe_on_close(uv_handle_t *handle) {
    struct probe *p = handle->data;
    p->closed = true;
}

static bool probe_is_over(void *ctx) {
    const struct probe *p = ctx;
    return p->event || (p->gone && p->gone(p->ctx));
}

static bool probe_is_closed(void *ctx) {
    const struct probe *p = ctx;
    return p->closed;
}

/* PROBE_ANSWERED when the descriptor is ready, else why not. */
static enum probe_result probe_wait(struct probe *p, int events) {
    p->event = false;
    uv_poll_start(&p->poll, events, probe_on_poll);
    enum loop_wait w = loop_wait(p->loop, probe_is_over, p, p->end_ns - clock_mono_ns());
    uv_poll_stop(&p->poll);
    /* One in the same turn as the event would be no news to the next wait. */
    if (p->loop->interrupted != p->interrupted) {
        return PROBE_INTERRUPTED;
    }
    if (w == LOOP_DONE) {
        return p->event ? PROBE_ANSWERED : PROBE_GONE;
    }
    return PROBE_TIMEOUT;
}

/* "HTTP/1.x NNN": 1 and the status; 0 more is needed; -1 something else. */
static int probe_status(const char *reply, size_t len, int *status) {
    static const char begin[] = "HTTP/1.";
    size_t compare = len < sizeof begin - 1 ? len : sizeof begin - 1;
    if (memcmp(reply, begin, compare) != 0) {
        return -1;
    }
    if (len < 12) {
        return 0;
    }
    *status = 0;
    for (size_t i = 9; i < 12; i++) {
        if (reply[i] < '0' || reply[i] > '9') {
            return -1;
        }
        *status = *status * 10 + (reply[i] - '0');
    }
    return reply[8] == ' ' ? 1 : -1;
}

static bool probe_is_whole(struct http_parser *parser, const char *data, size_t len) {
    size_t used = 0;
    bool done = false;
    return http_parser_feed(parser, data, len, &used, &done) != HTTP_OK || done;
}

/* Reads what follows the status line: closed with bytes unread, the connection would be reset,
 * which a server may log or take for an error. One that is slow to end its reply, or sends much,
 * is. */
static enum probe_result probe_drain(struct probe *p, int fd, const char *begin, size_t len) {
    char data[4096];
    struct http_reply reply = {0};
    struct http_parser *parser = http_parser_new(&reply, false);
    enum probe_result r = PROBE_ANSWERED;
    const int64_t soon = clock_mono_ns() + DRAIN_NS;
    bool whole = !parser || probe_is_whole(parser, begin, len);
    p->end_ns = soon < p->end_ns ? soon : p->end_ns;
    for (size_t total = len; !whole && total < DRAIN_BYTES;) {
        r = probe_wait(p, UV_READABLE);
        if (r != PROBE_ANSWERED) {
            break;
        }
        ssize_t n = recv(fd, data, sizeof data, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            continue;
        }
        whole = n <= 0 || probe_is_whole(parser, data, (size_t)n);
        total += n > 0 ? (size_t)n : 0;
    }
    http_parser_free(parser);
    http_reply_release(&reply);
    return r == PROBE_TIMEOUT ? PROBE_ANSWERED : r;
}

static enum probe_result probe_read(struct probe *p, int fd, int *status) {
    char reply[64];
    size_t used = 0;
    for (;;) {
        enum probe_result r = probe_wait(p, UV_READABLE);
        if (r != PROBE_ANSWERED) {
            return r;
        }
        ssize_t n = recv(fd, reply + used, sizeof reply - used, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            continue;
        }
        if (n <= 0) {
            return used == 0 ? PROBE_REFUSED : PROBE_GARBAGE;
        }
        used += (size_t)n;
        int found = probe_status(reply, used, status);
        if (found != 0) {
            return found > 0 ? probe_drain(p, fd, reply, used) : PROBE_GARBAGE;
        }
    }
}

static enum probe_result probe_exchange(struct probe *p, int fd, const char *request, size_t len,
                                        int *status) {
    int problem = 0;
    socklen_t size = sizeof problem;
    enum probe_result r = probe_wait(p, UV_WRITABLE);
    if (r != PROBE_ANSWERED) {
        return r;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0 || problem != 0) {
        return PROBE_REFUSED;
    }
    /* A fresh socket's buffer takes these few bytes whole. */
    if (send(fd, request, len, MSG_NOSIGNAL) != (ssize_t)len) {
        return PROBE_REFUSED;
    }
    return probe_read(p, fd, status);
}

enum probe_result probe_get(struct loop *loop, const char *host, int port, const char *path,
                            int64_t timeout_ns, bool (*gone)(void *ctx), void *ctx, int *status) {
    struct probe p = {.loop = loop,
                      .interrupted = loop->interrupted,
                      .end_ns = clock_mono_ns() + timeout_ns,
                      .gone = gone,
                      .ctx = ctx};
    struct sockaddr_storage address;
    char request[4096];
    socklen_t size = probe_address(host, port, &address);
    int len = snprintf(request, sizeof request,
                       "GET %s HTTP/1.1\r\nHost: %s%s%s:%d\r\nConnection: close\r\n\r\n", path,
                       strchr(host, ':') ? "[" : "", host, strchr(host, ':') ? "]" : "", port);
    if (size == 0 || len < 0 || (size_t)len >= sizeof request) {
        return PROBE_REFUSED;
    }
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return PROBE_REFUSED;
    }
    if ((connect(fd, (struct sockaddr *)&address, size) != 0 && errno != EINPROGRESS) ||
        uv_poll_init(&loop->uv, &p.poll, fd) != 0) {
        close(fd);
        return PROBE_REFUSED;
    }
    p.poll.data = &p;
    enum probe_result r = probe_exchange(&p, fd, request, (size_t)len, status);
    /* The handle lies on this stack: it must be closed before we return. */
    uv_close((uv_handle_t *)&p.poll, probe_on_close);
    while (!p.closed) {
        loop_wait(loop, probe_is_closed, &p, INT64_C(1000000000));
    }
    close(fd);
    return r;
}
