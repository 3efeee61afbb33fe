/* The modes of the load: what the real wrk does in each of them, counted by the server; and what is
 * made of a fake one's figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench_load.h"
#include "load/summary.h"
#include "target/http.h"

static struct load_spec spec_for(const struct bench *b, const char *program) {
    struct load_spec spec = bench_spec(b, program);
    spec.connections = 4;
    return spec;
}

/* A figure of the target's own: a number behind `name` in its /stats. */
static int64_t target_says(const struct bench *b, const char *name) {
    struct http_reply reply = {0};
    const struct http_request ask = {.path = "/stats", .minor = 1};
    char key[64];
    assert_int_equal(http_exchange(b->target->host, b->target->port, &ask, &reply, 60 * SECOND),
                     HTTP_OK);
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(reply.body, key);
    assert_non_null(at);
    int64_t n = strtoll(at + strlen(key), NULL, 10);
    http_reply_release(&reply);
    return n;
}

/* Exactly N requests reach the server and exactly N replies are counted, whatever the threads and
 * connections; the time is that of the requests, not of wrk's 100 ms timer. */
static void counts_requests_exactly(void **state) {
    struct bench *b = *state;
    static const struct {
        int64_t requests;
        int connections, threads, pipeline;
        bool close;
        int64_t think_max_ms;
    } cases[] = {
        {1, 1, 1, 1, false, 0},   {7, 4, 1, 1, false, 0},   {101, 4, 2, 1, false, 0},
        {10, 10, 2, 1, false, 0}, {120, 3, 3, 8, false, 0}, {50, 4, 1, 1, true, 0},
        {51, 6, 2, 1, true, 3},   {40, 4, 1, 1, false, 5},  {1000, 1, 1, 1, false, 0},
    };
    bench_need_wrk();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct load_spec spec = spec_for(b, NULL);
        spec.connections = cases[i].connections;
        spec.threads = cases[i].threads;
        spec.mode = (struct mode){.requests = cases[i].requests,
                                  .pipeline = cases[i].pipeline,
                                  .close = cases[i].close,
                                  .think_max_ms = cases[i].think_max_ms};
        int64_t before = target_says(b, "requests");
        int64_t began = clock_mono_ns();
        enum load_failure f = bench_run(b, &spec);
        int64_t took_us = (clock_mono_ns() - began) / 1000;
        if (f != LOAD_OK) {
            fail_msg("case %zu: %s: %s", i, load_failure_name(f), b->e.text);
        }
        /* The /stats before is counted after it was answered. */
        assert_int_equal(target_says(b, "requests") - before, cases[i].requests + 1);
        assert_int_equal(b->out.requests, cases[i].requests);
        assert_true(b->out.duration_us > 0);
        assert_true(b->out.duration_us < took_us);
        assert_int_equal(b->out.corrected.n, 0);
        assert_int_equal(b->out.errors_read + b->out.errors_write + b->out.errors_connect, 0);
        assert_int_equal(hist_total(&b->out.raw), cases[i].pipeline > 1 ? 0 : cases[i].requests);
        assert_int_equal(isnan(b->out.active_ratio), cases[i].close);
        /* No request can take longer than all of them, nor all less than the longest. */
        assert_true(load_percentile(&b->out.raw, 1) <= b->out.duration_us + 1);
    }
}

/* A warm-up is for a time whatever the window counts. */
static void warms_up_for_a_time(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load_spec spec = spec_for(b, NULL);
    spec.phase = LOAD_WARMUP;
    spec.duration_ns = SECOND / 10;
    spec.mode.requests = 4;
    enum load_failure f = bench_run(b, &spec);
    while (spec.duration_ns < 10 * SECOND && b->out.requests <= 4) { /* a busy machine */
        spec.duration_ns *= 4;
        f = bench_run(b, &spec);
    }
    if (f != LOAD_OK) {
        fail_msg("%s: %s", load_failure_name(f), b->e.text);
    }
    assert_true(b->out.requests > 4);
}

/* A closed loop of c connections that each think T: c/T requests a second at most. */
static void thinks(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load_spec spec = spec_for(b, NULL);
    double busy = 1;
    spec.connections = 10;
    spec.threads = 2;
    spec.mode.think_min_ms = spec.mode.think_max_ms = 50;
    /* A busy machine replies late and begins late: longer times hide both. */
    for (int i = 0; i < 3 && !(b->out.active_ratio > 0.8 && busy < 0.5); i++) {
        if (i > 0) {
            spec.duration_ns *= 4;
            spec.mode.think_min_ms = spec.mode.think_max_ms *= 3;
        }
        bench_run_well(b, &spec);
        /* The first request comes after a think time as well; timers are never early by more than
         * one tick of a millisecond. */
        assert_in_range(b->out.requests, 1,
                        10 * (b->out.duration_us / 1000 / (spec.mode.think_max_ms - 1)));
        assert_int_equal(hist_total(&b->out.raw), b->out.requests);
        busy = load_active_ratio(&b->out.raw, 10, b->out.duration_us);
    }
    /* Idle as intended: all of the connections' time is accounted for, and nearly all of it is
     * think time. */
    assert_true(b->out.active_ratio > 0.8 && b->out.active_ratio < 1.05);
    assert_true(busy < 0.5);
    /* One think time is longer than the window: nothing is sent, and that is said. */
    spec.duration_ns = SECOND;
    spec.mode.think_min_ms = spec.mode.think_max_ms = 5000;
    assert_int_equal(bench_run(b, &spec), LOAD_HUNG);
}

