/* run/judge: which signals flag a trial, and which have its block run again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run/judge.h"

static const struct judge_facts facts = {
    .local_ports = 28232, .conntrack_max = 1000, .generator_alone = true, .depth = 1};

/* A trial in which nothing was amiss. */
static struct trial_record sound(void) {
    struct trial_record r;
    record_init(&r);
    r.connections = 64;
    r.load.duration_us = 1000000;
    r.load.requests = 100000;
    r.load.errors_connect = r.load.errors_read = r.load.errors_write = 0;
    r.load.errors_timeout = r.load.errors_status = 0;
    r.load.thread_busy = 0.5;
    r.raw.p50_us = 400;
    r.stall_us = 9000;
    r.active_ratio = 0.8;
    r.environment =
        (struct environment_result){.speed_block = 700, .speed_before = 700, .speed_after = 701};
    return r;
}

static void expect(struct trial_record r, const char *flags, const char *reason) {
    char why[JUDGE_REASON_MAX];
    bool invalid = judge_trial(&r, &facts);
    assert_string_equal(r.flags, flags);
    assert_int_equal(invalid, strstr(flags, "-invalid") != NULL);
    assert_int_equal(judge_reason(&r, &facts, why, sizeof why), invalid);
    assert_string_equal(why, reason);
}

static void a_sound_trial_has_no_flags(void **state) {
    (void)state;
    expect(sound(), "", "");
}

/* Of a signal that decides, that is; and neither good nor bad. */
static void what_is_unknown_is_said(void **state) {
    struct trial_record r;
    (void)state;
    record_init(&r);
    expect(r,
           "steal-unknown foreign-cpu-unknown throttled-unknown listen-overflows-unknown "
           "conntrack-unknown",
           "");
    r.status = TRIAL_FAILED; /* it was not measured */
    expect(r, "", "");
    r.environment.foreign_cpus = 0.9; /* but the machine was looked at: it may be the cause */
    r.environment.steal_ratio = 0.001;
    expect(r, "foreign-cpu-invalid", "foreign-cpu 90%");
    r = sound();
    r.environment.foreign_cpus = UNKNOWN_REAL;
    r.environment.steal_ratio = 0.03;
    expect(r, "steal-invalid foreign-cpu-unknown", "steal 3.0%");
    r = sound();
    r.stall_us = UNKNOWN_INT;
    r.active_ratio = UNKNOWN_REAL;
    r.environment.retransmits = r.environment.listen_drops = r.environment.time_wait = UNKNOWN_INT;
    expect(r, "", "");
}

static void a_shift_is_that_of_the_trial_or_of_its_block(void **state) {
    struct trial_record r = sound();
    (void)state;
    r.environment.speed_block = 730; /* -4% by and by */
    expect(r, "speed-shift-warn", "");
    r.environment.speed_block = UNKNOWN_REAL; /* of an older version */
    expect(r, "", "");
    r.environment.speed_before = 730;
    expect(r, "speed-shift-warn", "");
    r.environment.speed_block = 701;
    expect(r, "speed-shift-warn", "");
}

static void each_signal_has_its_flag(void **state) {
    struct trial_record r = sound();
    (void)state;
    r.environment.steal_ratio = 0.006;
    expect(r, "steal-warn", "");
    r.environment.steal_ratio = 0.021;
    expect(r, "steal-invalid", "steal 2.1%");
    r = sound();
    r.environment.foreign_cpus = 0.34;
    expect(r, "foreign-cpu-invalid", "foreign-cpu 34%");
    r.environment.foreign_error = 0.32; /* two ticks of two CPUs in an eighth of a second */
    expect(r, "", "");
    r.environment.foreign_error = 0.3;
    expect(r, "foreign-cpu-invalid", "foreign-cpu 4.0%");
    r.environment.foreign_error = 0;
    r.environment.foreign_cpus = 0.085;
    r.load.duration_us = 50000; /* 4.3 ms */
    expect(r, "foreign-cpu-unknown", "");
    r.load.duration_us = 60000; /* 5.1 ms */
    expect(r, "foreign-cpu-invalid", "foreign-cpu 8.5%");
    r = sound();
    r.environment.throttled = 3;
    expect(r, "throttled-invalid", "throttled 3");
    r = sound();
    r.environment.speed_after = 650;
    expect(r, "speed-shift-warn", "");
    r = sound();
    r.environment.listen_overflows = 12;
    r.environment.listen_drops = 12;
    expect(r, "listen-overflows-invalid listen-drops-warn", "listen-overflows 12");
    r = sound();
    r.environment.retransmits = 1;
    expect(r, "retransmits-warn", "");
    r = sound();
    r.environment.time_wait = 28232 / 2 - 64;
    expect(r, "", "");
    r.environment.time_wait++;
    expect(r, "ports-warn", "");
}

