/*
 * http1 against any bytes. The first four bytes of an input choose how the rest is cut and how the
 * other side takes the output; the same bytes fed whole must give the same replies.
 */
#include "common/http1.h"
#include "common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT_MAX ((size_t)1 << 22)

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct side {
    struct http1 http; /* first */
    char *out;
    size_t len, room;
};

static struct http1_worker worker;
static _Alignas(64) struct app_worker app;
static struct options options;
static struct app_exchange *later;
static unsigned begun, ended;
static char large[HTTP1_INLINE_BODY + 1000];

static ssize_t side_write(struct http1 *http, const struct iovec *iov, int count) {
    struct side *side = (struct side *)http;
    size_t taken = 0;
    for (int i = 0; i < count; i++) {
        size_t n = iov[i].iov_len < side->room ? iov[i].iov_len : side->room;
        CHECK(side->len + n <= OUT_MAX);
        memcpy(side->out + side->len, iov[i].iov_base, n);
        side->len += n;
        side->room -= n;
        taken += n;
    }
    return (ssize_t)taken;
}

static void side_ready(struct http1 *http) {
    (void)http;
}

static const struct http1_io io = {side_write, side_ready};

static enum app_when handle_now(struct app_exchange *exchange) {
    begun++;
    exchange->reply = (struct app_reply){.status = 200,
                                         .reason = APP_SLICE("OK"),
                                         .content_type = APP_SLICE("text/plain"),
                                         .body = exchange->path};
    return APP_NOW;
}

static enum app_when handle_large(struct app_exchange *exchange) {
    handle_now(exchange);
    exchange->reply.body = (struct app_slice){large, sizeof large};
    return APP_NOW;
}

static enum app_when handle_later(struct app_exchange *exchange) {
    handle_large(exchange);
    later = exchange;
    return APP_LATER;
}

static void on_body(struct app_exchange *exchange, const char *data, size_t len) {
    (void)exchange;
    unsigned sum = 0;
    for (size_t i = 0; i < len; i++) {
        sum += (unsigned char)data[i]; /* the sanitizer sees each byte read */
    }
    CHECK(sum != 1u << 31);
}

static void finish(struct app_exchange *exchange) {
    (void)exchange;
    ended++;
}

#define ALL (1U << APP_GET | 1U << APP_POST | 1U << APP_OTHER)

static const struct app_route routes[] = {
    {{"/", 1}, ALL, {"GET", 3}, handle_now, on_body, finish},
    {{"/large", 6}, ALL, {"GET", 3}, handle_large, on_body, finish},
    {{"/later", 6}, ALL, {"GET", 3}, handle_later, NULL, finish},
};

/* Takes what is stuck and answers what waits, until there is room to read or the end. */
static enum http1_next settle(struct side *side, enum http1_next next, size_t room) {
    struct iovec iov[2];
    while (next == HTTP1_WRITE || next == HTTP1_WAIT) {
        side->room = room;
        if (next == HTTP1_WAIT) {
            CHECK(later != NULL);
            struct app_exchange *exchange = later;
            later = NULL;
            exchange->ready(exchange);
            next = http1_resume(&side->http);
        } else {
            int count = http1_pending(&side->http, iov);
            CHECK(count > 0 && iov[0].iov_len > 0);
            next = http1_written(&side->http, (size_t)side_write(&side->http, iov, count));
        }
    }
    side->room = room;
    return next;
}

static enum http1_next feed_copy(struct side *side, const uint8_t *data, size_t n) {
    char *copy = malloc(n);
    CHECK(copy != NULL);
    memcpy(copy, data, n);
    enum http1_next next = http1_feed(&side->http, copy, n);
    free(copy);
    return next;
}

static enum http1_next feed(struct side *side, const uint8_t *data, size_t size, size_t step,
                            size_t room) {
    enum http1_next next = HTTP1_READ;
    http1_init(&side->http, &worker);
    side->len = 0;
    side->room = room;
    for (size_t at = 0; at < size && next == HTTP1_READ;) {
        size_t n = step < size - at ? step : size - at;
        next = feed_copy(side, data + at, n);
        if (next == HTTP1_WAIT && http1_may_feed(&side->http) && at + n < size && step % 2 == 0) {
            at += n; /* more comes while the reply is waited for */
            n = step < size - at ? step : size - at;
            next = feed_copy(side, data + at, n);
            CHECK(next == HTTP1_WAIT && !http1_may_feed(&side->http));
        }
        next = settle(side, next, room);
        CHECK(worker.out_len == 0);
        CHECK(next != HTTP1_DEAD);
        CHECK(next != HTTP1_READ || (side->http.stash == NULL && side->http.pending == NULL));
        CHECK(side->http.kept_size <= APP_MAX_TARGET);
        CHECK(!http1_idle(&side->http) || side->http.kept == NULL);
        at += n;
    }
    http1_release(&side->http);
    CHECK(begun <= ended); /* what was handled was finished */
    later = NULL;
    return next;
}

/* The second may have changed between the two: compare without dates. */
static void blank_dates(struct side *side) {
    side->out[side->len] = '\0';
    for (char *at = side->out;
         (at = memmem(at, side->len - (size_t)(at - side->out), "\nDate: ", 7)) != NULL;) {
        at += 7;
        memset(at, '-', DATE_LEN);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct side whole;
    static struct side cut;
    if (whole.out == NULL) {
        char *arguments[] = {(char *)"fuzz", NULL};
        char error[256];
        CHECK(options_parse(&options, 1, arguments, error, sizeof error) == OPTIONS_RUN);
        app_worker_init(&app, &options, NULL);
        app.routes = routes;
        app.num_routes = sizeof routes / sizeof routes[0];
        http1_worker_init(&worker, &app, &io, 1000);
        whole.out = malloc(OUT_MAX + 1);
        cut.out = malloc(OUT_MAX + 1);
        CHECK(whole.out != NULL && cut.out != NULL);
        memset(large, 'L', sizeof large);
    }
    if (size < 4 || size > 8192) {
        return 0;
    }
    size_t step = 1 + ((size_t)data[0] | (size_t)data[1] << 8) % 600;
    size_t room = 1 + ((size_t)data[2] | (size_t)data[3] << 8);
    data += 4;
    size -= 4;
    enum http1_next a = feed(&whole, data, size, size == 0 ? 1 : size, SIZE_MAX);
    enum http1_next b = feed(&cut, data, size, step, room);
    blank_dates(&whole);
    blank_dates(&cut);
    CHECK((a == HTTP1_READ) == (b == HTTP1_READ));
    CHECK(whole.len == cut.len && memcmp(whole.out, cut.out, cut.len) == 0);
    return 0;
}
