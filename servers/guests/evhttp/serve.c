#include "guests/evhttp/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guests/evhttp/log.h"
#include "guests/evhttp/routes.h"

#define IDLE_SECONDS 60
#define BODY_MAX     ((ev_ssize_t)1024 * 1024 * 1024)
#define HEADERS_MAX  ((ev_ssize_t)64 * 1024)

struct serve {
    struct event_base *base;
    struct evhttp *http;
    struct event *stop;
    struct log *log;
};

static const char *method_of(const struct evhttp_request *request) {
    switch (evhttp_request_get_command(request)) {
    case EVHTTP_REQ_GET:
        return "GET";
    case EVHTTP_REQ_HEAD:
        return "HEAD";
    case EVHTTP_REQ_POST:
        return "POST";
    default:
        return "-";
    }
}

void serve_reply(struct serve *s, struct evhttp_request *request, int status, const char *type,
                 struct evbuffer *body) {
    size_t size = evbuffer_get_length(body);
    char length[24];
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type", type);
    if (evhttp_request_get_command(request) == EVHTTP_REQ_HEAD) {
        /* evhttp sets it only where a body goes out. */
        (void)snprintf(length, sizeof length, "%zu", size);
        evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Length", length);
        evbuffer_drain(body, size);
    }
    if (s->log != NULL) {
        char *peer = NULL;
        ev_uint16_t port;
        evhttp_connection_get_peer(evhttp_request_get_connection(request), &peer, &port);
        log_add(s->log, peer != NULL ? peer : "-", method_of(request),
                evhttp_request_get_uri(request), status, size);
    }
    evhttp_send_reply(request, status, NULL, body);
}

static void on_stop(evutil_socket_t fd, short what, void *data) {
    (void)fd;
    (void)what;
    event_base_loopbreak(data);
}

static bool fill_address(const struct serve_options *options, struct sockaddr_storage *address,
                         int *size) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, options->host, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)options->port);
        *size = sizeof *v4;
        return true;
    }
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons((uint16_t)options->port);
    *size = sizeof *v6;
    return inet_pton(AF_INET6, options->host, &v6->sin6_addr) == 1;
}

static bool serve_listen(struct serve *s, const struct serve_options *options) {
    struct sockaddr_storage address;
    int size;
    if (!fill_address(options, &address, &size)) {
        fprintf(stderr, "guest-evhttp: --host %s is not a numeric address\n", options->host);
        return false;
    }
    unsigned flags = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE;
    if (options->workers > 1) {
        flags |= LEV_OPT_REUSEABLE_PORT;
    }
    struct evconnlistener *listener = evconnlistener_new_bind(
        s->base, NULL, NULL, flags, options->backlog, (const struct sockaddr *)&address, size);
    if (listener == NULL) {
        fprintf(stderr, "guest-evhttp: cannot listen on %s:%d: %s; choose another port\n",
                options->host, options->port, strerror(errno));
        return false;
    }
    if (evhttp_bind_listener(s->http, listener) == NULL) {
        fprintf(stderr, "guest-evhttp: evhttp does not take the listening socket\n");
        evconnlistener_free(listener);
        return false;
    }
    return true;
}

static void serve_close(struct serve *s) {
    if (s->http != NULL) {
        evhttp_free(s->http);
    }
    log_close(s->log);
    if (s->stop != NULL) {
        event_free(s->stop);
    }
    if (s->base != NULL) {
        event_base_free(s->base);
    }
    free(s);
}

struct serve *serve_open(const struct serve_options *options) {
    struct serve *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->base = event_base_new();
    s->http = s->base != NULL ? evhttp_new(s->base) : NULL;
    s->stop = s->base != NULL ? event_new(s->base, options->stop, EV_READ, on_stop, s->base) : NULL;
    if (s->http == NULL || s->stop == NULL || event_add(s->stop, NULL) != 0) {
        fprintf(
            stderr,
            "guest-evhttp: cannot set up libevent; raise the limit of open files (ulimit -n)\n");
        serve_close(s);
        return NULL;
    }
    if (options->log != NULL && (s->log = log_open(s->base, options->log)) == NULL) {
        serve_close(s);
        return NULL;
    }
    evhttp_set_allowed_methods(s->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST);
    evhttp_set_timeout(s->http, IDLE_SECONDS);
    evhttp_set_max_body_size(s->http, BODY_MAX);
    evhttp_set_max_headers_size(s->http, HEADERS_MAX);
    if (!routes_add(s->http, s) || !serve_listen(s, options)) {
        serve_close(s);
        return NULL;
    }
    return s;
}

void serve_run(struct serve *s) {
    event_base_dispatch(s->base);
    serve_close(s);
}

struct event_base *serve_base(const struct serve *s) {
    return s->base;
}
