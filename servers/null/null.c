/*
 * The ceiling: bare epoll and canned bytes.
 *
 * Every request head, whatever it asks, is answered with the reply to GET /hello. Nothing is parsed
 * but the empty line that ends a head, bodies are not known, no connection is ever closed first and
 * --idle-timeout and --max-body have no effect: a server that does less than this does not speak
 * HTTP. All replies owed after one read leave in one write.
 */
#include "common/app.h"
#include "common/date.h"
#include "common/handicap.h"
#include "common/listen.h"
#include "common/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BEFORE_DATE "HTTP/1.1 200 OK\r\nDate: "
#define AFTER_DATE                                                                                 \
    "\r\nConnection: keep-alive\r\nContent-Length: 12\r\nServer: " APP_SERVER_NAME                 \
    "\r\ncontent-type: text/plain\r\n\r\nHello world!"

enum {
    REPLY_LEN = (int)(sizeof(BEFORE_DATE) - 1 + DATE_LEN + sizeof(AFTER_DATE) - 1),
    COPIES = 256, /* replies that leave in one write */
    READ_SIZE = 16 * 1024,
    EVENTS = 256,
    ACCEPTS = 64,  /* connections taken in one turn, so that the open ones are served too */
    PAUSE_MS = 100 /* of accepting, where a connection can be neither taken nor refused */
};

/* What a client that does not read its replies is still owed. */
struct owed {
    uint64_t replies;
    size_t rest_len; /* the end of the reply that was cut */
    char rest[REPLY_LEN];
};

struct connection {
    struct owed *owed; /* NULL: nothing, reads are on */
    uint8_t matched;   /* bytes of "\r\n\r\n" that ended the last read */
};

struct null_loop {
    int epoll, listener, reserve;
    bool paused; /* accepting */
    struct date_cache date;
    time_t canned_second;
    size_t blocked; /* connections with something owed */
    size_t num_connections;
    struct connection *connections; /* by descriptor */
    char replies[COPIES * REPLY_LEN];
    char input[READ_SIZE];
};

static void loop_date(struct null_loop *loop) {
    const char *date = date_now(&loop->date);
    if (loop->date.second == loop->canned_second) {
        return;
    }
    loop->canned_second = loop->date.second;
    for (size_t i = 0; i < COPIES; i++) {
        memcpy(loop->replies + i * REPLY_LEN + sizeof(BEFORE_DATE) - 1, date, DATE_LEN);
    }
}

static int loop_watch(const struct null_loop *loop, int operation, int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(loop->epoll, operation, fd, &event);
}

static void connection_close(struct null_loop *loop, int fd) {
    struct connection *connection = &loop->connections[fd];
    if (connection->owed != NULL) {
        free(connection->owed);
        loop->blocked--;
    }
    *connection = (struct connection){0};
    close(fd);
}

static const char END_OF_HEAD[] = "\r\n\r\n";

static uint8_t match_byte(uint8_t matched, char byte) {
    if (byte == END_OF_HEAD[matched]) {
        return matched + 1;
    }
    return byte == '\r' ? 1 : 0;
}

/* Ends of heads in the input, counting one that began in an earlier read. */
static uint64_t count_heads(struct connection *connection, const char *data, size_t len) {
    uint64_t heads = 0;
    size_t at = 0;
    uint8_t matched = connection->matched;
    while (matched > 0 && at < len) {
        matched = match_byte(matched, data[at++]);
        if (matched == 4) {
            heads++;
            matched = 0;
        }
    }
    const char *end = NULL;
    while (at < len && (end = memmem(data + at, len - at, END_OF_HEAD, 4)) != NULL) {
        heads++;
        at = (size_t)(end - data) + 4;
    }
    if (at < len) {
        for (at = len - at > 3 ? len - 3 : at; at < len; at++) {
            matched = match_byte(matched, data[at]);
        }
    }
    connection->matched = matched;
    return heads;
}

/* Sends replies until the kernel takes no more. Returns how many bytes of the last one are missing
 * in *missing, the replies not begun in *left; -1 when the connection is broken. */
