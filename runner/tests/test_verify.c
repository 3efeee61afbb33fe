/* verify: judging, comparing and printing replies. Whole contracts: test_verify_contract.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workload.h"
#include "target/verify_parts.h"

#define DATE "Mon, 30 Nov 2026 12:00:00 GMT"
#define NOON 1796040000

static void test_date(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t when;
    } cases[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Thu, 29 Feb 2024 23:59:59 GMT", 1709251199},
        {DATE, NOON},
        {"Mon, 06 Nov 1994 08:49:37 GMT", -1},  /* it was a Sunday */
        {"Sun, 6 Nov 1994 08:49:37 GMT", -1},   /* one digit */
        {"Sun, 06 Nov 1994 08:49:37 UTC", -1},  /* not GMT */
        {"Thu, 30 Feb 2024 00:00:00 GMT", -1},  /* no such day */
        {"Sun, 06 ovD 1994 08:49:37 GMT", -1},  /* no such month */
        {"Sunday, 06-Nov-94 08:49:37 GMT", -1}, /* obsolete form */
        {"Sun, 06 Nov 1994 08:49:37 GMT ", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (verify_parse_date(cases[i].text) != cases[i].when) {
            fail_msg("'%s' gave %lld", cases[i].text, (long long)verify_parse_date(cases[i].text));
        }
    }
}

static void test_printable(void **state) {
    (void)state;
    char out[16];
    verify_printable("a\r\n\"\\\x1b\xff", 7, out, sizeof out);
    assert_string_equal(out, "a\\r\\n\\\"\\\\...");
    verify_printable("a\x1b\xff", 3, out, sizeof out);
    assert_string_equal(out, "a\\x1b\\xff");
    verify_printable("", 0, out, sizeof out);
    assert_string_equal(out, "");
    for (size_t size = 4; size < 16; size++) {
        memset(out, 'x', sizeof out);
        verify_printable("\xff\xff\xff\xff\xff\xff", 6, out, size);
        assert_true(strlen(out) < size);
    }
}

/* A reply received at NOON. */
static void reply_from(struct http_reply *r, const char *text, bool to_head) {
    struct http_parser *p = http_parser_new(r, to_head);
    size_t used;
    bool done;
    assert_int_equal(http_parser_feed(p, text, strlen(text), &used, &done), HTTP_OK);
    assert_true(done);
    http_parser_free(p);
    r->sent_s = r->received_s = NOON;
}

#define HEAD_OF(date, connection, length, server)                                                  \
    "HTTP/1.1 200 OK\r\nDate: " date "\r\nConnection: " connection "\r\nContent-Length: " length   \
    "\r\nServer: " server "\r\ncontent-type: text/plain\r\n\r\n"
#define GOOD HEAD_OF(DATE, "keep-alive", "12", "loopbench") "Hello world!"

