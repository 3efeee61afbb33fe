/* http1_conn: what a connection waits for, when it is given up, how it ends. Time is moved by
 * setting stamps back, never by waiting. */
#include "common/http1_conn.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define GET "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
#define BAD "nonsense\r\n\r\n"

struct fake {
    struct conn conn; /* first */
    size_t room;      /* what write takes */
    size_t written;
    bool half_closed, closed, broken;
};

static struct worker *worker;
static struct conn_worker *owner;
static uint64_t armed_ms; /* the last wake_in, UINT64_MAX: none */

static ssize_t fake_write(struct conn *conn, const struct iovec *iov, int count) {
    struct fake *fake = (struct fake *)conn;
    size_t taken = 0;
    for (int i = 0; i < count; i++) {
        size_t n = iov[i].iov_len < fake->room ? iov[i].iov_len : fake->room;
        fake->room -= n;
        taken += n;
    }
    fake->written += taken;
    return fake->broken ? -1 : (ssize_t)taken;
}

static void fake_want(struct conn *conn, enum conn_want want) {
    assert_int_equal(conn->want, want);
}

static void fake_half_close(struct conn *conn) {
    assert_false(((struct fake *)conn)->half_closed);
    ((struct fake *)conn)->half_closed = true;
}

static void fake_close(struct conn *conn) {
    assert_false(((struct fake *)conn)->closed);
    ((struct fake *)conn)->closed = true;
}

static void fake_wake_in(struct conn_worker *unused, uint64_t ms) {
    (void)unused;
    armed_ms = ms;
}

static const struct conn_io io = {fake_write, fake_want, fake_half_close, fake_close, fake_wake_in};

static void fake_open(struct fake *fake) {
    memset(fake, 0, sizeof *fake);
    fake->room = SIZE_MAX;
    conn_init(&fake->conn, owner);
}

static void feed(struct fake *fake, const char *text) {
    conn_on_read(&fake->conn, text, strlen(text));
}

/* As if nothing had happened on the connection for longer than any timeout. */
static void age(struct fake *fake) {
    fake->conn.link.stamp_ms = 0;
}

static void test_keeps_reading(void **state) {
    struct fake a;
    (void)state;
    fake_open(&a);
    assert_int_equal(owner->open, 1);
    assert_true(armed_ms <= worker->options->idle_timeout_ms); /* the deadline is watched */
    feed(&a, GET);
    assert_true(a.written > 100);
    assert_int_equal(a.conn.want, CONN_WANT_READ);
    conn_on_end(&a.conn);
    assert_true(a.closed);
    assert_int_equal(owner->open, 0);
    assert_int_equal(stats_get(&worker->app.counters.accepted), 1);
    assert_int_equal(stats_get(&worker->app.counters.closed), 1);
}

static void test_stuck_output(void **state) {
    struct fake a;
    struct iovec iov[2];
    (void)state;
    fake_open(&a);
    a.room = 10;
    feed(&a, GET);
    assert_int_equal(a.conn.want, CONN_WANT_WRITE);
    assert_int_equal(http1_pending(&a.conn.http, iov), 1);
    conn_on_written(&a.conn, 1);
    assert_int_equal(a.conn.want, CONN_WANT_WRITE);
    assert_int_equal(http1_pending(&a.conn.http, iov), 1);
    conn_on_written(&a.conn, (ssize_t)iov[0].iov_len);
    assert_int_equal(a.conn.want, CONN_WANT_READ);
    a.room = 0;
    feed(&a, GET);
    conn_on_written(&a.conn, -1);
    assert_true(a.closed);
}

static void test_broken_output(void **state) {
    struct fake a;
    (void)state;
    fake_open(&a);
    a.broken = true;
    feed(&a, GET);
    assert_true(a.closed);
}

static void test_idle_is_dropped(void **state) {
    struct fake a;
    struct fake b;
    (void)state;
    fake_open(&a);
    fake_open(&b);
    age(&a);
    conn_sweep(owner);
    assert_true(a.closed);
    assert_false(b.closed);
    conn_on_end(&b.conn);
}