static int send_replies(const struct null_loop *loop, int fd, uint64_t *left, size_t *missing) {
    *missing = 0;
    while (*left > 0) {
        size_t now = *left < COPIES ? (size_t)*left : COPIES;
        ssize_t sent = write(fd, loop->replies, now * REPLY_LEN);
        if (sent < 0) {
            return errno == EAGAIN ? 0 : -1;
        }
        size_t begun = ((size_t)sent + REPLY_LEN - 1) / REPLY_LEN;
        *left -= begun;
        *missing = begun * REPLY_LEN - (size_t)sent;
        if ((size_t)sent < now * REPLY_LEN) {
            return 0;
        }
    }
    return 0;
}

static void connection_reply(struct null_loop *loop, int fd, uint64_t replies) {
    if (handicap_asked) {
        for (uint64_t i = 0; i < replies; i++) {
            handicap_apply();
        }
    }
    uint64_t left = replies;
    size_t missing = 0;
    if (send_replies(loop, fd, &left, &missing) != 0) {
        connection_close(loop, fd);
        return;
    }
    if (left == 0 && missing == 0) {
        return;
    }
    struct owed *owed = malloc(sizeof(*owed));
    if (owed == NULL || loop_watch(loop, EPOLL_CTL_MOD, fd, EPOLLOUT) != 0) {
        free(owed);
        connection_close(loop, fd);
        return;
    }
    owed->replies = left;
    owed->rest_len = missing;
    memcpy(owed->rest, loop->replies + REPLY_LEN - missing, missing);
    loop->connections[fd].owed = owed;
    loop->blocked++;
}

static void on_readable(struct null_loop *loop, int fd) {
    ssize_t got = read(fd, loop->input, sizeof(loop->input));
    if (got <= 0) {
        if (got == 0 || errno != EAGAIN) {
            connection_close(loop, fd);
        }
        return;
    }
    uint64_t heads = count_heads(&loop->connections[fd], loop->input, (size_t)got);
    if (heads > 0) {
        connection_reply(loop, fd, heads);
    }
}

static void on_writable(struct null_loop *loop, int fd) {
    struct owed *owed = loop->connections[fd].owed;
    if (owed->rest_len > 0) {
        ssize_t sent = write(fd, owed->rest, owed->rest_len);
        if (sent < 0) {
            if (errno != EAGAIN) {
                connection_close(loop, fd);
            }
            return;
        }
        owed->rest_len -= (size_t)sent;
        memmove(owed->rest, owed->rest + sent, owed->rest_len);
        if (owed->rest_len > 0) {
            return;
        }
    }
    size_t missing = 0;
    if (send_replies(loop, fd, &owed->replies, &missing) != 0) {
        connection_close(loop, fd);
        return;
    }
    if (missing > 0) {
        owed->rest_len = missing;
        memcpy(owed->rest, loop->replies + REPLY_LEN - missing, missing);
    }
    if (owed->rest_len == 0 && owed->replies == 0) {
        free(owed);
        loop->connections[fd].owed = NULL;
        loop->blocked--;
        if (loop_watch(loop, EPOLL_CTL_MOD, fd, EPOLLIN) != 0) {
            connection_close(loop, fd);
        }
    }
}

static void on_acceptable(struct null_loop *loop, uint64_t most) {
    for (uint64_t i = 0; i < most; i++) {
        int fd = listen_accept(loop->listener, &loop->reserve);
        if (fd < 0) {
            if (errno != EAGAIN) {
                loop->paused = loop_watch(loop, EPOLL_CTL_MOD, loop->listener, 0) == 0;
            }
            return;
        }
        if ((size_t)fd >= loop->num_connections ||
            loop_watch(loop, EPOLL_CTL_ADD, fd, EPOLLIN) != 0) {
            close(fd);
        }
    }
}

