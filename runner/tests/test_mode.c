/* Modes: what can be combined, their text, the options they come from, the script they make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mode.h"
#include "config/config.h"
#include "load/wrk_script.h"

static void test_text(void **state) {
    static const struct {
        struct mode mode;
        const char *text;
    } cases[] = {
        {{0}, ""},
        {{.pipeline = 1}, ""},
        {{.requests = 10}, "requests=10"},
        {{.think_min_ms = 5, .think_max_ms = 5}, "think=5ms"},
        {{.think_max_ms = 5}, "think=0..5ms"},
        {{.pipeline = 2}, "pipeline=2"},
        {{.close = true}, "close"},
        {{MODE_REQUESTS_MAX, 599999, 600000, MODE_PIPELINE_MAX, true},
         "requests=1000000000 think=599999..600000ms pipeline=1024 close"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[MODE_TEXT_SIZE];
        size_t len = mode_text(&cases[i].mode, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(len, strlen(text));
    }
    char tiny[4];
    assert_int_equal(mode_text(&(struct mode){.close = true}, tiny, sizeof tiny), 5);
    assert_string_equal(tiny, "clo");
}

static void test_check(void **state) {
    static const struct {
        struct mode mode;
        int64_t connections, threads;
        bool good;
    } cases[] = {
        {{0}, 1000000, 1, true},
        {{.requests = 4}, 4, 2, true},
        {{.requests = 3}, 4, 2, false},
        {{.requests = 1}, 1, 1, true},
        {{.requests = 1}, 1, 2, false},
        {{.requests = 16, .pipeline = 4}, 4, 1, true},
        {{.requests = 12, .pipeline = 4}, 4, 1, false},
        {{.requests = 18, .pipeline = 4}, 4, 1, false},
        {{.pipeline = 64}, 1024, 1, true},
        {{.pipeline = 64}, 1025, 1, false},
        {{.pipeline = 1, .close = true}, 100000, 1, true},
        {{.pipeline = 2, .close = true}, 1, 1, false},
        {{.pipeline = -1}, 1, 1, false},
        {{.pipeline = MODE_PIPELINE_MAX + 1}, 1, 1, false},
        {{.requests = MODE_REQUESTS_MAX + 1}, 1, 1, false},
        {{.think_min_ms = 2, .think_max_ms = 1}, 1, 1, false},
        {{.think_min_ms = -1}, 1, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e = {0};
        int rc = mode_check(&cases[i].mode, cases[i].connections, cases[i].threads, &e);
        if ((rc == 0) != cases[i].good) {
            fail_msg("case %zu: %d %s", i, rc, e.text);
        }
        assert_int_equal(e.class, cases[i].good ? ERR_NONE : ERR_USAGE);
    }
}

static void test_span(void **state) {
    static const struct {
        const char *text;
        int64_t min_ns, max_ns; /* -1 = refused */
        const char *again;
    } cases[] = {
        {"5ms", 5000000, 5000000, "5ms"},
        {"5ms..10ms", 5000000, 10000000, "5ms..10ms"},
        {"0..1s", 0, 1000000000, "0s..1s"},
        {"0", 0, 0, "0s"},
        {"1.5ms..2ms", 1500000, 2000000, "1500us..2ms"},
        {"5..10ms", -1, 0, NULL},
        {"10ms..5ms", -1, 0, NULL},
        {"5ms...10ms", -1, 0, NULL},
        {"5ms..", -1, 0, NULL},
        {"..5ms", -1, 0, NULL},
        {"5ms..6ms..7ms", -1, 0, NULL},
        {"2h", -1, 0, NULL},
        {"", -1, 0, NULL},
        {"x", -1, 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e = {0};
        struct span span = {-7, -7};
        int rc = value_span(cases[i].text, "--think-time", 0, 3600000000000, &span, &e);
        if ((rc == 0) != (cases[i].min_ns >= 0)) {
            fail_msg("'%s': %d %s", cases[i].text, rc, e.text);
        }
        if (rc != 0) {
            assert_int_equal(span.min_ns, -7); /* untouched */
            assert_memory_equal(e.text, "--think-time: ", 14);
            continue;
        }
        char text[80];
        assert_int_equal(span.min_ns, cases[i].min_ns);
        assert_int_equal(span.max_ns, cases[i].max_ns);
        value_span_text(&span, text, sizeof text);
        assert_string_equal(text, cases[i].again);
    }
}

