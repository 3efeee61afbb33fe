/* Placeholders in command lines, and ready lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "target/local_argv.h"

#define LONG_HOST "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void expands_placeholders(void **unused) {
    (void)unused;
    const char *const argv[] = {
        "srv",       "--listen={host}:{port}", "-w{workers}", "{backlog}{port}",
        "{unknown}", "{po{port}rt}",           "--log={log}", "",
        NULL};
    const struct argv_values values = {.host = "::1", .port = 8080, .workers = 3, .backlog = 511};
    char **out = argv_expand(argv, &values);
    assert_non_null(out);
    assert_string_equal(out[0], "srv");
    assert_string_equal(out[1], "--listen=::1:8080");
    assert_string_equal(out[2], "-w3");
    assert_string_equal(out[3], "5118080");
    assert_string_equal(out[4], "{unknown}");
    assert_string_equal(out[5], "{po8080rt}");
    assert_string_equal(out[6], "--log=/dev/null");
    assert_string_equal(out[7], "");
    assert_null(out[8]);
    argv_free(out);
    const struct argv_values logs = {.host = "::1", .log = "/a/{b}"};
    out = argv_expand(argv, &logs);
    assert_non_null(out);
    assert_string_equal(out[6], "--log=/a/{b}");
    argv_free(out);
    argv_free(NULL);
    assert_true(argv_wants_port(argv));
    const char *const plain[] = {"srv", "{ports}", NULL};
    assert_false(argv_wants_port(plain));
}

static void reads_ready_lines(void **unused) {
    (void)unused;
    char host[64];
    int port;
    struct err e = {0};
    assert_int_equal(ready_line_parse("{\"listening\":\"127.0.0.1:8081\",\"server\":\"libuv\"}",
                                      host, sizeof host, &port, &e),
                     0);
    assert_string_equal(host, "127.0.0.1");
    assert_int_equal(port, 8081);
    assert_int_equal(
        ready_line_parse("{\"x\":[1],\"listening\":\"[::1]:1\"}", host, sizeof host, &port, &e), 0);
    assert_string_equal(host, "::1");
    assert_int_equal(port, 1);
}

static void refuses_bad_ready_lines(void **unused) {
    (void)unused;
    static const char *const bad[] = {
        "",
        "ready",
        "[]",
        "{\"listening\":\"127.0.0.1:8081\"",
        "{\"server\":\"libuv\"}",
        "{\"listening\":8081}",
        "{\"listening\":\"127.0.0.1\"}",
        "{\"listening\":\":8081\"}",
        "{\"listening\":\"127.0.0.1:\"}",
        "{\"listening\":\"127.0.0.1:0\"}",
        "{\"listening\":\"127.0.0.1:65536\"}",
        "{\"listening\":\"127.0.0.1:80x\"}",
        "{\"listening\":\"[]:80\"}",
        "{\"listening\":\"" LONG_HOST ":80\"}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char host[64];
        int port;
        struct err e = {0};
        if (ready_line_parse(bad[i], host, sizeof host, &port, &e) == 0) {
            fail_msg("case %zu was accepted", i);
        }
        assert_int_equal(e.class, ERR_FAILED);
        assert_non_null(strstr(e.text, "ready line"));
    }
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expands_placeholders),
        cmocka_unit_test(reads_ready_lines),
        cmocka_unit_test(refuses_bad_ready_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
