/* The HTTP client: replies in any cut, every way to fail, over both address families. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "scripted.h"
#include "target/http.h"

#define SECOND 1000000000LL
#define HELLO                                                                                      \
    "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\nConnection: keep-alive\r\n"         \
    "Content-Length: 12\r\nServer: loopbench\r\ncontent-type: text/plain\r\n\r\nHello world!"

/* Parses text in pieces of `piece` bytes, then the end of the stream. */
static enum http_result parse(const char *text, size_t len, size_t piece, bool to_head,
                              struct http_reply *reply, size_t *taken) {
    struct http_parser *p = http_parser_new(reply, to_head);
    enum http_result result = HTTP_OK;
    bool done = false;
    assert_non_null(p);
    *taken = 0;
    while (result == HTTP_OK && !done && *taken < len) {
        size_t used;
        size_t some = len - *taken < piece ? len - *taken : piece;
        result = http_parser_feed(p, text + *taken, some, &used, &done);
        *taken += used;
    }
    if (result == HTTP_OK && !done) {
        result = http_parser_finish(p);
    }
    http_parser_free(p);
    return result;
}

static void test_parse(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool to_head;
        enum http_result result;
        long status;
        const char *body;
        bool keep_alive, framed;
        int left; /* bytes that belong to the next reply */
    } cases[] = {
        {HELLO, false, HTTP_OK, 200, "Hello world!", true, true, 0},
        {HELLO HELLO, false, HTTP_OK, 200, "Hello world!", true, true, (int)sizeof HELLO - 1},
        {HELLO, true, HTTP_OK, 200, "", true, true, 12},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: "
         "chunked\r\n\r\n5\r\nHello\r\n1;x\r\n!\r\n0\r\n\r\nX",
         false, HTTP_OK, 200, "Hello!", true, true, 1},
        {"HTTP/1.1 204 No Content\r\n\r\nHTTP", false, HTTP_OK, 204, "", true, true, 4},
        {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false, HTTP_OK, 200,
         "", false, true, 0},
        {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", false, HTTP_OK, 200, "x", false, true, 0},
        {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", false, HTTP_OK,
         200, "x", true, true, 0},
        {"HTTP/1.0 200 OK\r\n\r\nto the end", false, HTTP_OK, 200, "to the end", false, false, 0},
        {"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno", false, HTTP_CLOSED, 404, NULL,
         false, true, 0},
        {"HTTP/1.1 200 OK\r\nContent-", false, HTTP_CLOSED, 0, NULL, false, false, 0},
        {"", false, HTTP_CLOSED, 0, NULL, false, false, 0},
        {"SSH-2.0-OpenSSH_9.2\r\n", false, HTTP_MALFORMED, 0, NULL, false, false, 0},
        {"HTTP/1.1 OK\r\n\r\n", false, HTTP_MALFORMED, 0, NULL, false, false, 0},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", false,
         HTTP_MALFORMED, 0, NULL, false, false, 0},
        {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", false, HTTP_MALFORMED, 0, NULL, false,
         false, 0},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", false, HTTP_MALFORMED, 200,
         NULL, false, true, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t len = strlen(cases[i].text);
        for (size_t piece = 1; piece <= len + 1; piece++) {
            struct http_reply r = {0};
            size_t taken;
            enum http_result got = parse(cases[i].text, len, piece, cases[i].to_head, &r, &taken);
            if (got != cases[i].result) {
                fail_msg("case %zu in pieces of %zu: %s (%s), not %s", i, piece,
                         http_result_text(got), r.why, http_result_text(cases[i].result));
            }
            assert_int_equal(r.status, cases[i].status);
            if (got == HTTP_OK) {
                assert_string_equal(r.body, cases[i].body);
                assert_int_equal(r.body_len, strlen(cases[i].body));
                assert_int_equal(r.keep_alive, cases[i].keep_alive);
                assert_int_equal(r.framed, cases[i].framed);
                assert_int_equal(len - taken, cases[i].left);
                assert_memory_equal(r.head, cases[i].text, r.head_len);
                assert_memory_equal(r.head + r.head_len - 4, "\r\n\r\n", 4);
            } else {
                assert_int_equal(r.why[0] != '\0', got == HTTP_MALFORMED);
            }
            http_reply_release(&r);
        }
    }
}

