/* The life of a connection: from bytes to requests, replies in order, output that does not go out.
 */
#include "common/http1.h"

#include "common/http1_internal.h"
#include "common/server.h"

#include <stdlib.h>
#include <string.h>

void http1_worker_init(struct http1_worker *worker, struct app_worker *app,
                       const struct http1_io *io, uint64_t max_body) {
    worker->app = app;
    worker->io = io;
    worker->max_body = max_body;
    worker->date.second = 0;
    worker->out_len = 0;
}

static void on_ready(struct app_exchange *exchange) {
    struct http1 *http = (struct http1 *)((char *)exchange - offsetof(struct http1, exchange));
    http->worker->io->ready(http);
}

void http1_init(struct http1 *http, struct http1_worker *worker) {
    memset(http, 0, sizeof *http);
    llhttp_init(&http->parser, HTTP_REQUEST, &http1_settings);
    http->parser.data = http;
    /* When a connection ends is decided here, not by the parser. */
    llhttp_set_lenient_keep_alive(&http->parser, 1);
    http->worker = worker;
    http->exchange.worker = worker->app;
    http->exchange.ready = on_ready;
}

static void finish_exchange(struct http1 *http) {
    if (http->begun) {
        app_finish(&http->exchange);
        http->begun = false;
    }
    http->target = NULL;
    http->target_len = 0;
    free(http->kept);
    http->kept = NULL;
    http->kept_size = 0;
}

void http1_release(struct http1 *http) {
    finish_exchange(http);
    free(http->stash);
    free(http->pending);
    http->stash = NULL;
    http->pending = NULL;
}

static bool is_stuck(const struct http1 *http) {
    return http->pending_len != 0 || http->body_rest.len != 0;
}

bool http1_idle(const struct http1 *http) {
    return http->phase == PHASE_START && !is_stuck(http) && http->stash == NULL;
}

bool http1_may_feed(const struct http1 *http) {
    return http->phase == PHASE_WAIT && http->stash == NULL && !is_stuck(http);
}

static void begin_request(struct http1 *http) {
    http->phase = PHASE_HEAD;
    http->head_len = 0;
    http->body_len = 0;
    http->refused = 0;
    http->header = HEADER_OTHER;
    http->coding = CODING_NONE;
    http->expect = EXPECT_NONE;
    http->tokens = 0;
    http->versioned = false;
    http->keep = false;
    http->exchange.method = APP_UNKNOWN;
    http->exchange.num_hosts = 0;
    http->moved = true;
}

/* The reply is out, or will be without the exchange's memory. */
static void end_request(struct http1 *http) {
    finish_exchange(http);
    http->phase = http->keep ? PHASE_START : http->linger ? PHASE_LINGER : PHASE_CLOSE;
}

/* Keeps what write did not take of worker->out. */
static int keep_pending(struct http1 *http, size_t written) {
    struct http1_worker *worker = http->worker;
    size_t rest = worker->out_len - written;
    if (rest == 0) {
        return 0;
    }
    char *grown = realloc(http->pending, http->pending_len + rest);
    if (grown == NULL) {
        return -1;
    }
    memcpy(grown + http->pending_len, worker->out + written, rest);
    http->pending = grown;
    http->pending_len += (uint32_t)rest;
    return 0;
}

static void advance_body(struct http1 *http, size_t n) {
    if (n != 0) {
        http->body_rest.base += n;
        http->body_rest.len -= n;
    }
}

/* Hands worker->out and a long body to the transport; what it does not take stays with the
 * connection. Returns 0, or -1 when the connection is lost. */