/* One turn; returns false once the worker was told to drain. */
static bool loop_turn(struct null_loop *loop, const struct worker *worker, int timeout_ms) {
    struct epoll_event events[EVENTS];
    bool go_on = true;
    int count = epoll_wait(loop->epoll, events, EVENTS, loop->paused ? PAUSE_MS : timeout_ms);
    if (loop->paused) {
        loop->paused = loop_watch(loop, EPOLL_CTL_MOD, loop->listener, EPOLLIN) != 0;
    }
    loop_date(loop);
    for (int i = 0; i < count; i++) {
        int fd = events[i].data.fd;
        if (fd == loop->listener) {
            on_acceptable(loop, ACCEPTS);
        } else if (fd == worker->wake) {
            go_on = false;
        } else if (loop->connections[fd].owed != NULL) {
            on_writable(loop, fd);
        } else {
            on_readable(loop, fd);
        }
    }
    return go_on;
}

static void loop_drain(struct null_loop *loop, const struct worker *worker) {
    on_acceptable(loop, worker->options->backlog); /* they have connected already */
    close(loop->listener);
    loop->listener = -1;
    loop->paused = false;
    (void)loop_watch(loop, EPOLL_CTL_DEL, worker->wake, 0);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t end = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + SERVER_DRAIN_MS;
    /* What has already arrived is answered; nobody is waited for but who is owed something. */
    int64_t left = 0;
    do {
        (void)loop_turn(loop, worker, loop->blocked > 0 ? (int)left : 0);
        clock_gettime(CLOCK_MONOTONIC, &now);
        left = end - ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    } while (loop->blocked > 0 && left > 0);
}

static void loop_release(struct null_loop *loop) {
    for (size_t fd = 0; fd < loop->num_connections && loop->blocked > 0; fd++) {
        if (loop->connections[fd].owed != NULL) {
            connection_close(loop, (int)fd);
        }
    }
    free(loop->connections);
    if (loop->epoll >= 0) {
        close(loop->epoll);
    }
    if (loop->reserve >= 0) {
        close(loop->reserve);
    }
    free(loop);
}

static int null_run(struct worker *worker) {
    struct null_loop *loop = calloc(1, sizeof(*loop));
    struct rlimit files = {0};
    if (loop == NULL || getrlimit(RLIMIT_NOFILE, &files) != 0) {
        server_complain(worker->server->type, "no memory for a worker; free some");
        free(loop);
        return EXIT_MACHINE;
    }
    /* Zeroed pages are not touched before a connection has that descriptor. */
    loop->num_connections = files.rlim_cur < (1U << 24) ? (size_t)files.rlim_cur : 1U << 24;
    loop->connections = calloc(loop->num_connections, sizeof(*loop->connections));
    loop->listener = worker->listener;
    loop->reserve = listen_reserve();
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop->connections == NULL || loop->epoll < 0 ||
        loop_watch(loop, EPOLL_CTL_ADD, worker->listener, EPOLLIN) != 0 ||
        loop_watch(loop, EPOLL_CTL_ADD, worker->wake, EPOLLIN) != 0) {
        server_complain(worker->server->type,
                        "cannot set up epoll: %s: raise the limits (ulimit -n, ulimit -v)",
                        strerror(errno));
        loop_release(loop);
        return EXIT_MACHINE;
    }
    for (size_t i = 0; i < COPIES; i++) {
        char *at = loop->replies + i * REPLY_LEN;
        memcpy(at, BEFORE_DATE, sizeof(BEFORE_DATE) - 1);
        memcpy(at + sizeof(BEFORE_DATE) - 1 + DATE_LEN, AFTER_DATE, sizeof(AFTER_DATE) - 1);
    }
    loop_date(loop);
    worker_ready(worker);
    while (loop_turn(loop, worker, -1)) {
    }
    loop_drain(loop, worker);
    loop_release(loop);
    return EXIT_DONE;
}

static void null_versions(struct json *json) {
    (void)json; /* made of nothing but the kernel */
}

int main(int argc, char **argv) {
    static const struct server_type type = {
        .name = "null", .versions = null_versions, .run = null_run};
    return server_main(argc, argv, &type);
}
