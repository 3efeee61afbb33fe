#include "count/client.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/client_parts.h"

#define END_AT_MOST INT64_C(500000000) /* ns */

void client_fail(struct client *c, const char *format, ...) {
    char text[256];
    va_list ap;
    if (c->failed) {
        return;
    }
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    c->failed = true;
    err_set(c->e, ERR_FAILED, "%s (after %" PRId64 " of %" PRId64 " replies)", text,
            c->out->replies, c->spec->requests);
}

static void on_closed(uv_handle_t *handle) {
    struct link *l = (struct link *)handle;
    l->client->links--;
}

static void close_link(struct link *l) {
    if (l->open) {
        l->open = false;
        uv_close((uv_handle_t *)&l->tcp, on_closed);
    }
}

static int on_field(llhttp_t *parser, const char *at, size_t n) {
    struct link *l = parser->data;
    date_field(&l->date, at, n);
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t n) {
    struct link *l = parser->data;
    date_value(&l->date, at, n);
    return 0;
}

static int on_reply(llhttp_t *parser) {
    struct link *l = parser->data;
    struct client *c = l->client;
    c->out->replies++;
    const bool first = c->date[0] == '\0';
    c->out->seconds += date_changed(&l->date, c->date) && !first;
    if (parser->status_code != c->spec->status) {
        client_fail(c, "a reply has status %d in place of %d", parser->status_code,
                    c->spec->status);
    } else if (l->waiting == 0) {
        client_fail(c, "a reply came that nobody had asked for");
    } else {
        l->waiting--;
        c->waiting--;
    }
    if (!llhttp_should_keep_alive(parser) && c->out->replies < c->spec->requests) {
        client_fail(c, "it does not keep its connections");
    }
    return c->failed ? HPE_USER : 0;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf) {
    struct client *c = ((struct link *)handle)->client;
    (void)suggested;
    *buf = uv_buf_init(c->buf, sizeof c->buf);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf) {
    struct link *l = (struct link *)stream;
    struct client *c = l->client;
    c->moves++;
    if (n < 0 && c->ending) {
        l->ended = true;
        return;
    }
    if (n < 0) {
        client_fail(c, n == UV_EOF ? "a connection was closed%s" : "a connection broke: %s",
                    n == UV_EOF ? "" : uv_strerror((int)n));
        return;
    }
    c->out->received += n;
    const llhttp_errno_t bad = llhttp_execute(&l->parser, buf->base, (size_t)n);
    if (bad != HPE_OK) {
        client_fail(c, "a reply is not HTTP: %s", llhttp_errno_name(bad));
    } else if (c->waiting == 0 && !c->failed) {
        client_next_turn(c);
    }
}

static void on_connected(uv_connect_t *connect, int status) {
    struct link *l = connect->data;
    struct client *c = l->client;
    c->moves++;
    if (status < 0) {
        if (status != UV_ECANCELED) {
            client_fail(c, "a connection is refused: %s", uv_strerror(status));
        }
        return;
    }
    const int rc = uv_read_start((uv_stream_t *)&l->tcp, on_alloc, on_read);
    if (rc != 0) {
        client_fail(c, "a connection cannot be read: %s", uv_strerror(rc));
    } else if (++c->connected == c->spec->connections) {
        client_next_turn(c);
    }
}

static void open_link(struct client *c, struct link *l, const struct sockaddr *address) {
    int rc = uv_tcp_init(&c->loop->uv, &l->tcp);
    if (rc == 0) {
        l->client = c;
        l->open = true;
        c->links++;
        llhttp_init(&l->parser, HTTP_RESPONSE, &c->settings);
        l->parser.data = l;
        l->connect.data = l;
        rc = uv_tcp_connect(&l->connect, &l->tcp, address, on_connected);
    }
    if (rc == 0) {
        rc = uv_tcp_nodelay(&l->tcp, 1);
    }
    if (rc != 0) {
        client_fail(c, "no connection: %s", uv_strerror(rc));
    }
}

static void on_timer_closed(uv_handle_t *handle) {
    struct client *c = handle->data;
    c->links--;
}