static void test_reply(void **state) {
    (void)state;
    static const struct {
        const char *reply;
        const char *wrong; /* checks that fail, with ours */
        const char *guest; /* with a guest */
    } cases[] = {
        {GOOD, "", ""},
        {HEAD_OF("Mon, 30 Nov 2026 12:00:01 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         "", ""},
        {HEAD_OF("Mon, 30 Nov 2026 11:59:59 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         "", ""},
        {HEAD_OF("Mon, 30 Nov 2026 12:00:02 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         "Date within a second;", "Date within a second;"},
        {HEAD_OF("Mon, 30 Nov 2026 11:59:58 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         "Date within a second;", "Date within a second;"},
        {HEAD_OF("now", "keep-alive", "12", "loopbench") "Hello world!", "Date;", "Date;"},
        {HEAD_OF(DATE, "keep-alive", "13", "loopbench") "Hello world!\n", "body;", "body;"},
        {HEAD_OF(DATE, "keep-alive", "012", "loopbench") "Hello world!", "Content-Length;", ""},
        {HEAD_OF(DATE, "keep-alive", "12", "nginx") "Hello world!", "Server;", ""},
        {"HTTP/1.1 500 Oops\r\nDate: " DATE
         "\r\nConnection: close\r\nContent-Length: 0\r\nServer: loopbench\r\n\r\n",
         "status;", "status;"},
        {"HTTP/1.1 200 OK\r\nServer: loopbench\r\nDate: " DATE
         "\r\nConnection: keep-alive\r\nContent-Length: 12\r\nContent-Type: Text/Plain; "
         "charset=utf-8\r\n\r\nHello world!",
         "order of headers;", ""},
        {"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello world!",
         "order of headers;Date;content type;", "content type;"},
        {"HTTP/1.0 200 OK\r\nDate: " DATE
         "\r\nConnection: keep-alive\r\nContent-Length: 12\r\nServer: loopbench\r\n"
         "content-type: text/plainer\r\n\r\nHello world!",
         "version;content type;", "content type;"},
    };
    struct verify_probe probe = {.name = "GET /hello",
                                 .workload = workload_find("hello"),
                                 .status = 200,
                                 .content_type = "text/plain",
                                 .length = -1};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        bool guest = i % 2;
        struct verify_target target = {.name = "t", .kind = guest ? VERIFY_GUEST : VERIFY_OURS};
        struct verify_findings f = {0};
        struct http_reply r = {0};
        struct err e = {0};
        char wrong[200] = "";
        size_t used = 0;
        reply_from(&r, cases[i / 2].reply, false);
        assert_int_equal(verify_check_reply(&target, &probe, &r, &f, &e), 0);
        for (size_t k = 0; k < f.n; k++) {
            if (f.items[k].level == VERIFY_FAIL) {
                assert_memory_equal(f.items[k].check, "GET /hello: ", 12);
                used += (size_t)snprintf(wrong + used, sizeof wrong - used, "%s;",
                                         f.items[k].check + 12);
            }
        }
        const char *wanted = guest ? cases[i / 2].guest : cases[i / 2].wrong;
        if (strcmp(wrong, wanted) != 0) {
            fail_msg("case %zu, guest %d: wrong were '%s', not '%s'", i / 2, guest, wrong, wanted);
        }
        assert_int_equal(verify_failures(&f) == 0, f.n == 1 && f.items[0].level == VERIFY_PASS);
        verify_findings_release(&f);
        http_reply_release(&r);
    }
}

static void test_same(void **state) {
    (void)state;
    static const struct {
        const char *reply;
        bool same;
        const char *in_a, *in_b;
    } cases[] = {
        {GOOD, true, "", ""},
        {HEAD_OF("Tue, 01 Dec 2026 00:00:00 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         true, "", ""},
        {HEAD_OF(" " DATE, "keep-alive", "12", "loopbench") "Hello world!", false,
         "\"Date: " DATE "\\r\\n\"", "\"Date:  " DATE "\\r\\n\""},
        {HEAD_OF(DATE, "Keep-Alive", "12", "loopbench") "Hello world!", false,
         "\"Connection: keep-alive\\r\\n\"", "\"Connection: Keep-Alive\\r\\n\""},
        {HEAD_OF(DATE, "keep-alive", "12", "loopbench") "Hello World!", false,
         "body of 12 bytes, from byte 0: \"Hello world!\"",
         "body of 12 bytes, from byte 0: \"Hello World!\""},
        {HEAD_OF(DATE, "keep-alive", "13", "loopbench") "Hello world!!", false,
         "\"Content-Length: 12\\r\\n\"", "\"Content-Length: 13\\r\\n\""},
        {"HTTP/1.1 200 OK\r\nDate: " DATE "\r\nConnection: keep-alive\r\nContent-Length: "
         "12\r\nServer: loopbench\r\n\r\nHello world!",
         false, "\"content-type: text/plain\\r\\n\"", "\"\\r\\n\""},
        {"HTTP/1.1 200 OK\nDate: " DATE
         "\r\nConnection: keep-alive\r\nContent-Length: 12\r\nServer: loopbench\r\n"
         "content-type: text/plain\r\n\r\nHello world!",
         false, "\"HTTP/1.1 200 OK\\r\\n\"", "\"HTTP/1.1 200 OK\\n\""},
    };
    struct http_reply a = {0};
    reply_from(&a, GOOD, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct http_reply b = {0};
        char in_a[200] = "";
        char in_b[200] = "";
        reply_from(&b, cases[i].reply, false);
        if (verify_same_reply(&a, &b, NULL, in_a, in_b, sizeof in_a) != cases[i].same) {
            fail_msg("case %zu: %s / %s", i, in_a, in_b);
        }
        assert_string_equal(in_a, cases[i].in_a);
        assert_string_equal(in_b, cases[i].in_b);
        http_reply_release(&b);
    }
    struct http_reply other = {0};
    char in_a[200];
    char in_b[200];
    reply_from(&other, HEAD_OF(DATE, "keep-alive", "12", "loopbench") "any 12 bytes", false);
    assert_true(
        verify_same_reply(&a, &other, &(struct workload){.varies = true}, in_a, in_b, sizeof in_a));
    http_reply_release(&other);
    http_reply_release(&a);
}

static void test_guest_differences(void **state) {
    (void)state;
    const struct verify_target ours = {.name = "libuv", .kind = VERIFY_OURS};
    const struct verify_target theirs = {.name = "express", .kind = VERIFY_GUEST};
    struct verify_reply a = {.probe = "GET /hello"};
    struct verify_reply b = {.probe = "GET /hello"};
    struct verify_reply unasked = {.probe = "HEAD /hello"};
    reply_from(&a.reply, GOOD, false);
    reply_from(&b.reply,
               "HTTP/1.1 200 OK\r\nX-Powered-By: Express\r\nETag: 1\r\nContent-Type: text/plain\r\n"
               "content-length: 12\r\nDate: " DATE "\r\n\r\nHello world!",
               false);
    struct verify_replies ra = {
        .target = &ours, .items = (struct verify_reply[]){a, unasked}, .n = 2};
    struct verify_replies rb = {.target = &theirs, .items = &b, .n = 1};
    struct verify_findings f = {0};
    struct err e;
    assert_int_equal(verify_compare(&ra, &rb, &f, &e), 0);
    assert_int_equal(verify_failures(&f), 0);
    assert_int_equal(f.n, 2);
    assert_string_equal(f.items[0].check, "GET /hello: size beside libuv");
    assert_string_equal(f.items[0].expected, "157 bytes (head 145, body 12)");
    assert_string_equal(f.items[1].got, "adds X-Powered-By, ETag; lacks Connection, Server");
    verify_findings_release(&f);
    http_reply_release(&a.reply);
    http_reply_release(&b.reply);
}

static void test_print(void **state) {
    (void)state;
    struct verify_findings f = {0};
    struct err e;
    char *text = NULL;
    size_t len = 0;
    verify_add(&f, &e, "h2o", VERIFY_PASS, "", "", "GET %s", "/hello");
    verify_add(&f, &e, "libuv", VERIFY_FAIL, "12", "13", "GET /hello: Content-Length");
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    verify_print(&f, true, out);
    fclose(out);
    assert_string_equal(text, "target  check                       result\n"
                              "h2o     GET /hello                  ok\n"
                              "libuv   GET /hello: Content-Length  DIFFERS\n"
                              "          expected  12\n"
                              "          got       13\n"
                              "2 checks: 1 ok, 1 differs\n");
    free(text);
    verify_findings_release(&f);
    verify_add(&f, &e, "h2o", VERIFY_PASS, "", "", "GET %s", "/hello");
    out = open_memstream(&text, &len);
    assert_non_null(out);
    verify_print(&f, false, out);
    fclose(out);
    assert_string_equal(text, "1 check: 1 ok, 0 differ\n");
    free(text);
    verify_findings_release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_date),
        cmocka_unit_test(test_printable),
        cmocka_unit_test(test_reply),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_guest_differences),
        cmocka_unit_test(test_print),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
