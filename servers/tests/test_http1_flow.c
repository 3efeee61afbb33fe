/* http1: replies that come later, clients that do not read, bodies handed on, connections lost. */
#include "http1_harness.h"

#define HOST   "Host: a\r\n"
#define GET(p) "GET " p " HTTP/1.1\r\n" HOST "\r\n"

#define BIG_LEN ((size_t)300000)

static struct harness_world *world;
static struct app_exchange *later; /* the exchange of the last /later */
static unsigned finished;
static char received[64];
static size_t received_len;
static char *big;

static enum app_when handle_later(struct app_exchange *exchange) {
    later = exchange;
    exchange->state = received;
    return APP_LATER;
}

static enum app_when handle_echo(struct app_exchange *exchange) {
    exchange->reply = (struct app_reply){.status = 200,
                                         .reason = APP_SLICE("OK"),
                                         .content_type = APP_SLICE("text/plain"),
                                         .body = {received, received_len}};
    return APP_NOW;
}

static enum app_when handle_big(struct app_exchange *exchange) {
    handle_echo(exchange);
    exchange->reply.body = (struct app_slice){big, BIG_LEN};
    return APP_NOW;
}

static void on_body(struct app_exchange *exchange, const char *data, size_t len) {
    (void)exchange;
    assert_true(received_len + len <= sizeof received);
    memcpy(received + received_len, data, len);
    received_len += len;
}

static void finish(struct app_exchange *exchange) {
    (void)exchange;
    finished++;
}

#define BOTH (1U << APP_GET | 1U << APP_POST)

static const struct app_route routes[] = {
    {{"/later", 6}, BOTH, {"GET, HEAD, POST", 15}, handle_later, NULL, finish},
    {{"/echo", 5}, BOTH, {"GET, HEAD, POST", 15}, handle_echo, on_body, finish},
    {{"/big", 4}, BOTH, {"GET, HEAD, POST", 15}, handle_big, NULL, finish},
};

static void feed(struct harness *h, const char *text) {
    harness_feed(h, text, strlen(text));
}

/* What the application does when its reply is ready, and the transport when it hears of it. */
static void reply_now(struct harness *h, const char *body) {
    unsigned before = h->readied;
    later->reply = (struct app_reply){.status = 200,
                                      .reason = APP_SLICE("OK"),
                                      .content_type = APP_SLICE("text/plain"),
                                      .body = {body, strlen(body)}};
    later->ready(later);
    assert_int_equal(h->readied, before + 1);
    h->next = http1_resume(&h->http);
}

static unsigned count(const char *text, const char *what) {
    unsigned n = 0;
    for (; (text = strstr(text, what)) != NULL; text++) {
        n++;
    }
    return n;
}

static void test_later(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    feed(&h, GET("/none") GET("/later?a"));
    assert_int_equal(h.next, HTTP1_WAIT);
    assert_int_equal(count(h.out, "HTTP/1.1 404"), 1); /* what came before is out */
    assert_int_equal(later->query.len, 1);
    assert_memory_equal(later->query.base, "a", 1); /* although the data fed is gone */
    reply_now(&h, "at last");
    assert_int_equal(h.next, HTTP1_READ);
    assert_non_null(strstr(h.out, "at last"));
    assert_int_equal(finished, 1);
    assert_true(http1_idle(&h.http));
    harness_release(&h);
}

