/* The command line: defaults, bounds, units, and one line for every mistake. */
#include "common/options.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <string.h>

static char error[256];

static enum options_result parse(struct options *options, const char *a, const char *b) {
    char *argv[] = {(char *)"server", (char *)a, (char *)b, NULL};
    error[0] = '\0';
    return options_parse(options, a == NULL ? 1 : b == NULL ? 2 : 3, argv, error, sizeof error);
}

static void test_defaults(void **state) {
    struct options o;
    (void)state;
    assert_int_equal(parse(&o, NULL, NULL), OPTIONS_RUN);
    const struct sockaddr_in *in4 = (const struct sockaddr_in *)&o.address;
    assert_int_equal(in4->sin_family, AF_INET);
    assert_int_equal(ntohs(in4->sin_port), 8080);
    assert_int_equal(ntohl(in4->sin_addr.s_addr), INADDR_LOOPBACK);
    assert_int_equal(o.workers, 1);
    assert_in_range(o.backlog, 1, 65535);
    assert_int_equal(o.idle_timeout_ms, 60000);
    assert_int_equal(o.max_body, 1 << 20);
    assert_int_equal(o.handicap_ns, 0);
}

static void test_good(void **state) {
    struct options o;
    (void)state;
    assert_int_equal(parse(&o, "--workers", "256"), OPTIONS_RUN);
    assert_int_equal(o.workers, 256);
    assert_int_equal(parse(&o, "--workers=2", NULL), OPTIONS_RUN);
    assert_int_equal(o.workers, 2);
    assert_int_equal(parse(&o, "--idle-timeout", "500ms"), OPTIONS_RUN);
    assert_int_equal(o.idle_timeout_ms, 500);
    assert_int_equal(parse(&o, "--idle-timeout", "10s"), OPTIONS_RUN);
    assert_int_equal(o.idle_timeout_ms, 10000);
    assert_int_equal(parse(&o, "--idle-timeout", "1m"), OPTIONS_RUN);
    assert_int_equal(o.idle_timeout_ms, 60000);
    assert_int_equal(parse(&o, "--max-body", "64k"), OPTIONS_RUN);
    assert_int_equal(o.max_body, 65536);
    assert_int_equal(parse(&o, "--max-body", "0"), OPTIONS_RUN);
    assert_int_equal(o.max_body, 0);
    assert_int_equal(parse(&o, "--handicap-ns", "1500"), OPTIONS_RUN);
    assert_int_equal(o.handicap_ns, 1500);
    assert_int_equal(parse(&o, "--backlog", "1"), OPTIONS_RUN);
    assert_int_equal(o.backlog, 1);
    assert_int_equal(parse(&o, "--listen", "[::1]:0"), OPTIONS_RUN);
    assert_int_equal(o.address.ss_family, AF_INET6);
    assert_int_equal(parse(&o, "--help", NULL), OPTIONS_HELP);
    assert_int_equal(parse(&o, "--version", NULL), OPTIONS_VERSION);
}

static void test_bad(void **state) {
    static const char *const bad[][2] = {
        {"--workers", "0"},
        {"--workers", "257"},
        {"--workers", "-1"},
        {"--workers", "+1"},
        {"--workers", " 1"},
        {"--workers", "1x"},
        {"--workers", ""},
        {"--workers", NULL},
        {"--workers=", NULL},
        {"--workers", "99999999999999999999"},
        {"--backlog", "0"},
        {"--backlog", "65536"},
        {"--idle-timeout", "10"},
        {"--idle-timeout", "ms"},
        {"--idle-timeout", "49ms"},
        {"--idle-timeout", "25h"},
        {"--idle-timeout", "1.5s"},
        {"--idle-timeout", "99999999999999999999s"},
        {"--idle-timeout", "5124095576030432h"},
        {"--max-body", "2g"},
        {"--max-body", "1t"},
        {"--max-body", "-1"},
        {"--handicap-ns", "1000000001"},
        {"--listen", "8080"},
        {"--listen", "localhost:8080"},
        {"--listen", "127.0.0.1:"},
        {"--listen", "127.0.0.1:65536"},
        {"--listen", "127.0.0.1:x"},
        {"--listen", "::1:80"},
        {"--listen", "[::1]"},
        {"--listen", "[127.0.0.1]:80"},
        {"--listen", "[::1:80"},
        {"--listen", ":80"},
        {"--nonsense", NULL},
        {"nonsense", NULL},
        {"--worker", "1"},
        {"-h", NULL},
        {"--help=x", NULL},
        {"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct options o;
        if (parse(&o, bad[i][0], bad[i][1]) != OPTIONS_BAD) {
            print_error("# %s %s\n", bad[i][0], bad[i][1] != NULL ? bad[i][1] : "");
            fail();
        }
        assert_true(strlen(error) > 10);
        assert_null(strchr(error, '\n'));
    }
}

static void test_says_what_would_be_right(void **state) {
    struct options o;
    (void)state;
    parse(&o, "--workers", "0");
    assert_string_equal(error, "--workers: '0' is not a number from 1 to 256");
    parse(&o, "--idle-timeout", "10");
    assert_non_null(strstr(error, "500ms, 10s, 1m"));
    parse(&o, "--worker", "1");
    assert_string_equal(error, "unknown option '--worker': see --help");
}

/* A URL may hold a password: of a wrong one the scheme is shown, and no more. */
static void test_hides_passwords(void **state) {
    static const char *const bad[] = {
        "mysql://me:secret@host/db",
        "postgresql:me:secret@host",
        "postgresql//me:secret@host",
        "//me:secret@host",
        "secret",
        "host=x password=secret",
        "host=x:1 password=secret:1",
        "sqlite secret:x",
        "\"postgres://me:secret@host",
    };
    struct options o;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(parse(&o, "--db", bad[i]), OPTIONS_BAD);
        assert_null(strstr(error, "secret"));
        assert_non_null(strstr(error, "sqlite:PATH or postgresql://"));
    }
    parse(&o, "--db", "mysql://me:secret@host/db");
    assert_string_equal(error, "--db: 'mysql:...' is not sqlite:PATH or postgresql://...");
    parse(&o, "--db", "secret");
    assert_string_equal(error, "--db: give sqlite:PATH or postgresql://...");
    parse(&o, "--dbx=mysql://me:secret@host", NULL);
    assert_string_equal(error, "unknown option '--dbx': see --help");
    parse(&o, "postgres://me:secret@host", NULL);
    assert_string_equal(error, "unknown option 'postgres': see --help");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_says_what_would_be_right),
        cmocka_unit_test(test_hides_passwords),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