static int flush(struct http1 *http) {
    struct http1_worker *worker = http->worker;
    size_t from_out = 0;
    if (worker->out_len == 0 && http->body_rest.len == 0) {
        return 0;
    }
    if (http->pending_len == 0) {
        struct iovec iov[2] = {
            {worker->out, worker->out_len},
            {(void *)http->body_rest.base, http->body_rest.len},
        };
        bool only_body = worker->out_len == 0;
        ssize_t n =
            worker->io->write(http, iov + only_body, http->body_rest.len == 0 ? 1 : 2 - only_body);
        if (n < 0) {
            worker->out_len = 0;
            return -1;
        }
        http->moved = http->moved || n > 0;
        from_out = (size_t)n < worker->out_len ? (size_t)n : worker->out_len;
        advance_body(http, (size_t)n - from_out);
    }
    int failed = keep_pending(http, from_out);
    worker->out_len = 0;
    if (http->phase == PHASE_SEND && !is_stuck(http)) {
        end_request(http);
    }
    return failed;
}

/* Serialises exchange.reply behind what is gathered already. Returns 0, or -1: connection lost. */
static int put_reply(struct http1 *http) {
    struct http1_worker *worker = http->worker;
    const struct app_reply *reply = &http->exchange.reply;
    if (worker->out_len + http1_reply_room(http) > HTTP1_OUT_SIZE - HTTP1_RESERVE &&
        flush(http) != 0) {
        return -1;
    }
    bool draining = server_draining();
    http->keep = http->keep && !reply->close && !draining;
    http->linger = reply->close || draining;
    http1_put_reply(http, http->keep);
    app_replied(&http->exchange);
    if (http->body_rest.len != 0) {
        http->phase = PHASE_SEND;
        return 0;
    }
    end_request(http);
    return 0;
}

static int refuse(struct http1 *http, unsigned status) {
    http->keep = false;
    if (!http->begun) { /* what the log is told */
        http->exchange.path = (struct app_slice){NULL, 0};
        if (http->target != NULL) {
            app_split_target(http->target, http->target_len, &http->exchange.path,
                             &http->exchange.query);
        }
    }
    app_refuse(&http->exchange, status);
    return put_reply(http);
}

static int answer(struct http1 *http) {
    if (app_end(&http->exchange) == APP_LATER) {
        http->phase = PHASE_WAIT;
        return 0;
    }
    return put_reply(http);
}

/* The most the parser may see at once, so that limits are found where they are crossed. */
static size_t window(const struct http1 *http, size_t len) {
    size_t most = http->phase == PHASE_HEAD ? APP_MAX_HEAD - http->head_len : APP_MAX_HEAD;
    return len < most ? len : most;
}

/* All `n` bytes were used and the request is not complete: has a limit been reached? */
static int count_framing(struct http1 *http, size_t n, bool was_head) {
    /* In a body only chunk extensions or trailers without end can make it grow. */
    bool content = http->phase != PHASE_HEAD && (was_head || !http->quiet);
    http->head_len = content ? 0 : http->head_len + (uint32_t)n;
    return http->head_len >= APP_MAX_HEAD ? refuse(http, 431) : 0;
}

/* One step of the parser. Returns 0, or -1: connection lost. */
static int parse_step(struct http1 *http, const char **at, const char *end) {
    bool was_head = http->phase == PHASE_HEAD;
    size_t n = window(http, (size_t)(end - *at));
    http->quiet = true;
    llhttp_errno_t error = llhttp_execute(&http->parser, *at, n);
    if (error == HPE_OK) {
        *at += n;
        if (http->phase == PHASE_HEAD && http->target != NULL && !http->versioned &&
            (*at)[-1] == '\n') {
            return refuse(http, 400); /* HTTP/0.9: llhttp would wait for one byte more */
        }
        return count_framing(http, n, was_head);
    }
    if (error == HPE_PAUSED && http->phase == PHASE_COMPLETE) {
        *at = llhttp_get_error_pos(&http->parser);
        llhttp_resume(&http->parser);
        return answer(http);
    }
    return refuse(http, http->refused != 0 ? http->refused : 400);
}

/* Answers requests until the input ends, the connection must wait.
 * Returns 0, or -1: connection lost. */
