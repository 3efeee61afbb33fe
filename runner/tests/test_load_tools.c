/* ab, h2load and siege as programs: every way they can end, with fake ones. What they print:
 * test_load_tools_text.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "bench_load.h"
#include "load/tool.h"

static const struct load_ops *const tools[] = {&load_ab, &load_h2load, &load_siege};
#define TOOLS (sizeof tools / sizeof *tools)

static void tool_path(const struct bench *b, const char *name, char *out, size_t size) {
    snprintf(out, size, "%s/%s", b->tmp, name);
}

static int set_up(void **state) {
    char path[128];
    char fake[4096];
    bench_set_up(state);
    struct bench *b = *state;
    bench_make_tmp(b);
    assert_non_null(realpath("runner/tests/fake-tool", fake));
    for (size_t i = 0; i < TOOLS; i++) {
        tool_path(b, tools[i]->name, path, sizeof path);
        assert_int_equal(symlink(fake, path), 0);
    }
    unsetenv("FAKE_TOOL");
    return 0;
}

static int tear_down(void **state) {
    char path[128];
    for (size_t i = 0; i < TOOLS; i++) {
        tool_path(*state, tools[i]->name, path, sizeof path);
        unlink(path);
    }
    return bench_tear_down(state);
}

static enum load_failure run(struct bench *b, const struct load_ops *ops,
                             const struct bench_end *end) {
    char program[128];
    char how[64];
    tool_path(b, ops->name, program, sizeof program);
    snprintf(how, sizeof how, "%s=%s", ops->name, end->behaviour);
    setenv("FAKE_TOOL", how, 1);
    struct load_spec spec = bench_spec(b, program);
    bench_hurry(&spec, end);
    return bench_run_by(b, ops, &spec);
}

static void reads_sound_ones(void **state) {
    struct bench *b = *state;
    static const struct bench_end ends[] = {{"ok", LOAD_OK, ""}, {"errors", LOAD_OK, ""}};
    for (size_t i = 0; i < TOOLS; i++) {
        for (size_t k = 0; k < 2; k++) {
            if (run(b, tools[i], &ends[k]) != LOAD_OK) {
                fail_msg("%s: %s", tools[i]->name, b->e.text);
            }
            assert_int_equal(b->out.requests, 20);
            assert_true(b->out.cpu_ns > 0);
            assert_true(b->out.duration_us >= 1000000);
            assert_true(k == 0 || b->out.errors_status == 2);
        }
    }
}

static void judges_every_end(void **state) {
    struct bench *b = *state;
    static const struct bench_end ends[] = {
        {"zero", LOAD_HUNG, "no reply completed"},
        {"lie", LOAD_LIES, "contradict"},
        {"torn", LOAD_RESULT, "not usable"},
        {"garbage", LOAD_RESULT, "not usable"},
        {"empty", LOAD_RESULT, "not usable"},
        {"long", LOAD_RESULT, "too long"},
        {"exit3", LOAD_EXIT, "exited with status 3: fake-tool: something went wrong"},
        {"refused", LOAD_REFUSED, "Connection refused"},
        {"killed", LOAD_KILLED, "signal 9"},
        {"early", LOAD_EARLY, "measured 0.500 s of 1.000 s"},
        {"hang", LOAD_TIMEOUT, "killed"},
    };
    for (size_t i = 0; i < TOOLS; i++) {
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            /* siege runs a second more, and the test need not wait for it. */
            if (tools[i] == &load_siege && ends[k].failure == LOAD_TIMEOUT) {
                continue;
            }
            bench_judge(b, tools[i]->name, &ends[k], run(b, tools[i], &ends[k]));
            assert_non_null(strstr(b->e.text, tools[i]->name));
        }
    }
}

static void asks_for_versions(void **state) {
    struct bench *b = *state;
    static const char *const versions[] = {"2.3", "1.52.0", "4.0.7"};
    for (size_t i = 0; i < TOOLS; i++) {
        char program[128];
        char version[64];
        char how[64];
        struct err e = {0};
        tool_path(b, tools[i]->name, program, sizeof program);
        unsetenv("FAKE_TOOL");
        assert_int_equal(tools[i]->check(&b->loop, program, version, sizeof version, &e), LOAD_OK);
        assert_string_equal(version, versions[i]);
        snprintf(how, sizeof how, "%s=other", tools[i]->name);
        setenv("FAKE_TOOL", how, 1);
        assert_int_equal(tools[i]->check(&b->loop, program, version, sizeof version, &e),
                         LOAD_MISSING);
        assert_int_equal(tools[i]->check(&b->loop, "/nowhere/tool", version, sizeof version, &e),
                         LOAD_MISSING);
        assert_non_null(strstr(e.text, tools[i]->package));
        assert_int_equal(e.class, ERR_MACHINE);
        assert_ptr_equal(load_find(tools[i]->name), tools[i]);
    }
    assert_ptr_equal(load_at(0), &load_wrk);
    assert_null(load_at(4));
    assert_null(load_find("curl"));
}

static void refuses_what_they_cannot(void **state) {
    struct bench *b = *state;
    for (size_t i = 0; i < TOOLS; i++) {
        struct load_spec good = bench_spec(b, NULL);
        struct load_spec spec[8];
        for (size_t k = 0; k < 8; k++) {
            spec[k] = good;
        }
        spec[0].phase = LOAD_WARMUP;
        spec[1].mode.pipeline = 2;
        spec[2].request.method = "POST";
        spec[3].request.headers = "X: y\r\n";
        spec[4].request.path = "hello";
        spec[5].threads = 11;
        spec[6].duration_ns = SECOND / 2;
        spec[7].connections = 1000000;
        struct err e = {0};
        assert_int_equal(tools[i]->accepts(&good, &e), LOAD_OK);
        for (size_t k = 0; k < (tools[i] == &load_h2load ? 7 : 8); k++) {
            assert_int_equal(tools[i]->accepts(&spec[k], &e), LOAD_SPEC);
            assert_int_equal(e.class, ERR_USAGE);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_sound_ones),
        cmocka_unit_test(judges_every_end),
        cmocka_unit_test(asks_for_versions),
        cmocka_unit_test(refuses_what_they_cannot),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("load/tools", tests, set_up, tear_down);
}
