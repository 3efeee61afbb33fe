/* The request's bytes, the Lua script, the result file, wrk's version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/request.h"
#include "load/wrk_result.h"
#include "load/wrk_version.h"

static char *written(const struct load_request *r, const char *host, struct err *e) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    int rc = request_write(out, r, host, 8081, e);
    fclose(out);
    if (rc != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void writes_requests(void **unused) {
    (void)unused;
    struct err e = {0};
    char *text = written(&(struct load_request){.path = "/hello"}, "127.0.0.1", &e);
    assert_string_equal(text, "GET /hello HTTP/1.1\r\nHost: 127.0.0.1:8081\r\n\r\n");
    free(text);
    text = written(&(struct load_request){.method = "POST",
                                          .path = "/posts?x=1",
                                          .headers = "Content-Type: text/plain\r\nX-A: b:c\r\n",
                                          .body = "hi",
                                          .body_len = 2},
                   "::1", &e);
    assert_string_equal(text,
                        "POST /posts?x=1 HTTP/1.1\r\nHost: [::1]:8081\r\n"
                        "Content-Type: text/plain\r\nX-A: b:c\r\nContent-Length: 2\r\n\r\nhi");
    free(text);
    text = written(&(struct load_request){.method = "POST", .path = "/", .body = ""}, "h", &e);
    assert_non_null(strstr(text, "\r\nContent-Length: 0\r\n\r\n"));
    free(text);
}

static void refuses_hostile_requests(void **unused) {
    (void)unused;
    const struct load_request bad[] = {
        {.method = "GET /", .path = "/"},
        {.method = "", .path = "/"},
        {.method = "G\xc3\xa9T", .path = "/"},
        {.path = NULL},
        {.path = "hello"},
        {.path = "/a b"},
        {.path = "/a\r\nX: y"},
        {.path = "/", .headers = "no colon\r\n"},
        {.path = "/", .headers = ": nameless\r\n"},
        {.path = "/", .headers = "X: a\nY: b\r\n"},
        {.path = "/", .headers = "X: unended"},
        {.path = "/", .headers = "X : y\r\n"},
        {.path = "/", .headers = "\r\n"},
        {.path = "/", .headers = "host: other\r\n"},
        {.path = "/", .headers = "A: b\r\nContent-length: 3\r\n"},
        {.path = "/", .headers = "Transfer-Encoding: chunked\r\n"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        char *text = written(&bad[i], "127.0.0.1", &e);
        if (text) {
            fail_msg("case %zu was accepted: %s", i, text);
        }
        assert_int_equal(e.class, ERR_USAGE);
        assert_null(strchr(e.text, '\n'));
    }
}

static void quotes_for_lua(void **unused) {
    (void)unused;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    request_write_lua(out, "a\"b\\c\0d\n1]]--\xff", 14);
    fclose(out);
    assert_string_equal(text, "\"a\\\"b\\\\c\\000d\\0101]]--\\255\"");
    free(text);
}

#define HEAD                                                                                       \
    "loopbench-wrk 2\nwall 1000200\nduration 1000123\nidle 77\nrequests 12\nbytes 345\n"           \
    "connect 1\nread 2\nwrite 3\ntimeout 4\nstatus 5\n"

static int parse(const char *text, struct load_outcome *o, struct err *e) {
    load_outcome_init(o);
    return wrk_result_parse(text, strlen(text), o, e);
}

static void parses_results(void **unused) {
    (void)unused;
    struct load_outcome o;
    struct err e = {0};
    assert_int_equal(parse(HEAD "10,7\n20,1\nend 13\n", &o, &e), 0);
    assert_int_equal(o.wall_us, 1000200);
    assert_int_equal(o.duration_us, 1000123);
    assert_int_equal(o.idle_us, 77);
    assert_int_equal(o.requests, 12);
    assert_int_equal(o.bytes, 345);
    assert_int_equal(o.errors_connect, 1);
    assert_int_equal(o.errors_read, 2);
    assert_int_equal(o.errors_write, 3);
    assert_int_equal(o.errors_timeout, 4);
    assert_int_equal(o.errors_status, 5);
    assert_int_equal(o.corrected.n, 2);
    assert_int_equal(o.corrected.value[1], 20);
    assert_int_equal(o.corrected.count[0], 7);
    load_outcome_release(&o);
    assert_int_equal(o.silent, -1);
    assert_int_equal(parse(HEAD "silent 3\n10,7\nend 13\n", &o, &e), 0);
    assert_int_equal(o.silent, 3);
    assert_int_equal(o.corrected.n, 1);
    load_outcome_release(&o);
    assert_int_equal(parse(HEAD "end 11\n", &o, &e), 0);
    assert_int_equal(o.corrected.n, 0);
    load_outcome_release(&o);
}

/* Every prefix of a good result is a torn one. */
static void refuses_torn_results(void **unused) {
    (void)unused;
    static const char good[] = HEAD "10,7\n20,1\nend 13\n";
    for (size_t len = 0; len < sizeof good - 1; len++) {
        struct load_outcome o;
        struct err e = {0};
        load_outcome_init(&o);
        char *part = malloc(len + 1); /* so that a sanitizer sees a read past the end */
        assert_non_null(part);
        memcpy(part, good, len);
        part[len] = '\0';
        assert_int_equal(wrk_result_parse(part, len, &o, &e), -1);
        assert_int_equal(e.class, ERR_FAILED);
        free(part);
        load_outcome_release(&o);
    }
}