static void test_workload_names(void **state) {
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        {"hello", true},
        {"bytes:n=4096", true},
        {"wait:ms=0", true},
        {"bytes:n=", false},
        {"bytes:=1", false},
        {"bytes:n", false},
        {"bytes:", false},
        {":n=1", false},
        {"bytes:n=-1", false},
        {"bytes:n=1:n=2", false},
        {"bytes:N=1", false},
        {"bytes:n=1 ", false},
        {"by/tes:n=1", false},
        {"-bytes:n=1", false},
        {"", false},
        {"bytes=1", false},
        {"bytes:n=1x", false},
        {"bytes:n=0000000000000000000000000"
         "00000000000000001",
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e = {0};
        int rc = value_workload(cases[i].text, "--workloads", &e);
        if ((rc == 0) != cases[i].good) {
            fail_msg("'%s': %d %s", cases[i].text, rc, e.text);
        }
    }
    /* A target's list and everything else that is named knows no parameter. */
    struct err e = {0};
    assert_int_equal(value_name("bytes:n=1", "--targets", &e), -1);
}

static void add(struct settings *flags, const char *name, const char *value) {
    const struct option *o = option_find(name, USE_RUN);
    assert_non_null(o);
    assert_int_equal(settings_add(flags, o, value, name), 0);
}

static void test_from_options(void **state) {
    struct settings flags = {0};
    struct config c;
    struct err e = {0};
    char text[CONFIG_MODE_SIZE];
    (void)state;
    add(&flags, "requests", "4000");
    add(&flags, "think-time", "2ms..4ms");
    add(&flags, "keepalive", "off");
    add(&flags, "access-log", "on");
    add(&flags, "db", "postgresql://localhost/x");
    if (config_load(&c, &flags, USE_RUN, &e) != 0) {
        fail_msg("%s", e.text);
    }
    struct mode m = config_mode(&c);
    assert_int_equal(m.requests, 4000);
    assert_int_equal(m.think_min_ms, 2);
    assert_int_equal(m.think_max_ms, 4);
    assert_true(m.close);
    config_mode_text(&c, text, sizeof text);
    assert_string_equal(text, "requests=4000 think=2..4ms close access-log db=postgresql");
    /* Ours are told, the null server is not. */
    const struct target_config *ours = config_target(&c, "libuv");
    const struct target_config *null = config_target(&c, "null");
    static const char *const wanted[] = {"--access-log", "{log}", "--db",
                                         "postgresql://localhost/x"};
    for (size_t i = 0; i < 4; i++) {
        bool found = false;
        for (size_t k = 0; ours->command[k]; k++) {
            found = found || strcmp(ours->command[k], wanted[i]) == 0;
        }
        assert_true(found);
        for (size_t k = 0; null->command[k]; k++) {
            assert_string_not_equal(null->command[k], wanted[i]);
        }
    }
    config_release(&c);
    settings_release(&flags);
}

static char *script_for(struct mode mode, enum load_phase phase, struct err *e) {
    const struct load_spec spec = {
        .host = "127.0.0.1",
        .port = 8080,
        .request = {.path = "/hello"},
        .connections = 8,
        .threads = 2,
        .phase = phase,
        .mode = mode,
    };
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    int rc = wrk_script_write(out, &spec, e);
    fclose(out);
    if (rc != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* What wrk looks for: each function costs something for every request, so none may be there that
 * the mode does not need. */
static void test_script(void **state) {
    static const struct {
        struct mode mode;
        enum load_phase phase;
        bool request, response, delay;
        const char *line;
    } cases[] = {
        {{0}, LOAD_WINDOW, false, false, false, " = 0, 1, 4, 0, 0\n"},
        {{.pipeline = 8}, LOAD_WINDOW, false, false, false, " = 0, 8, 4, 0, 0\n"},
        {{.close = true}, LOAD_WINDOW, false, false, false, " = 0, 1, 4, 0, 0\n"},
        {{.think_max_ms = 3}, LOAD_WINDOW, false, false, true, " = 0, 1, 4, 0, 3\n"},
        {{.requests = 80}, LOAD_WINDOW, true, false, false, " = 80, 1, 4, 0, 0\n"},
        {{.requests = 80, .close = true}, LOAD_WINDOW, true, true, false, " = 80, 1, 4, 0, 0\n"},
        {{.requests = 80, .think_max_ms = 3}, LOAD_WINDOW, true, false, true, " = 80, 1, 4, 0, 3"},
        {{.requests = 80, .close = true}, LOAD_WARMUP, false, false, false, " = 0, 1, 4, 0, 0\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e = {0};
        char *text = script_for(cases[i].mode, cases[i].phase, &e);
        assert_non_null(text);
        assert_int_equal(strstr(text, "\nfunction request()") != NULL, cases[i].request);
        assert_int_equal(strstr(text, "\nfunction response()") != NULL, cases[i].response);
        assert_int_equal(strstr(text, "\nfunction delay()") != NULL, cases[i].delay);
        assert_int_equal(strstr(text, "Connection: close") != NULL, cases[i].mode.close);
        assert_non_null(strstr(text, cases[i].line));
        free(text);
    }
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),         cmocka_unit_test(test_check),
        cmocka_unit_test(test_span),         cmocka_unit_test(test_workload_names),
        cmocka_unit_test(test_from_options), cmocka_unit_test(test_script),
    };
    return cmocka_run_group_tests_name("mode", tests, NULL, NULL);
}