/* Bytes that do not complete a request buy no time; a completed request does. */
static void test_only_requests_buy_time(void **state) {
    struct fake a;
    (void)state;
    fake_open(&a);
    feed(&a, "GET /hello HTTP/1.1\r\n");
    age(&a);
    feed(&a, "Host: a\r\n");
    assert_int_equal(a.conn.link.stamp_ms, 0);
    feed(&a, "\r\n");
    assert_int_not_equal(a.conn.link.stamp_ms, 0);
    age(&a);
    feed(&a, "G"); /* the next one begins */
    assert_int_not_equal(a.conn.link.stamp_ms, 0);
    age(&a);
    feed(&a, "E");
    conn_sweep(owner);
    assert_true(a.closed);
}

static void test_stuck_is_dropped(void **state) {
    struct fake a;
    (void)state;
    fake_open(&a);
    a.room = 0;
    feed(&a, GET);
    age(&a);
    conn_sweep(owner);
    assert_true(a.closed);
}

static void test_lingers_after_refusal(void **state) {
    struct fake a;
    (void)state;
    fake_open(&a);
    feed(&a, BAD);
    assert_true(a.half_closed);
    assert_false(a.closed);
    assert_int_equal(a.conn.want, CONN_WANT_READ);
    assert_true(armed_ms <= CONN_LINGER_MS);
    size_t written = a.written;
    feed(&a, GET); /* read off, not answered */
    assert_int_equal(a.written, written);
    age(&a);
    conn_sweep(owner);
    assert_true(a.closed);
}

static void test_lingering_is_bounded(void **state) {
    static char much[1 << 16];
    struct fake a;
    uint64_t sent = 0;
    (void)state;
    fake_open(&a);
    feed(&a, BAD);
    while (!a.closed && sent < 2 * CONN_LINGER_BYTES) {
        conn_on_read(&a.conn, much, sizeof much);
        sent += sizeof much;
    }
    assert_true(a.closed);
    assert_in_range(sent, CONN_LINGER_BYTES, CONN_LINGER_BYTES + 2 * sizeof much);
}

static void test_close_without_lingering(void **state) {
    struct fake a;
    (void)state;
    fake_open(&a);
    feed(&a, "GET /hello HTTP/1.0\r\n\r\n");
    assert_true(a.closed);
    assert_false(a.half_closed);
}

static void test_drain(void **state) {
    struct fake idle;
    struct fake busy;
    (void)state;
    fake_open(&idle);
    fake_open(&busy);
    feed(&busy, "GET /hello");
    conn_drain(owner);
    assert_false(conn_drained(owner));
    conn_sweep(owner); /* within the grace */
    assert_false(idle.closed);
    owner->drain_since = idle_now() - CONN_GRACE_MS;
    conn_sweep(owner);
    assert_true(idle.closed);
    assert_false(busy.closed);
    assert_true(armed_ms <= CONN_GRACE_MS);
    owner->drain_since = idle_now() - SERVER_DRAIN_MS;
    conn_sweep(owner);
    assert_true(busy.closed);
    assert_true(conn_drained(owner));
}

/* --- replies that come later --- */

static struct app_exchange *later; /* of the last /later */
static unsigned finished;

static enum app_when handle_later(struct app_exchange *exchange) {
    later = exchange;
    return APP_LATER;
}

static void finish_later(struct app_exchange *exchange) {
    (void)exchange;
    finished++;
}

static const struct app_route routes[] = {
    {{"/later", 6}, 1U << APP_GET, {"GET, HEAD", 9}, handle_later, NULL, finish_later},
};

#define LATER "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"

static void open_waiting(struct fake *fake) {
    finished = 0;
    worker->app.routes = routes;
    worker->app.num_routes = 1;
    fake_open(fake);
    feed(fake, LATER);
    assert_int_equal(fake->written, 0);
    assert_int_equal(fake->conn.want, CONN_WANT_READ); /* or a reset would not be noticed */
    assert_true(later->waiting);
}

static void reply_now(void) {
    later->reply = (struct app_reply){.status = 200,
                                      .reason = APP_SLICE("OK"),
                                      .content_type = APP_SLICE("text/plain"),
                                      .body = APP_SLICE("at last")};
    later->ready(later);
}