static int parse(struct http1 *http, const char **at, const char *end) {
    while (*at != end && !is_stuck(http)) {
        if (http->phase == PHASE_START) {
            /* RFC 9112 2.2: empty lines before a request are ignored. */
            if (**at == '\r' || **at == '\n') {
                ++*at;
                continue;
            }
            begin_request(http);
        }
        if (http->phase != PHASE_HEAD && http->phase != PHASE_BODY) {
            return 0;
        }
        if (parse_step(http, at, end) != 0) {
            return -1;
        }
    }
    return 0;
}

static void drop_stash(struct http1 *http) {
    free(http->stash);
    http->stash = NULL;
    http->stash_at = http->stash_len = 0;
}

/* Makes the rest of the input, and the target that may point into it, outlive the caller's data. */
static int keep_input(struct http1 *http, const char *at, const char *end) {
    if (http1_keep_target(http) != 0) {
        return -1;
    }
    if (at == end) {
        drop_stash(http);
    } else if (http->stash != NULL) {
        http->stash_at = (uint32_t)(at - http->stash);
    } else {
        http->stash = malloc((size_t)(end - at));
        if (http->stash == NULL) {
            return -1;
        }
        memcpy(http->stash, at, (size_t)(end - at));
        http->stash_at = 0;
        http->stash_len = (uint32_t)(end - at);
    }
    return 0;
}

/* Goes on with the input until nothing more can be done. */
static enum http1_next drive(struct http1 *http, const char *at, const char *end) {
    do {
        if (parse(http, &at, end) != 0 || flush(http) != 0) {
            http->worker->out_len = 0;
            return HTTP1_DEAD;
        }
    } while (at != end && !is_stuck(http) && http->phase <= PHASE_BODY);
    if (http->phase >= PHASE_CLOSE && !is_stuck(http)) {
        enum http1_next next = http->phase == PHASE_CLOSE && at == end ? HTTP1_CLOSE : HTTP1_LINGER;
        drop_stash(http);
        return next;
    }
    if (keep_input(http, at, end) != 0) {
        return HTTP1_DEAD;
    }
    if (is_stuck(http)) {
        return HTTP1_WRITE;
    }
    return http->phase == PHASE_WAIT ? HTTP1_WAIT : HTTP1_READ;
}

static enum http1_next drive_stash(struct http1 *http) {
    static const char none[1];
    if (http->stash == NULL) {
        return drive(http, none, none);
    }
    return drive(http, http->stash + http->stash_at, http->stash + http->stash_len);
}

enum http1_next http1_feed(struct http1 *http, const char *data, size_t len) {
    return drive(http, data, data + len);
}

enum http1_next http1_resume(struct http1 *http) {
    http->phase = PHASE_READY;
    if (is_stuck(http)) {
        return HTTP1_WRITE; /* the transport holds http1_pending: nothing may be added to it now */
    }
    return put_reply(http) != 0 ? HTTP1_DEAD : drive_stash(http);
}

int http1_pending(struct http1 *http, struct iovec iov[2]) {
    int n = 0;
    if (http->pending_at != http->pending_len) {
        iov[n++] =
            (struct iovec){http->pending + http->pending_at, http->pending_len - http->pending_at};
    }
    if (http->body_rest.len != 0) {
        iov[n++] = (struct iovec){(void *)http->body_rest.base, http->body_rest.len};
    }
    return n;
}

enum http1_next http1_written(struct http1 *http, size_t n) {
    size_t head = http->pending_len - http->pending_at;
    head = n < head ? n : head;
    http->pending_at += (uint32_t)head;
    advance_body(http, n - head);
    http->moved = http->moved || n != 0;
    if (http->pending_at != http->pending_len || http->body_rest.len != 0) {
        return HTTP1_WRITE;
    }
    free(http->pending);
    http->pending = NULL;
    http->pending_at = http->pending_len = 0;
    if (http->phase == PHASE_SEND) {
        end_request(http);
    } else if (http->phase == PHASE_READY && put_reply(http) != 0) {
        return HTTP1_DEAD;
    }
    return drive_stash(http);
}