static void a_full_table_of_connections_is_invalid(void **state) {
    struct trial_record r = sound();
    const struct judge_facts none = {.local_ports = 28232, .conntrack_max = -1};
    (void)state;
    r.environment.conntrack = 500;
    expect(r, "", "");
    r.environment.conntrack = 501;
    expect(r, "conntrack-warn", "");
    r.environment.conntrack = 901;
    expect(r, "conntrack-invalid", "conntrack 90%");
    assert_false(judge_trial(&r, &none)); /* whatever it counts, without a limit nothing is full */
    assert_string_equal(r.flags, "");
    r.environment.conntrack = UNKNOWN_INT;
    expect(r, "conntrack-unknown", "");
    assert_false(judge_trial(&r, &none));
    assert_string_equal(r.flags, "");
}

static void a_silent_connection_is_a_warning(void **state) {
    struct trial_record r = sound();
    (void)state;
    r.load.silent = 0;
    expect(r, "", "");
    r.load.silent = 1;
    expect(r, "silent-warn", "");
    r.raw.p50_us = 100000; /* half the window is no more than five of these */
    expect(r, "", "");
    r.raw.p50_us = UNKNOWN_INT;
    expect(r, "", "");
}

/* More than half of them: of the server's own doing, as far as it is known. */
static void most_connections_silent_are_a_hang(void **state) {
    struct trial_record r = sound();
    (void)state;
    assert_false(judge_hangs(&r)); /* nobody looked */
    r.load.silent = 32;
    assert_false(judge_hangs(&r));
    r.load.silent = 33;
    assert_true(judge_hangs(&r));
    r.raw.p50_us = 100000; /* a workload that just takes long */
    assert_false(judge_hangs(&r));
    r.raw.p50_us = 99999;
    assert_true(judge_hangs(&r));
    r.environment.steal_ratio = r.environment.foreign_cpus = UNKNOWN_REAL;
    r.environment.throttled = r.environment.listen_overflows = UNKNOWN_INT;
    assert_true(judge_hangs(&r));
    r.environment.steal_ratio = 0.02;
    r.environment.foreign_cpus = 0.03;
    r.environment.throttled = r.environment.listen_overflows = 0;
    r.environment.listen_drops = r.environment.retransmits = 9;
    assert_true(judge_hangs(&r));
    /* Neither what ticks may have made of nothing, nor a turn of a process in a short window, makes
     * the trial invalid. */
    r.environment.foreign_cpus = 0.05;
    r.environment.foreign_error = 0.03;
    assert_true(judge_hangs(&r));
    r.raw.p50_us = 400;
    r.environment.foreign_cpus = 0.085;
    r.environment.foreign_error = 0;
    r.load.duration_us = 50000;
    assert_true(judge_hangs(&r));
}

static void what_a_disturbed_machine_keeps_waiting_is_no_hang(void **state) {
    (void)state;
    for (int why = 0; why < 4; why++) {
        struct trial_record r = sound();
        r.load.silent = r.connections;
        assert_true(judge_hangs(&r));
        r.environment.steal_ratio = why == 0 ? 0.021 : 0;
        r.environment.foreign_cpus = why == 1 ? 0.031 : 0;
        r.environment.throttled = why == 2;
        r.environment.listen_overflows = why == 3;
        assert_false(judge_hangs(&r));
        assert_true(judge_trial(&r, &facts)); /* it does not count, then */
        assert_non_null(strstr(r.flags, "silent-warn"));
    }
}

/* All as long as those that were checked, but for what came of one more on each connection. */
static void replies_of_another_length_are_a_warning(void **state) {
    struct trial_record r = sound();
    (void)state;
    snprintf(r.load.generator, sizeof r.load.generator, "wrk");
    r.reply_bytes = 100;
    r.load.bytes = 100 * 100000;
    expect(r, "", "");
    r.load.bytes += INT64_C(100) * 64;
    expect(r, "", "");
    r.load.bytes += 1;
    expect(r, "reply-size-warn", "");
    r.load.bytes = 100 * 100000 - 1; /* a reply is counted when all of it is there */
    expect(r, "reply-size-warn", "");
    r.load.errors_status = 1; /* which are known to be others */
    expect(r, "errors-warn", "");
    r.load.errors_status = 0;
    r.reply_bytes = UNKNOWN_INT;
    expect(r, "", "");
    r.reply_bytes = 100;
    snprintf(r.load.generator, sizeof r.load.generator, "ab"); /* asks for other heads */
    expect(r, "", "");
}