static void thinks_within_bounds(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load_spec spec = spec_for(b, NULL);
    spec.mode = (struct mode){.requests = 40, .think_min_ms = 5, .think_max_ms = 9};
    bench_run_well(b, &spec);
    assert_in_range(b->out.idle_us, 40 * 5 * 1000, 40 * 9 * 1000);
    int64_t first = b->out.idle_us;
    bench_run_well(b, &spec); /* the same times in every trial */
    assert_int_equal(b->out.idle_us, first);
}

/* All requests of a batch leave at once, and a latency would be the batch's: none is given. */
static void pipelines(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load_spec spec = spec_for(b, NULL);
    spec.mode.pipeline = 16;
    bench_run_well(b, &spec);
    assert_true(b->out.requests >= 16);
    assert_int_equal(b->out.raw.n, 0);
    assert_int_equal(b->out.corrected.n, 0);
    assert_true(b->out.active_ratio > 0.3 && b->out.active_ratio < 1.05);
}

/* One connection a request. */
static void closes(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load_spec spec = spec_for(b, NULL);
    spec.mode = (struct mode){.requests = 30, .close = true};
    int64_t before = target_says(b, "accepted");
    bench_run_well(b, &spec);
    int64_t accepted = target_says(b, "accepted") - before - 1;
    /* wrk's probe at its start is one more, and each connection is made once more at the end. */
    assert_in_range(accepted, 30, 30 + 1 + spec.connections);
    assert_int_equal(b->out.errors_read, 0);
    spec.mode.requests = 0;
    bench_run_well(b, &spec);
    assert_int_equal(hist_total(&b->out.raw), b->out.requests);
    assert_true(isnan(b->out.active_ratio));
}

static void judges_a_fake(void **state) {
    struct bench *b = *state;
    static const struct bench_end ends[] = {
        {"early", LOAD_EARLY, "500 of 1000 requests were answered"},
        {"excess", LOAD_LIES, "1001 requests instead of 1000"},
        {"zero", LOAD_EARLY, "0 of 1000"},
        {"hang", LOAD_TIMEOUT, "not all of 1000 requests were answered"},
    };
    struct load_spec spec = spec_for(b, FAKE_WRK);
    spec.mode.requests = 1000;
    bench_run_well(b, &spec);
    assert_int_equal(b->out.requests, 1000);
    assert_int_equal(b->out.wall_us, b->out.duration_us + 1000);
    setenv("FAKE_WRK", "busy", 1); /* it is not interrupted before its main thread sleeps */
    bench_run_well(b, &spec);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        spec.timeout_ns = ends[i].failure == LOAD_TIMEOUT ? SECOND : 0;
        bench_hurry(&spec, &ends[i]);
        setenv("FAKE_WRK", ends[i].behaviour, 1);
        bench_judge(b, "wrk", &ends[i], bench_run(b, &spec));
    }
    setenv("FAKE_WRK", "ok", 1);
    spec = spec_for(b, FAKE_WRK);
    spec.mode.pipeline = 10;
    bench_run_well(b, &spec);
    assert_int_equal(b->out.raw.n, 0);
    assert_true(b->out.active_ratio > 0.5 && b->out.active_ratio < 1.1);
}

static void refuses_modes(void **state) {
    struct bench *b = *state;
    static const struct {
        struct mode mode;
        int connections, threads;
        const char *words;
    } cases[] = {
        {{.pipeline = 4, .close = true}, 4, 1, "leave out --pipeline or --no-keepalive"},
        {{.requests = 10, .pipeline = 4}, 1, 1, "choose a multiple of 4"},
        {{.requests = 3}, 4, 1, "choose at least 4"},
        {{.requests = 8, .pipeline = 4}, 4, 1, "choose at least 16"},
        {{.pipeline = 1024}, 100, 1, "more than 65536 at once"},
        {{.pipeline = 2000}, 1, 1, "out of range"},
        {{.think_min_ms = 5, .think_max_ms = 4}, 1, 1, "out of range"},
        {{.requests = -1}, 1, 1, "out of range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct load_spec spec = spec_for(b, FAKE_WRK);
        spec.connections = cases[i].connections;
        spec.threads = cases[i].threads;
        spec.mode = cases[i].mode;
        bench_refused(b, i, cases[i].words, bench_run(b, &spec));
    }
    char *body = calloc(1, 65536);
    assert_non_null(body);
    struct load_spec spec = spec_for(b, FAKE_WRK);
    spec.request =
        (struct load_request){.method = "POST", .path = "/upload", .body = body, 65536, false};
    spec.mode.pipeline = 16;
    bench_refused(b, 0, "pipeline fewer", bench_run(b, &spec));
    free(body);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)
        CASE(counts_requests_exactly), CASE(warms_up_for_a_time), CASE(thinks),
        CASE(thinks_within_bounds),    CASE(pipelines),           CASE(closes),
        CASE(judges_a_fake),           CASE(refuses_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