/* Pipelined requests behind a later reply are kept, in order, and the parser waits. */
static void test_pipelined_behind_later(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    feed(&h, GET("/later") GET("/none") GET("/later") GET("/none") "GET /no");
    assert_int_equal(h.next, HTTP1_WAIT);
    assert_string_equal(h.out, "");
    reply_now(&h, "first");
    assert_int_equal(h.next, HTTP1_WAIT);
    assert_int_equal(count(h.out, "HTTP/1.1 404"), 1);
    assert_int_equal(h.writes, 1); /* the late one and the one behind it together */
    reply_now(&h, "second");
    assert_int_equal(h.next, HTTP1_READ);
    assert_int_equal(count(h.out, "HTTP/1.1 404"), 2);
    feed(&h, "ne HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(count(h.out, "HTTP/1.1 404"), 3);
    assert_int_equal(count(h.out, "HTTP/1.1 "), 5);
    assert_int_equal(finished, 2);
    harness_release(&h);
}

static void test_later_then_close(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    feed(&h, "GET /later HTTP/1.0\r\n\r\n");
    assert_int_equal(h.next, HTTP1_WAIT);
    reply_now(&h, "bye");
    assert_int_equal(h.next, HTTP1_CLOSE);
    assert_non_null(strstr(h.out, "Connection: close\r\n"));
    harness_release(&h);
}

/* The reply is ready while output of earlier requests is stuck: it waits for its turn. */
static void test_later_behind_stuck(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    h.room = 10;
    feed(&h, GET("/none") GET("/later"));
    assert_int_equal(h.next, HTTP1_WRITE);
    assert_non_null(later);
    reply_now(&h, "patience");
    assert_int_equal(h.next, HTTP1_WRITE);
    assert_null(strstr(h.out, "patience"));
    while (h.next == HTTP1_WRITE) {
        harness_drain(&h, 7);
    }
    assert_int_equal(h.next, HTTP1_READ);
    assert_int_equal(count(h.out, "HTTP/1.1 "), 2);
    assert_string_equal(strstr(h.out, "\r\n\r\npatience"), "\r\n\r\npatience");
    harness_release(&h);
}

/* The stuck output is gone before the reply is ready. */
static void test_stuck_before_later(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    h.room = 10;
    feed(&h, GET("/none") GET("/later"));
    while (h.next == HTTP1_WRITE) {
        harness_drain(&h, 50);
    }
    assert_int_equal(h.next, HTTP1_WAIT);
    h.room = 3;
    reply_now(&h, "patience");
    assert_int_equal(h.next, HTTP1_WRITE);
    harness_drain(&h, SIZE_MAX);
    assert_int_equal(h.next, HTTP1_READ);
    assert_string_equal(strstr(h.out, "\r\n\r\npatience"), "\r\n\r\npatience");
    harness_release(&h);
}

static void test_gone_while_waiting(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    feed(&h, GET("/later") GET("/none"));
    assert_int_equal(h.next, HTTP1_WAIT);
    harness_release(&h);
    assert_int_equal(finished, 1);
}

static void test_body_is_handed_on(void **state) {
    static const char input[] = "POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                                "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    struct harness h;
    (void)state;
    harness_init(&h, world);
    for (size_t i = 0; i < sizeof input - 1; i++) {
        harness_feed(&h, input + i, 1);
    }
    assert_non_null(strstr(h.out, "\r\n\r\nabcde"));
    harness_release(&h);
}

/* A long body is written from where it lies; the rest of the pipeline waits for it. */
static void test_long_body(void **state) {
    struct harness h;
    (void)state;
    for (size_t step = 1000; step < 2 * BIG_LEN; step *= 7) {
        finished = 0;
        harness_init(&h, world);
        h.room = step;
        feed(&h, GET("/big") GET("/none"));
        while (h.next == HTTP1_WRITE) {
            assert_int_equal(finished, 0);
            harness_drain(&h, step);
        }
        assert_int_equal(h.next, HTTP1_READ);
        assert_int_equal(finished, 1);
        const char *body = strstr(h.out, "\r\n\r\n");
        assert_non_null(body);
        assert_memory_equal(body + 4, big, BIG_LEN);
        assert_memory_equal(body + 4 + BIG_LEN, "HTTP/1.1 404", 12);
        harness_release(&h);
    }
}

static void test_long_body_of_head(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    feed(&h, "HEAD /big HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(h.next, HTTP1_READ);
    assert_non_null(strstr(h.out, "Content-Length: 300000\r\n"));
    assert_int_equal(finished, 1);
    harness_release(&h);
}

static void test_long_body_then_close(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    h.room = 0;
    feed(&h, "GET /big HTTP/1.0\r\n\r\n");
    harness_drain(&h, SIZE_MAX);
    assert_int_equal(h.next, HTTP1_CLOSE);
    harness_release(&h);
}

/* A client that sends without reading costs one feed of input and one batch of output. */
static void test_never_reads(void **state) {
    static const char one[] = GET("/none");
    enum { TIMES = 2000 };
    struct harness h;
    char *burst = malloc(TIMES * (sizeof one - 1));
    (void)state;
    assert_non_null(burst);
    for (size_t i = 0; i < TIMES; i++) {
        memcpy(burst + i * (sizeof one - 1), one, sizeof one - 1);
    }
    harness_init(&h, world);
    h.room = 0;
    harness_feed(&h, burst, TIMES * (sizeof one - 1));
    assert_int_equal(h.next, HTTP1_WRITE);
    assert_true(h.http.pending_len <= HTTP1_OUT_SIZE + HTTP1_INLINE_BODY);
    assert_true(h.http.stash_len < TIMES * (sizeof one - 1));
    while (h.next == HTTP1_WRITE) {
        harness_drain(&h, 9999);
    }
    assert_int_equal(h.next, HTTP1_READ);
    assert_int_equal(count(h.out, "HTTP/1.1 404"), TIMES);
    assert_null(h.http.stash);
    assert_null(h.http.pending);
    harness_release(&h);
    free(burst);
}

/* Every way of stuttering output gives the same bytes. */
static void test_stutter(void **state) {
    static const char input[] =
        GET("/none") GET("/echo") "HEAD /none HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n";
    struct harness whole;
    (void)state;
    on_body(NULL, "body", 4);
    harness_init(&whole, world);
    feed(&whole, input);
    harness_blank_dates(&whole);
    for (size_t room = 1; room < whole.out_len + 2; room++) {
        struct harness h;
        harness_init(&h, world);
        h.room = room - 1;
        feed(&h, input);
        while (h.next == HTTP1_WRITE) {
            harness_drain(&h, room);
        }
        harness_blank_dates(&h);
        assert_string_equal(h.out, whole.out);
        assert_int_equal(h.next, HTTP1_CLOSE);
        harness_release(&h);
    }
    harness_release(&whole);
}

static void test_broken(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    h.broken = true;
    feed(&h, GET("/none") GET("/big"));
    assert_int_equal(h.next, HTTP1_DEAD);
    harness_release(&h);
    assert_int_equal(world->worker.out_len, 0); /* nothing of it reaches the next connection */
}

static int set_up(void **state) {
    (void)state;
    world = world_new();
    world->app.routes = routes;
    world->app.num_routes = sizeof routes / sizeof routes[0];
    big = malloc(BIG_LEN);
    assert_non_null(big);
    for (size_t i = 0; i < BIG_LEN; i++) {
        big[i] = (char)('a' + i * 7 % 26);
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    free(world);
    free(big);
    return 0;
}

static int reset(void **state) {
    (void)state;
    later = NULL;
    finished = 0;
    received_len = 0;
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_later, reset),
        cmocka_unit_test_setup(test_pipelined_behind_later, reset),
        cmocka_unit_test_setup(test_later_then_close, reset),
        cmocka_unit_test_setup(test_later_behind_stuck, reset),
        cmocka_unit_test_setup(test_stuck_before_later, reset),
        cmocka_unit_test_setup(test_gone_while_waiting, reset),
        cmocka_unit_test_setup(test_body_is_handed_on, reset),
        cmocka_unit_test_setup(test_long_body, reset),
        cmocka_unit_test_setup(test_long_body_of_head, reset),
        cmocka_unit_test_setup(test_long_body_then_close, reset),
        cmocka_unit_test_setup(test_never_reads, reset),
        cmocka_unit_test_setup(test_stutter, reset),
        cmocka_unit_test_setup(test_broken, reset),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("http1 flow", tests, set_up, tear_down);
}