/* A pipeline may have begun as many replies as it sent requests; what broke off is of any length,
 * and a reply that ends its connection has another head than the runner's. */
static void a_length_is_judged_of_whole_replies_to_the_same_request(void **state) {
    struct judge_facts other = facts;
    struct trial_record r = sound();
    (void)state;
    snprintf(r.load.generator, sizeof r.load.generator, "wrk");
    r.reply_bytes = 100;
    r.load.bytes = 100 * 100000 + INT64_C(100) * 64 * 8;
    expect(r, "reply-size-warn", "");
    other.depth = 8;
    assert_false(judge_trial(&r, &other));
    assert_string_equal(r.flags, "");
    r.load.bytes++;
    judge_trial(&r, &other);
    assert_string_equal(r.flags, "reply-size-warn");
    other.replies_close = true;
    judge_trial(&r, &other);
    assert_string_equal(r.flags, "");
    for (int kind = 0; kind < 3; kind++) {
        int64_t *const at[] = {&r.load.errors_connect, &r.load.errors_read, &r.load.errors_write};
        *at[kind] = 1;
        expect(r, "errors-warn", "");
        *at[kind] = 0;
    }
    r.load.requests = 0;
    expect(r, "", "");
}

static void no_outcome_makes_a_trial_invalid(void **state) {
    struct trial_record r = sound();
    (void)state;
    r.rate = 1;
    r.server.cpu_us_per_request = 1e6;
    r.raw.p99_us = r.raw.max_us = 1900000;
    r.stall_us = 1900000;
    r.active_ratio = 0.01;
    r.load.errors_status = 99999;
    expect(r, "active-share-warn stall-warn errors-warn", "");
}

static void a_busy_generator_leaves_half(void **state) {
    struct trial_record r = sound();
    (void)state;
    r.load.thread_busy = 1;
    assert_true(judge_server_share(&r, true) == 0.5);
    r.active_ratio = 0.45;
    expect(r, "", "");
    r.active_ratio = 0.44;
    expect(r, "active-share-warn", "");
    r.load.thread_busy = 0; /* with a generator that waits, every connection should */
    r.active_ratio = 0.89;
    expect(r, "active-share-warn", "");
    r.raw.p50_us = 100000; /* the window's end cuts one in ten off */
    expect(r, "", "");
    r.raw.p50_us = 99999;
    expect(r, "active-share-warn", "");
    r.raw.p50_us = UNKNOWN_INT; /* then it is not known to be cut off */
    expect(r, "active-share-warn", "");
    r.raw.p50_us = 400;
    r.environment.foreign_cpus = 0.34; /* a neighbour leaves them idle, too */
    expect(r, "foreign-cpu-invalid", "foreign-cpu 34%");
    r.environment.foreign_cpus = 0;
    assert_true(judge_server_share(&r, false) == 0.5);
    r.load.thread_busy = NAN;
    expect(r, "", "");
}

static void a_slow_server_does_not_stall(void **state) {
    struct trial_record r = sound();
    (void)state;
    r.stall_us = 300000;
    expect(r, "stall-warn", "");
    r.raw.p50_us = 60000; /* five times that is as long */
    expect(r, "", "");
    r.raw.p50_us = 59999;
    expect(r, "stall-warn", "");
    r.raw.p50_us = 400;
    r.stall_us = 99000;
    expect(r, "", "");
}

static void errors_of_every_kind_are_errors(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        struct trial_record r = sound();
        int64_t *const at[] = {&r.load.errors_connect, &r.load.errors_read, &r.load.errors_write,
                               &r.load.errors_timeout, &r.load.errors_status};
        *at[kind] = 1;
        expect(r, "errors-warn", "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_trial_has_no_flags),
        cmocka_unit_test(what_is_unknown_is_said),
        cmocka_unit_test(a_shift_is_that_of_the_trial_or_of_its_block),
        cmocka_unit_test(each_signal_has_its_flag),
        cmocka_unit_test(a_full_table_of_connections_is_invalid),
        cmocka_unit_test(a_silent_connection_is_a_warning),
        cmocka_unit_test(most_connections_silent_are_a_hang),
        cmocka_unit_test(what_a_disturbed_machine_keeps_waiting_is_no_hang),
        cmocka_unit_test(replies_of_another_length_are_a_warning),
        cmocka_unit_test(a_length_is_judged_of_whole_replies_to_the_same_request),
        cmocka_unit_test(no_outcome_makes_a_trial_invalid),
        cmocka_unit_test(a_busy_generator_leaves_half),
        cmocka_unit_test(a_slow_server_does_not_stall),
        cmocka_unit_test(errors_of_every_kind_are_errors),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