static bool is_done(void *ctx) {
    const struct client *c = ctx;
    return c->failed || (c->connected == c->spec->connections && c->waiting == 0 &&
                         c->asked == c->spec->requests);
}

static bool is_closed(void *ctx) {
    const struct client *c = ctx;
    return c->links == 0;
}

static bool has_ended(void *ctx) {
    const struct client *c = ctx;
    for (int i = 0; i < c->spec->connections; i++) {
        if (!c->link[i].ended) {
            return false;
        }
    }
    return true;
}

/* The target sees the end of every connection before it is told to stop, whoever would be quicker.
 * One that does not close what its client has closed is not waited for long. */
static void end_links(struct client *c) {
    c->ending = true;
    for (int i = 0; i < c->spec->connections; i++) {
        struct link *l = &c->link[i];
        l->ended = uv_shutdown(&l->shutdown, (uv_stream_t *)&l->tcp, NULL) != 0;
    }
    loop_wait(c->loop, has_ended, c, END_AT_MOST);
    client_settle();
}

/* Waits as long as something moves. */
static enum client_end drive(struct client *c) {
    uint64_t before;
    do {
        before = c->moves;
        switch (loop_wait(c->loop, is_done, c, c->spec->stall_ns)) {
        case LOOP_DONE:
            return c->failed ? CLIENT_FAILED : CLIENT_DONE;
        case LOOP_INTERRUPTED:
            return CLIENT_INTERRUPTED;
        case LOOP_TIMEOUT:
            break;
        }
    } while (c->moves != before);
    client_fail(c, "no reply for %.0f s", (double)c->spec->stall_ns / 1e9);
    return CLIENT_FAILED;
}

static int resolve(const struct client_spec *s, struct addrinfo **out, struct err *e) {
    char port[16];
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    snprintf(port, sizeof port, "%d", s->port);
    const int rc = getaddrinfo(s->host, port, &hints, out);
    return rc == 0 ? 0
                   : err_set(e, ERR_FAILED, "no address for %s: %s; correct the host of its url",
                             s->host, gai_strerror(rc));
}

static enum client_end run(struct client *c) {
    struct addrinfo *address = NULL;
    if (resolve(c->spec, &address, c->e) != 0) {
        return CLIENT_FAILED;
    }
    for (int i = 0; i < c->spec->pipeline; i++) {
        c->bufs[i] = uv_buf_init((char *)c->spec->request, (unsigned)c->spec->request_len);
    }
    llhttp_settings_init(&c->settings);
    c->settings.on_header_field = on_field;
    c->settings.on_header_value = on_value;
    c->settings.on_message_complete = on_reply;
    uv_timer_init(&c->loop->uv, &c->second);
    c->second.data = c;
    c->links++;
    for (int i = 0; i < c->spec->connections && !c->failed; i++) {
        open_link(c, &c->link[i], address->ai_addr);
    }
    freeaddrinfo(address);
    const enum client_end end = drive(c);
    if (end == CLIENT_DONE) {
        end_links(c);
    }
    uv_close((uv_handle_t *)&c->second, on_timer_closed);
    for (int i = 0; i < c->spec->connections; i++) {
        close_link(&c->link[i]);
    }
    /* Closing takes a turn of the loop and cannot fail; a second interrupt must not cut it off. */
    while (loop_wait(c->loop, is_closed, c, INT64_C(1000000000)) != LOOP_DONE) {
    }
    return end;
}

enum client_end client_run(struct loop *loop, const struct client_spec *spec,
                           struct client_result *out, struct err *e) {
    struct client *c = calloc(1, sizeof *c);
    enum client_end end = CLIENT_FAILED;
    *out = (struct client_result){0};
    if (c) {
        c->spec = spec;
        c->loop = loop;
        c->out = out;
        c->e = e;
        c->link = calloc((size_t)spec->connections, sizeof *c->link);
        c->bufs = calloc((size_t)spec->pipeline, sizeof *c->bufs);
    }
    if (c && c->link && c->bufs) {
        end = run(c);
    } else {
        err_set(e, ERR_MACHINE, "out of memory for %d connections", spec->connections);
    }
    if (c) {
        free(c->link);
        free(c->bufs);
    }
    free(c);
    return end;
}
