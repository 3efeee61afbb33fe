/* wrk as a program: every way it can end, with a fake one. The real one: test_load_wrk_real.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>

#include "bench_load.h"

static int set_up(void **state) {
    bench_set_up(state);
    struct bench *b = *state;
    bench_make_tmp(b); /* every temporary file is gone at the end */
    setenv("TMPDIR", b->tmp, 1);
    return 0;
}

static struct load_spec spec_for(const struct bench *b, enum load_phase phase) {
    struct load_spec spec = bench_spec(b, FAKE_WRK);
    spec.phase = phase;
    return spec;
}

/* What each fake behaviour comes to. */
static void judges_every_end(void **state) {
    struct bench *b = *state;
    static const struct bench_end ends[] = {
        {"zero", LOAD_HUNG, "no reply completed"},
        {"lie", LOAD_LIES, "contradict"},
        {"torn", LOAD_RESULT, "result is not usable"},
        {"garbage", LOAD_RESULT, "not written by our script"},
        {"empty", LOAD_RESULT, "without handing over a result"},
        {"exit3", LOAD_EXIT, "exited with status 3: fake-wrk: something went wrong"},
        {"refused", LOAD_REFUSED, "unable to connect to"},
        {"killed", LOAD_KILLED, "signal 9"},
        {"early", LOAD_EARLY, "measured 0.500 s of 1.000 s"},
        {"hang", LOAD_TIMEOUT, "killed"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct load_spec spec = spec_for(b, LOAD_WINDOW);
        setenv("FAKE_WRK", ends[i].behaviour, 1);
        bench_hurry(&spec, &ends[i]);
        bench_judge(b, "wrk", &ends[i], bench_run(b, &spec));
    }
}

static void gives_a_sound_result(void **state) {
    struct bench *b = *state;
    static const char *const behaviours[] = {"ok", "errors", "slow", "wide", "other=zero"};
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        struct load_spec spec = spec_for(b, LOAD_WINDOW);
        const struct load_outcome *o = &b->out;
        setenv("FAKE_WRK", behaviours[i], 1);
        bench_run_well(b, &spec);
        assert_true(o->duration_us >=
                    1000000); /* as it claims; the test itself waits for nothing */
        assert_true(o->requests > 0);
        assert_int_equal(hist_total(&o->raw), o->requests);
        assert_true(hist_total(&o->corrected) >= o->requests);
        assert_true(o->cpu_s > 0);
        assert_true(o->bytes > 0);
        assert_int_equal(o->errors_status, i == 1 ? o->requests / 10 : 0);
        assert_string_equal(o->output, "");
    }
}

static void repeats_itself_from_the_seed(void **state) {
    struct bench *b = *state;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    int64_t requests[3];
    static const char *const seeds[] = {"7", "7", "8"};
    for (int i = 0; i < 3; i++) {
        setenv("FAKE_WRK_SEED", seeds[i], 1);
        bench_run_well(b, &spec);
        requests[i] = b->out.requests;
    }
    unsetenv("FAKE_WRK_SEED");
    assert_int_equal(requests[0], requests[1]);
    assert_int_not_equal(requests[0], requests[2]);
}

static void warms_up(void **state) {
    struct bench *b = *state;
    struct load_spec spec = spec_for(b, LOAD_WARMUP);
    spec.duration_ns = SECOND / 2;
    bench_run_well(b, &spec);
    assert_true(b->out.duration_us > 0);
    assert_int_equal(b->out.raw.n, 0);
    /* A workload may be too slow to complete anything in so short a time. */
    setenv("FAKE_WRK", "warmup:zero", 1);
    bench_run_well(b, &spec);
    assert_int_equal(b->out.requests, 0);
}