static void refuses_foreign_results(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *word;
    } bad[] = {
        {"<html>\n", "line 1: not written by our script"},
        {"loopbench-wrk 1\n", "line 1"},
        {"loopbench-wrk 2\nrequests 12\n", "line 2: not 'wall NUMBER'"},
        {"loopbench-wrk 2\nwall -5\n", "line 2"},
        {"loopbench-wrk 2\nwall 1e6\n", "line 2"},
        {"loopbench-wrk 2\nwall 99999999999999999999\n", "line 2"},
        {HEAD "silent x\nend 12\n", "line 12: not VALUE,COUNT"},
        {HEAD "silent 1\nsilent 1\nend 13\n", "line 13: not VALUE,COUNT"},
        {HEAD "10,0\nend 12\n", "line 12: not VALUE,COUNT"},
        {HEAD "10,1x\nend 12\n", "line 12"},
        {HEAD "10;1\nend 12\n", "line 12"},
        {HEAD ",1\nend 12\n", "line 12"},
        {HEAD "20,1\n10,1\nend 13\n", "line 13: latencies are not in ascending order"},
        {HEAD "20,1\n20,1\nend 13\n", "ascending"},
        {HEAD "10,1\nend 11\n", "lines are missing"},
        {HEAD "10,1\nend 12\nmore\n", "line 14: something follows"},
        {HEAD "10,1\nend 12\nx", "something follows"},
        {HEAD "10,1\nend \n", "line 13"},
        {HEAD "1,9000000000000000\n2,9000000000000000\nend 13\n", "more latencies"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct load_outcome o;
        struct err e = {0};
        if (parse(bad[i].text, &o, &e) == 0) {
            fail_msg("case %zu was accepted", i);
        }
        if (!strstr(e.text, bad[i].word)) {
            fail_msg("case %zu: '%s' lacks '%s'", i, e.text, bad[i].word);
        }
        load_outcome_release(&o);
    }
}

static void tells_versions(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *version;
        int fit;
    } cases[] = {
        {"wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer\nUsage", "debian/4.1.0-3+b2",
         1},
        {"wrk 4.2.0 [epoll] Copyright (C) 2012 Will Glozer\n", "4.2.0", 1},
        {"wrk 5.0 [kqueue]\n", "5.0", 1},
        {"wrk 4.0.2-5-ge595d9c [epoll]\n", "4.0.2-5-ge595d9c", 0},
        {"wrk 3.9.9 [epoll]\n", "3.9.9", 0},
        {"wrk a211dd5 [epoll]\n", "a211dd5", -1},
        {"ApacheBench 2.3\n", NULL, -1},
        {"wrk", NULL, -1},
        {"wrk ", NULL, -1},
        {"", NULL, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char version[32] = "";
        assert_int_equal(wrk_version_parse(cases[i].text, version, sizeof version), cases[i].fit);
        if (cases[i].version) {
            assert_string_equal(version, cases[i].version);
        }
    }
    char tiny[4];
    assert_int_equal(wrk_version_parse("wrk 4.1.0-with-a-very-long-tail x", tiny, sizeof tiny), 1);
    assert_string_equal(tiny, "4.1");
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_requests),      cmocka_unit_test(refuses_hostile_requests),
        cmocka_unit_test(quotes_for_lua),       cmocka_unit_test(parses_results),
        cmocka_unit_test(refuses_torn_results), cmocka_unit_test(refuses_foreign_results),
        cmocka_unit_test(tells_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