static void test_headers(void **state) {
    (void)state;
    static const char text[] = "HTTP/1.1 200 O: K\r\nFirst:  one \r\nX-Empty:\r\nfirst: two\r\n"
                               "Content-Length: 0\r\n\r\n";
    struct http_reply r = {0};
    struct http_header h;
    size_t taken;
    char value[8];
    assert_int_equal(parse(text, sizeof text - 1, 7, false, &r, &taken), HTTP_OK);
    assert_true(http_reply_header(&r, 0, &h));
    assert_int_equal(h.name_len, 5);
    assert_memory_equal(h.name, "First", 5);
    assert_int_equal(h.value_len, 3);
    assert_memory_equal(h.value, "one", 3);
    assert_true(http_reply_header(&r, 1, &h));
    assert_int_equal(h.value_len, 0);
    assert_true(http_reply_header(&r, 3, &h));
    assert_false(http_reply_header(&r, 4, &h));
    assert_true(http_reply_find(&r, "FIRST", value, sizeof value));
    assert_string_equal(value, "one");
    assert_true(http_reply_find(&r, "x-empty", value, sizeof value));
    assert_string_equal(value, "");
    assert_false(http_reply_find(&r, "X", value, sizeof value));
    assert_true(http_reply_find(&r, "content-length", value, 1));
    assert_string_equal(value, "");
    http_reply_release(&r);
}

static void test_bounds(void **state) {
    (void)state;
    struct http_reply r = {0};
    size_t taken;
    size_t len = HTTP_HEAD_MAX + 100;
    char *text = malloc(len);
    assert_non_null(text);
    int start = snprintf(text, len, "HTTP/1.1 200 OK\r\nX: ");
    memset(text + start, 'a', len - (size_t)start);
    assert_int_equal(parse(text, len, 4096, false, &r, &taken), HTTP_TOO_LARGE);
    assert_true(r.head_len <= HTTP_HEAD_MAX);
    free(text);
    len = HTTP_BODY_MAX + 100;
    text = calloc(1, len);
    assert_non_null(text);
    snprintf(text, len, "HTTP/1.0 200 OK\r\n\r\n");
    assert_int_equal(parse(text, len, len, false, &r, &taken), HTTP_TOO_LARGE);
    free(text);
    http_reply_release(&r);
}

static void test_format(void **state) {
    (void)state;
    char out[256];
    struct http_request get = {.path = "/x?y=1", .minor = 1, .headers = "A: b\r\n"};
    size_t n = http_format_request(&get, "::1", 80, out, sizeof out);
    out[n] = '\0';
    assert_string_equal(out, "GET /x?y=1 HTTP/1.1\r\nHost: [::1]:80\r\nA: b\r\n\r\n");
    struct http_request post = {.method = "POST", .path = "/", .body = "ab\0c", .body_len = 4};
    n = http_format_request(&post, "127.0.0.1", 8080, out, sizeof out);
    static const char wanted[] =
        "POST / HTTP/1.0\r\nHost: 127.0.0.1:8080\r\nContent-Length: 4\r\n\r\nab\0c";
    assert_int_equal(n, sizeof wanted - 1);
    assert_memory_equal(out, wanted, n);
    for (size_t size = 0; size < n; size++) {
        char *tight = malloc(size + 1);
        assert_non_null(tight);
        assert_int_equal(http_format_request(&post, "127.0.0.1", 8080, tight, size), 0);
        free(tight);
    }
}

/* Sends the script after each request, then closes unless it ends with the word STAY. */
static void serve_script(struct scripted *s, int fd) {
    static const char stay[] = "STAY";
    const char *script = s->script;
    char buf[4096];
    size_t used = 0;
    size_t head = 0;
    size_t len = strlen(script);
    bool stays = len >= 4 && strcmp(script + len - 4, stay) == 0;
    if (scripted_request(s, fd, buf, sizeof buf, &used, &head)) {
        scripted_say(fd, script, stays ? len - 4 : len);
        while (stays && scripted_wait(s, fd) && recv(fd, buf, sizeof buf, 0) > 0) {
        }
    }
}