static void refuses_what_wrk_cannot_do(void **state) {
    struct bench *b = *state;
    struct load_spec bad[6];
    static const char *const words[] = {"equally",       "at least one",  "whole seconds",
                                        "whole seconds", "whole seconds", "path"};
    for (size_t i = 0; i < 6; i++) {
        bad[i] = spec_for(b, LOAD_WINDOW);
    }
    bad[0].threads = 3; /* wrk would open 9 connections and say nothing */
    bad[1].threads = 0;
    bad[2].duration_ns = SECOND / 2;
    bad[3].duration_ns = 0;
    bad[4].timeout_ns = SECOND / 2;
    bad[5].request.path = "a b";
    for (size_t i = 0; i < 6; i++) {
        bench_refused(b, i, words[i], bench_run(b, &bad[i]));
    }
}

static void checks_the_program(void **state) {
    struct bench *b = *state;
    char version[64] = "";
    struct err e = {0};
    assert_int_equal(load_wrk.check(&b->loop, FAKE_WRK, version, sizeof version, &e), LOAD_OK);
    assert_string_equal(version, "fake/4.1.0");
    setenv("FAKE_WRK_VERSION", "4.0.9", 1);
    assert_int_equal(load_wrk.check(&b->loop, FAKE_WRK, version, sizeof version, &e), LOAD_MISSING);
    assert_non_null(strstr(e.text, "4.1 or later"));
    unsetenv("FAKE_WRK_VERSION");
    assert_int_equal(load_wrk.check(&b->loop, "no-such-wrk", version, sizeof version, &e),
                     LOAD_MISSING);
    assert_non_null(strstr(e.text, "apt install wrk"));
    assert_int_equal(e.class, ERR_MACHINE);
    assert_int_equal(load_wrk.check(&b->loop, "/bin/true", version, sizeof version, &e),
                     LOAD_MISSING);
    assert_non_null(strstr(e.text, "is this wrk?"));
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    spec.program = "no-such-wrk";
    assert_int_equal(bench_run(b, &spec), LOAD_MISSING);
}

/* The target dies under load: the generator is not waited for. */
static void ends_with_its_target(void **state) {
    struct bench *b = *state;
    setenv("FAKE_TARGET", "crash-later", 1);
    struct target *own = b->target;
    struct target *doomed = bench_start_target(b);
    unsetenv("FAKE_TARGET");
    b->target = doomed;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    assert_int_equal(bench_run(b, &spec), LOAD_STOPPED);
    b->target = own;
    assert_int_equal(target_local.stop(doomed, &b->e), TARGET_CRASHED);
    assert_non_null(strstr(b->e.text, "signal 11"));
    assert_non_null(strstr(target_local.output(doomed), "about to crash"));
    target_local.free(doomed);
}

static void interrupt_loop(uv_timer_t *timer) {
    (void)timer;
    raise(SIGTERM);
}

static void can_be_interrupted(void **state) {
    struct bench *b = *state;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    uv_timer_t timer;
    setenv("FAKE_WRK", "hang", 1);
    uv_timer_init(&b->loop.uv, &timer);
    uv_timer_start(&timer, interrupt_loop, 50, 0);
    assert_int_equal(bench_run(b, &spec), LOAD_INTERRUPTED);
    uv_close((uv_handle_t *)&timer, NULL);
    loop_wait(&b->loop, NULL, NULL, SECOND / 1000);
}

static void can_be_aborted(void **state) {
    struct bench *b = *state;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    struct err e = {0};
    struct load *load = NULL;
    setenv("FAKE_WRK", "hang", 1);
    assert_int_equal(load_wrk.start(&b->loop, &spec, &load, &e), LOAD_OK);
    pid_t pid = load_wrk.pid(load);
    assert_true(pid > 0);
    load_wrk.abort(load);
    assert_int_equal(kill(pid, 0), -1);
    load_wrk.free(load);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)
        CASE(judges_every_end),
        CASE(gives_a_sound_result),
        CASE(repeats_itself_from_the_seed),
        CASE(warms_up),
        CASE(refuses_what_wrk_cannot_do),
        CASE(checks_the_program),
        CASE(ends_with_its_target),
        CASE(can_be_interrupted),
        CASE(can_be_aborted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
