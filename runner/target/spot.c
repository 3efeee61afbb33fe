#include "target/spot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/clock.h"
#include "target/http.h"

#define CLOSE_NS 1000000000LL
#define HALF_MS  INT64_C(500000)

enum state { SPOT_CLOSED, SPOT_CONNECTING, SPOT_FREE, SPOT_WAITING, SPOT_CLOSING };

struct spot {
    struct loop *loop;
    const struct workload *workload;
    bool strict;
    struct sockaddr_storage address;
    char *request;
    size_t request_len;
    enum state state;
    uv_timer_t timer;
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_write_t write;
    int handles; /* not yet closed */
    struct http_parser *parser;
    struct http_reply reply;
    int64_t sent_ns; /* when the request under way left */
    int64_t newest;  /* id of the newest document so far; 0 = none */
    uint32_t drawn;  /* checksum of the last body that is to be another each time */
    int64_t checked;
    int64_t bytes; /* of the reply that is coming in */
    int64_t len;   /* of every reply judged so far; -1 = they differ */
    char wrong[256];
    char buf[65536];
};

static void spot_on_tcp_closed(uv_handle_t *handle) {
    struct spot *s = handle->data;
    s->handles--;
    s->state = SPOT_CLOSED;
}

static void spot_close(struct spot *s) {
    if (s->state == SPOT_CLOSED || s->state == SPOT_CLOSING) {
        return;
    }
    http_parser_free(s->parser);
    s->parser = NULL;
    s->state = SPOT_CLOSING;
    uv_close((uv_handle_t *)&s->tcp, spot_on_tcp_closed);
}

/* What only the time and the replies before it show. A busy event loop counts a timer from when its
 * turn began, so half of the time to be waited is believed. */
static void spot_judge_work(struct spot *s) {
    const struct workload *w = s->workload;
    const int64_t took = clock_mono_ns() - s->sent_ns;
    if (took < w->least_ms * HALF_MS) {
        snprintf(s->wrong, sizeof s->wrong, "a reply to %s came after %.1f ms, not %" PRId64,
                 w->path, (double)took / 1e6, w->least_ms);
    }
    if (!w->varies) {
        return;
    }
    const uint32_t drawn =
        (uint32_t)crc32_z(0, (const unsigned char *)s->reply.body, s->reply.body_len);
    const int64_t newest = workload_newest(w, s->reply.body, s->reply.body_len);
    if (s->checked > 1 && (drawn == s->drawn || newest < s->newest)) {
        snprintf(s->wrong, sizeof s->wrong, "a reply to %s %s", w->path,
                 drawn == s->drawn ? "is the same as the one before"
                                   : "has a newest document that is older than before");
    }
    s->drawn = drawn;
    s->newest = newest;
}

static void spot_judge(struct spot *s) {
    const struct workload *w = s->workload;
    const struct http_reply *r = &s->reply;
    char type[128];
    char why[160];
    s->len = s->checked > 0 && s->len != s->bytes ? -1 : s->bytes;
    s->checked++;
    if (s->wrong[0]) {
        return;
    }
    http_reply_find(r, "content-type", type, sizeof type);
    size_t media = strcspn(type, "; \t");
    if (r->status != w->status) {
        snprintf(s->wrong, sizeof s->wrong, "a reply to %s has status %d, not %d", w->path,
                 r->status, w->status);
    } else if (media != strlen(w->content_type) || strncasecmp(type, w->content_type, media) != 0) {
        snprintf(s->wrong, sizeof s->wrong, "a reply to %s is of type '%.*s', not %s", w->path,
                 (int)media, type, w->content_type);
    } else if (!workload_check_body(w, s->strict, r->body, r->body_len, why, sizeof why)) {
        snprintf(s->wrong, sizeof s->wrong, "the body of a reply to %s %s", w->path, why);
    } else {
        spot_judge_work(s);
    }
}

static void spot_finding(struct spot *s, const char *what, const char *why) {
    if (!s->wrong[0]) {
        snprintf(s->wrong, sizeof s->wrong, "a reply to %s %s%s%s", s->workload->path, what,
                 *why ? ": " : "", why);
    }
}

static void spot_done(struct spot *s) {
    bool keep = s->reply.keep_alive && s->reply.framed;
    spot_judge(s);
    http_parser_free(s->parser);
    s->parser = NULL;
    http_reply_release(&s->reply);
    s->state = SPOT_FREE;
    if (!keep) {
        spot_close(s);
    }
}

static void spot_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf) {
    struct spot *s = handle->data;
    (void)suggested;
    *buf = uv_buf_init(s->buf, sizeof s->buf);
}

static void spot_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf) {
    struct spot *s = stream->data;
    size_t used = 0;
    bool done = false;
    if (n == 0) {
        return;
    }
    if (n < 0) {
        if (n == UV_EOF && s->state == SPOT_WAITING && http_parser_finish(s->parser) == HTTP_OK) {
            spot_done(s);
        }
        spot_close(s);
        return;
    }
    if (s->state != SPOT_WAITING) {
        spot_finding(s, "is followed by bytes that belong to none", "");
        spot_close(s);
        return;
    }
    enum http_result result = http_parser_feed(s->parser, buf->base, (size_t)n, &used, &done);
    s->bytes += (int64_t)used;
    if (result != HTTP_OK) {
        if (result == HTTP_MALFORMED || result == HTTP_TOO_LARGE) {
            char what[64];
            snprintf(what, sizeof what, "is a %s", http_result_text(result));
            spot_finding(s, what, s->reply.why);
        }
        spot_close(s);
        return;
    }
    if (done) {
        spot_done(s);
        if (used < (size_t)n) {
            spot_finding(s, "is followed by bytes that belong to none", "");
            spot_close(s);
        }
    }
}