static void test_exchange(void **state) {
    (void)state;
    static const struct {
        const char *script;
        enum http_result result;
        int64_t timeout_ns;
    } cases[] = {
        {HELLO "STAY", HTTP_OK, 60 * SECOND},
        {HELLO, HTTP_OK, 60 * SECOND},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcSTAY", HTTP_TIMEOUT, SECOND / 50},
        {"STAY", HTTP_TIMEOUT, SECOND / 50},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", HTTP_CLOSED, 60 * SECOND},
        {"", HTTP_CLOSED, 60 * SECOND},
        {"garbage\r\n\r\nSTAY", HTTP_MALFORMED, 60 * SECOND},
    };
    const struct http_request get = {.path = "/", .minor = 1};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        size_t k = i / 2;
        bool v6 = i % 2;
        struct scripted s;
        struct http_reply r = {0};
        if (!scripted_start(&s, v6 ? AF_INET6 : AF_INET, serve_script, cases[k].script)) {
            assert_true(v6); /* a machine without IPv6 */
            continue;
        }
        enum http_result got =
            http_exchange(v6 ? "[::1]" : "localhost", s.port, &get, &r, cases[k].timeout_ns);
        if (got != cases[k].result) {
            fail_msg("case %zu: %s, not %s", k, http_result_text(got),
                     http_result_text(cases[k].result));
        }
        if (got == HTTP_OK) {
            assert_string_equal(r.body, "Hello world!");
            assert_true(r.sent_s > 0 && r.received_s >= r.sent_s);
        }
        http_reply_release(&r);
        scripted_stop(&s);
    }
}

static void test_refused(void **state) {
    (void)state;
    const struct http_request get = {.path = "/", .minor = 1};
    struct scripted s;
    struct http_reply r = {0};
    assert_true(scripted_start(&s, AF_INET, serve_script, HELLO));
    scripted_stop(&s); /* nobody listens on its port any more */
    assert_int_equal(http_exchange("127.0.0.1", s.port, &get, &r, SECOND), HTTP_REFUSED);
    assert_int_equal(http_exchange("example.org", 80, &get, &r, SECOND), HTTP_ADDRESS);
    assert_int_equal(http_exchange("127.0.0.1", 0, &get, &r, SECOND), HTTP_ADDRESS);
    assert_int_equal(http_exchange("127.0.0.1", 65536, &get, &r, SECOND), HTTP_ADDRESS);
    assert_int_equal(http_exchange("", 80, &get, &r, SECOND), HTTP_ADDRESS);
    http_reply_release(&r);
}

/* Two replies in one write: the second waits in the connection, and the close is seen after it. */
static void test_pipelined(void **state) {
    (void)state;
    static const char script[] = HELLO "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno";
    struct scripted s;
    struct http_conn c;
    struct http_reply r = {0};
    int64_t deadline = clock_mono_ns() + 60 * SECOND;
    assert_true(scripted_start(&s, AF_INET, serve_script, script));
    assert_int_equal(http_connect(&c, "127.0.0.1", s.port, deadline), HTTP_OK);
    assert_int_equal(http_send(&c, "GET / HTTP/1.1\r\n\r\n", 18, deadline), HTTP_OK);
    assert_int_equal(http_receive(&c, false, &r, deadline), HTTP_OK);
    assert_int_equal(r.status, 200);
    if (c.spare_len > 0) { /* as it nearly always is */
        assert_int_equal(http_receive_close(&c, deadline), HTTP_MALFORMED);
    }
    assert_int_equal(http_receive(&c, false, &r, deadline), HTTP_OK);
    assert_int_equal(r.status, 404);
    assert_string_equal(r.body, "no");
    assert_int_equal(http_receive_close(&c, deadline), HTTP_OK);
    assert_int_equal(http_receive(&c, false, &r, deadline), HTTP_CLOSED);
    http_close(&c);
    http_close(&c);
    http_reply_release(&r);
    scripted_stop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),     cmocka_unit_test(test_headers),
        cmocka_unit_test(test_bounds),    cmocka_unit_test(test_format),
        cmocka_unit_test(test_exchange),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_pipelined),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
