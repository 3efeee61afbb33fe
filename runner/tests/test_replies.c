/* run/replies: how the replies are asked for that are checked beside the load, and how long one is
 * waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "bodies.h"
#include "run/replies.h"
#include "scripted.h"

#define SECOND INT64_C(1000000000)

static void what_waits_is_a_request_a_connection_at_half_the_pace(void **state) {
    struct load_result l = {.requests = 1000, .duration_us = 1000000};
    (void)state;
    assert_int_equal(replies_backlog_ns(&l, 50), SECOND / 10);
    l.requests = 50;
    assert_int_equal(replies_backlog_ns(&l, 50), 2 * SECOND);
    l.requests = 1;
    assert_int_equal(replies_backlog_ns(&l, 29), 58 * SECOND);
    assert_int_equal(replies_backlog_ns(&l, 31), 60 * SECOND);
    assert_int_equal(replies_backlog_ns(&l, 100000), 60 * SECOND);
}

/* No pace: nothing is added to the 5 s. */
static void without_a_pace_nothing_is_known_to_wait(void **state) {
    static const struct load_result none[] = {
        {.requests = 0, .duration_us = 1000000},
        {.requests = -1, .duration_us = 1000000},
        {.requests = 1000, .duration_us = 0},
        {.requests = 1000, .duration_us = -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(replies_backlog_ns(&none[i], 50), 0);
    }
}

static const struct workload *asked;

/* Answers each request with a correct reply. */
static void serve(struct scripted *s, int fd) {
    char buf[4096];
    size_t used = 0;
    size_t head = 0;
    while (scripted_request(s, fd, buf, sizeof buf, &used, &head)) {
        size_t len = 0;
        char *text = NULL;
        char *body = bodies_make(asked, &len);
        const int n = asprintf(&text,
                               "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n"
                               "Content-Length: %zu\r\n\r\n%s",
                               asked->content_type, len, body);
        memmove(buf, buf + head, used - head);
        used -= head;
        scripted_say(fd, text, (size_t)n);
        free(text);
        free(body);
    }
}

static struct replies begin(struct loop *loop, const char *workload, int port) {
    const struct target t = {.host = "127.0.0.1", .port = port};
    struct replies r = {.spot = NULL};
    struct err e = {0};
    asked = workload_find(workload);
    assert_non_null(asked);
    assert_int_equal(loop_init(loop, &e), 0);
    replies_start(&r, loop, &t, asked, true);
    return r;
}

/* Two where none was looked at yet, so that what shows only in a second reply is seen. */
static void asks_for_two_then_for_one(void **state) {
    static const char *const names[] = {"hello", "posts"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scripted server;
        struct loop loop;
        int64_t waited = -1;
        assert_true(scripted_start(&server, AF_INET, serve, NULL));
        struct replies r = begin(&loop, names[i], server.port);
        assert_true(replies_ask(&r, 60 * SECOND, &waited));
        assert_true(waited > 0);
        assert_int_equal(replies_checked(&r), 2);
        assert_true(replies_ask(&r, 60 * SECOND, &waited));
        assert_int_equal(replies_checked(&r), 3);
        assert_null(replies_wrong(&r));
        /* Of a workload whose replies differ in length two that do not prove nothing. */
        if (asked->length_varies) {
            assert_int_equal(replies_bytes(&r), -1);
        } else {
            assert_true(replies_bytes(&r) > (int64_t)strlen("Hello world!"));
        }
        replies_stop(&r);
        loop_release(&loop);
        scripted_stop(&server);
    }
}

/* Whose connections are refused does not hang: the load generator tells of it. */
static void a_refused_connection_is_no_silence(void **state) {
    struct loop loop;
    int64_t waited = -1;
    (void)state;
    struct replies r = begin(&loop, "hello", 1);
    assert_true(replies_ask(&r, 60 * SECOND, &waited));
    assert_int_equal(replies_checked(&r), 0);
    replies_stop(&r);
    loop_release(&loop);
}

static void where_nothing_is_to_be_looked_at_nothing_is_asked(void **state) {
    struct replies none = {.spot = NULL};
    int64_t waited = -1;
    (void)state;
    assert_true(replies_ask(&none, 60 * SECOND, &waited));
    assert_true(waited >= 0);
    assert_int_equal(replies_checked(&none), -1);
    assert_int_equal(replies_bytes(&none), -1);
    assert_null(replies_wrong(&none));
    replies_stop(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_is_a_request_a_connection_at_half_the_pace),
        cmocka_unit_test(without_a_pace_nothing_is_known_to_wait),
        cmocka_unit_test(asks_for_two_then_for_one),
        cmocka_unit_test(a_refused_connection_is_no_silence),
        cmocka_unit_test(where_nothing_is_to_be_looked_at_nothing_is_asked),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("run/replies", tests, NULL, NULL);
}