static void spot_on_written(uv_write_t *write, int status) {
    struct spot *s = write->data;
    if (status < 0 && status != UV_ECANCELED) {
        spot_close(s);
    }
}

static void spot_send(struct spot *s) {
    uv_buf_t buf = uv_buf_init(s->request, (unsigned)s->request_len);
    s->parser = http_parser_new(&s->reply, false);
    s->state = SPOT_WAITING;
    s->bytes = 0;
    s->write.data = s;
    s->sent_ns = clock_mono_ns();
    if (!s->parser || uv_write(&s->write, (uv_stream_t *)&s->tcp, &buf, 1, spot_on_written) != 0) {
        spot_close(s);
    }
}

static void spot_on_connected(uv_connect_t *connect, int status) {
    struct spot *s = connect->data;
    if (s->state == SPOT_CLOSING) {
        return;
    }
    if (status < 0 || uv_read_start((uv_stream_t *)&s->tcp, spot_alloc, spot_on_read) != 0) {
        spot_close(s);
        return;
    }
    uv_tcp_nodelay(&s->tcp, 1);
    spot_send(s);
}

static void spot_connect(struct spot *s) {
    if (uv_tcp_init(&s->loop->uv, &s->tcp) != 0) {
        return;
    }
    s->handles++;
    s->state = SPOT_CONNECTING;
    s->tcp.data = s;
    s->connect.data = s;
    if (uv_tcp_connect(&s->connect, &s->tcp, (const struct sockaddr *)&s->address,
                       spot_on_connected) != 0) {
        spot_close(s);
    }
}

static void spot_next(struct spot *s) {
    if (s->state == SPOT_CLOSED) {
        spot_connect(s);
    } else if (s->state == SPOT_FREE) {
        spot_send(s);
    }
}

static void spot_on_tick(uv_timer_t *timer) {
    spot_next(timer->data);
}

static bool spot_address(struct spot *s, const struct spot_spec *spec) {
    return uv_ip4_addr(spec->host, spec->port, (struct sockaddr_in *)&s->address) == 0 ||
           uv_ip6_addr(spec->host, spec->port, (struct sockaddr_in6 *)&s->address) == 0;
}

static bool spot_request(struct spot *s, const struct spot_spec *spec) {
    const struct workload *w = spec->workload;
    const struct http_request request = {
        .method = w->method,
        .path = w->path,
        .minor = 1,
        .headers = w->headers,
        .body = w->body,
        .body_len = w->body_len,
    };
    size_t room = 1024 + strlen(w->path) + strlen(w->headers) + w->body_len;
    s->request = malloc(room);
    s->request_len =
        s->request ? http_format_request(&request, spec->host, spec->port, s->request, room) : 0;
    return s->request_len > 0;
}

struct spot *spot_start(struct loop *loop, const struct spot_spec *spec) {
    struct spot *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->loop = loop;
    s->workload = spec->workload;
    s->strict = spec->strict;
    if (!spot_address(s, spec) || !spot_request(s, spec) ||
        uv_timer_init(&loop->uv, &s->timer) != 0) {
        free(s->request);
        free(s);
        return NULL;
    }
    s->timer.data = s;
    s->handles = 1;
    return s;
}

void spot_pace(struct spot *s, int64_t interval_ns) {
    uint64_t ms = (uint64_t)(interval_ns / 1000000);
    uv_timer_stop(&s->timer);
    if (interval_ns > 0) {
        uv_timer_start(&s->timer, spot_on_tick, ms / 5, ms > 0 ? ms : 1);
    }
}

/* A wait for one more judged reply. */
struct wait {
    struct spot *spot;
    int64_t checked;
    int left; /* requests it may still begin: a kept connection may have been closed meanwhile */
};

static bool spot_is_judged(void *ctx) {
    struct wait *w = ctx;
    struct spot *s = w->spot;
    if (s->checked != w->checked || s->wrong[0]) {
        return true;
    }
    if ((s->state == SPOT_CLOSED || s->state == SPOT_FREE) && w->left-- > 0) {
        spot_next(s);
        return false;
    }
    return w->left < 0;
}

enum spot_answer spot_ask(struct spot *s, int64_t timeout_ns) {
    struct wait w = {s, s->checked, 2};
    const enum loop_wait how = loop_wait(s->loop, spot_is_judged, &w, timeout_ns);
    return s->checked != w.checked ? SPOT_JUDGED
           : how == LOOP_TIMEOUT   ? SPOT_UNANSWERED
                                   : SPOT_BROKEN;
}

int64_t spot_checked(const struct spot *s) {
    return s->checked;
}

int64_t spot_reply_bytes(const struct spot *s) {
    return s->checked > 1 ? s->len : -1;
}

const char *spot_wrong(const struct spot *s) {
    return s->wrong[0] ? s->wrong : NULL;
}

static void spot_on_timer_closed(uv_handle_t *handle) {
    struct spot *s = handle->data;
    s->handles--;
}

static bool spot_is_closed(void *ctx) {
    const struct spot *s = ctx;
    return s->handles == 0;
}

void spot_stop(struct spot *s) {
    if (!s) {
        return;
    }
    uv_close((uv_handle_t *)&s->timer, spot_on_timer_closed);
    spot_close(s);
    while (!spot_is_closed(s)) { /* closing needs a turn or two of the loop, whatever happens */
        loop_wait(s->loop, spot_is_closed, s, CLOSE_NS);
    }
    http_reply_release(&s->reply);
    free(s->request);
    free(s);
}