static void test_waits(void **state) {
    struct fake a;
    (void)state;
    open_waiting(&a);
    age(&a);
    conn_sweep(owner); /* the time is ours, not the client's */
    assert_false(a.closed);
    assert_false(owner->armed);
    reply_now();
    assert_true(a.written > 100);
    assert_int_equal(a.conn.want, CONN_WANT_READ);
    assert_int_equal(finished, 1);
    assert_false(later->waiting);
    assert_true(owner->armed); /* it may be silent now */
    assert_true(armed_ms <= worker->options->idle_timeout_ms);
    conn_on_end(&a.conn);
    assert_true(a.closed);
    assert_int_equal(finished, 1);
}

/* A client may end its side and still read. */
static void test_half_closed_while_waiting(void **state) {
    struct fake a;
    (void)state;
    open_waiting(&a);
    conn_on_end(&a.conn);
    assert_false(a.closed);
    assert_int_equal(a.conn.want, CONN_WANT_NOTHING); /* the end would be read again and again */
    reply_now();
    assert_true(a.written > 100);
    assert_int_equal(a.conn.want, CONN_WANT_READ);
    conn_on_end(&a.conn);
    assert_true(a.closed);
}

static void test_reset_while_waiting(void **state) {
    struct fake a;
    (void)state;
    open_waiting(&a);
    conn_on_failure(&a.conn);
    assert_true(a.closed);
    assert_int_equal(finished, 1);
    assert_int_equal(owner->open, 0);
}

static void test_pipelined_while_waiting(void **state) {
    struct fake a;
    (void)state;
    open_waiting(&a);
    feed(&a, LATER LATER "GET /none HTTP/1.1\r\n");
    assert_int_equal(a.conn.want, CONN_WANT_NOTHING); /* no more is kept */
    for (unsigned i = 1; i <= 2; i++) {
        reply_now();
        assert_int_equal(finished, i);
        assert_int_equal(a.conn.want, CONN_WANT_NOTHING);
    }
    reply_now();
    assert_int_equal(a.conn.want, CONN_WANT_READ);
    size_t written = a.written;
    feed(&a, "Host: a\r\n\r\n");
    assert_true(a.written > written);
    conn_on_end(&a.conn);
    assert_int_equal(finished, 3);
}

static void test_drain_waits(void **state) {
    struct fake a;
    struct fake b;
    (void)state;
    open_waiting(&b);
    open_waiting(&a);
    conn_drain(owner);
    owner->drain_since = idle_now() - CONN_GRACE_MS;
    conn_sweep(owner);
    assert_false(a.closed);
    reply_now();
    assert_true(a.written > 100);
    owner->drain_since = idle_now() - SERVER_DRAIN_MS;
    conn_sweep(owner);
    assert_true(a.closed);
    assert_true(b.closed);
    assert_int_equal(finished, 2);
    assert_true(conn_drained(owner));
}

static int set_up(void **state) {
    static struct server server;
    char *arguments[] = {(char *)"test", NULL};
    char error[256];
    (void)state;
    worker = aligned_alloc(_Alignof(struct worker), sizeof *worker);
    owner = malloc(sizeof *owner);
    if (worker == NULL || owner == NULL ||
        options_parse(&server.options, 1, arguments, error, sizeof error) != OPTIONS_RUN) {
        return -1;
    }
    memset(worker, 0, sizeof *worker);
    worker->options = &server.options;
    app_worker_init(&worker->app, &server.options, NULL);
    conn_worker_init(owner, worker, &io);
    armed_ms = UINT64_MAX;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    free(owner);
    free(worker);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_keeps_reading),
        TEST(test_stuck_output),
        TEST(test_broken_output),
        TEST(test_idle_is_dropped),
        TEST(test_only_requests_buy_time),
        TEST(test_stuck_is_dropped),
        TEST(test_lingers_after_refusal),
        TEST(test_lingering_is_bounded),
        TEST(test_close_without_lingering),
        TEST(test_drain),
        TEST(test_waits),
        TEST(test_half_closed_while_waiting),
        TEST(test_reset_while_waiting),
        TEST(test_pipelined_while_waiting),
        TEST(test_drain_waits),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("http1 connections", tests, NULL, NULL);
}
