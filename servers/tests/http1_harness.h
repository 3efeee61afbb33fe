/* One connection of http1 without a socket: what it writes is gathered, with every Date's value
 * replaced by "-", and the room of the other side can be limited. */
#ifndef LOOPBENCH_SERVERS_TESTS_HTTP1_HARNESS_H
#define LOOPBENCH_SERVERS_TESTS_HTTP1_HARNESS_H

#include "common/http1.h"
#include "common/options.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct harness {
    struct http1 http; /* first */
    enum http1_next next;
    char *out;
    size_t out_len, out_size;
    size_t room;     /* what write takes before it is stuck */
    bool broken;     /* write fails */
    unsigned writes; /* calls of write that took something */
    unsigned readied;
};

struct harness_world {
    struct app_worker app;
    struct http1_worker worker;
    struct options options;
};

static inline void harness_keep(struct harness *h, const char *data, size_t len) {
    if (h->out_len + len + 1 > h->out_size) {
        h->out_size = (h->out_len + len + 1) * 2;
        h->out = realloc(h->out, h->out_size);
        assert_non_null(h->out);
    }
    memcpy(h->out + h->out_len, data, len);
    h->out_len += len;
    h->out[h->out_len] = '\0';
}

static ssize_t harness_write(struct http1 *http, const struct iovec *iov, int count) {
    struct harness *h = (struct harness *)http;
    size_t taken = 0;
    if (h->broken) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        size_t n = iov[i].iov_len < h->room ? iov[i].iov_len : h->room;
        harness_keep(h, iov[i].iov_base, n);
        h->room -= n;
        taken += n;
    }
    h->writes += taken != 0;
    return (ssize_t)taken;
}

static void harness_ready(struct http1 *http) {
    ((struct harness *)http)->readied++;
}

static const struct http1_io harness_io = {harness_write, harness_ready};

static inline struct harness_world *world_new(void) {
    char *no_arguments[] = {(char *)"test", NULL};
    char error[256];
    struct harness_world *made = aligned_alloc(64, (sizeof *made + 63) / 64 * 64);
    assert_non_null(made);
    assert_int_equal(options_parse(&made->options, 1, no_arguments, error, sizeof error),
                     OPTIONS_RUN);
    app_worker_init(&made->app, &made->options, NULL);
    http1_worker_init(&made->worker, &made->app, &harness_io, made->options.max_body);
    return made;
}

static inline void harness_init(struct harness *h, struct harness_world *world) {
    memset(h, 0, sizeof *h);
    http1_init(&h->http, &world->worker);
    h->next = HTTP1_READ;
    h->room = SIZE_MAX;
    harness_keep(h, "", 0);
}

static inline void harness_release(struct harness *h) {
    http1_release(&h->http);
    free(h->out);
}

/* Feeds from a copy of exactly that size, so that a reader past its end or after the call shows. */
static inline void harness_feed(struct harness *h, const char *data, size_t len) {
    assert_int_equal(h->next, HTTP1_READ);
    char *copy = malloc(len == 0 ? 1 : len);
    assert_non_null(copy);
    memcpy(copy, data, len);
    h->next = http1_feed(&h->http, copy, len);
    memset(copy, '#', len);
    free(copy);
}

/* Takes up to `n` bytes of what is stuck. */
static inline void harness_drain(struct harness *h, size_t n) {
    struct iovec iov[2];
    assert_int_equal(h->next, HTTP1_WRITE);
    int pieces = http1_pending(&h->http, iov);
    assert_true(pieces > 0);
    h->room = n;
    ssize_t taken = harness_write(&h->http, iov, pieces);
    h->next = http1_written(&h->http, (size_t)taken);
}

/* Blanks the value of every Date header in place. */
static inline void harness_blank_dates(struct harness *h) {
    for (char *at = h->out; (at = strstr(at, "\r\nDate: ")) != NULL;) {
        at += 8;
        memset(at, '-', strcspn(at, "\r"));
    }
}

#endif
