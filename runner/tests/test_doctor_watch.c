/* doctor: this machine watched for a moment, and an interruption of that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "sample/proc.h"
#include "ui/doctor.h"

#define MOST_NS INT64_C(10000000000)

static const struct doctor_options options = {.max_connections = 500, .workers = 1, .threads = 1};

/* Figures within what is possible. */
static void test_watch(void **state) {
    (void)state;
    struct loop loop;
    struct err e = {0};
    struct machine m;
    struct doctor_watch w;
    struct doctor_options o = options;
    assert_int_equal(loop_init(&loop, &e), 0);
    machine_read("", &m);
    o.window_ns = 50000000;
    assert_int_equal(doctor_watch(&loop, &o, &m, &w, &e), 0);
    while (isnan(w.exchange_us[0]) && o.window_ns < MOST_NS) { /* a busy machine */
        o.window_ns *= 4;
        assert_int_equal(doctor_watch(&loop, &o, &m, &w, &e), 0);
    }
    assert_true(w.split_known);
    assert_true(CPU_COUNT(&w.split.server) >= 1);
    assert_true(w.window_s >= 0.05);
    assert_true(w.speed_spread >= 0 && w.speed_spread < 1);
    assert_false(w.steal_ratio < 0);
    assert_false(w.foreign_cpus < 0);
    for (size_t i = 0; i < DOCTOR_SLICES; i++) {
        assert_true(w.exchange_us[i] > 0);
    }
    o.window_ns = -1;
    assert_int_equal(doctor_watch(&loop, &o, &m, &w, &e), 0);
    assert_true(isnan(w.speed_spread));
    assert_true(isnan(w.exchange_us[0]));
    struct cpusplit given = {.server_short = true};
    o.split = &given;
    assert_int_equal(doctor_watch(&loop, &o, &m, &w, &e), 0);
    assert_true(w.split_known && w.split.server_short);
    machine_release(&m);
    loop_release(&loop);
}

/* Ctrl-C as soon as the exchange runs, in two processes besides this one. */
static void interrupt(uv_timer_t *timer) {
    pid_t pids[8];
    if (proc_tree(getpid(), pids, 8) == 3) {
        raise(SIGINT);
        uv_timer_stop(timer);
    }
}

static void test_exchange_interrupted(void **state) {
    (void)state;
    struct loop loop;
    struct err e = {0};
    struct machine m;
    struct doctor_watch w;
    struct doctor_options o = options;
    uv_timer_t timer;
    assert_int_equal(loop_init(&loop, &e), 0);
    machine_read("", &m);
    uv_timer_init(&loop.uv, &timer);
    uv_timer_start(&timer, interrupt, 1, 1);
    o.window_ns = 100000000;
    int rc = doctor_watch(&loop, &o, &m, &w, &e);
    while (rc == 0 && o.window_ns < MOST_NS) { /* it was over before this process got to see it */
        o.window_ns *= 4;
        rc = doctor_watch(&loop, &o, &m, &w, &e);
    }
    assert_int_equal(rc, -1);
    assert_string_equal(e.text, "interrupted");
    machine_release(&m);
    loop_release(&loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watch),
        cmocka_unit_test(test_exchange_interrupted),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("doctor watch", tests, NULL, NULL);
}
