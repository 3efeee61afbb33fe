/* A target that failed is named in the findings, with how often and why; and what trials that do
 * not count say of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "concluded.h"
#include "store/blocks.h"

static void crash_at(struct synthetic *s, const char *target, int connections, int rounds) {
    for (int round = 0; round < rounds; round++) {
        struct trial_record *r = synthetic_at(s, target, round, connections);
        r->status = TRIAL_FAILED;
        r->failure = FAIL_CRASHED;
        snprintf(r->reason, sizeof r->reason, "ended by signal 11");
    }
}

static void crash(struct synthetic *s, const char *target, int rounds) {
    crash_at(s, target, 100, rounds);
}

static void says_nothing_of_failures(const struct concluded *c) {
    for (size_t i = 0; i < c->f.count; i++) {
        assert_null(strstr(c->f.finding[i].text, "failed in"));
    }
}

static void comparisons_that_lack_blocks_name_who_failed(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[4] = (struct synthetic_target){"third", NULL, ROLE_TARGET, 8, 1e5, 1000, 3000, 4e6};
    synthetic_make(&s);
    crash(&s, "lean", 7);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_INSUFFICIENT,
                "at most 4 of 11 blocks count, 6 are needed; lean failed in hello at 100 "
                "connections (7 of 11 trials: crashed).");
    assert_says(&c, FINDING_CAUTION,
                "hello: lean failed in 7 of 11 trials at 100 connections (crashed: ended by signal "
                "11).");
    end(&c);
}

static void so_does_a_run_of_which_nothing_is_concluded(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    crash(&s, "lean", 7);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_INSUFFICIENT,
                "and 6 are needed; lean failed in hello at 100 connections (7 of 11 trials: "
                "crashed). The figures below");
    end(&c);
}

static void every_cell_with_failures_is_named(void **state) {
    static const int levels[] = {1, 100, 500};
    struct synthetic s = usual();
    (void)state;
    s.levels = levels;
    s.level_count = 3;
    s.target[4] = (struct synthetic_target){"third", NULL, ROLE_TARGET, 8, 1e5, 1000, 3000, 4e6};
    synthetic_make(&s);
    crash_at(&s, "lean", 1, 7);
    crash_at(&s, "lean", 500, 11);
    crash_at(&s, "third", 100, 8);
    synthetic_at(&s, "lean", 0, 500)->failure = FAIL_HUNG;
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_INSUFFICIENT,
                "; lean failed in hello at 1 connection (7 of 11 trials: crashed), 500 (11 of 11: "
                "hung); third failed in hello at 100 connections (8 of 11 trials: crashed).");
    end(&c);
}

static void the_cells_named_are_bounded(void **state) {
    static const int levels[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct synthetic s = usual();
    (void)state;
    s.levels = levels;
    s.level_count = 8;
    synthetic_make(&s);
    for (int i = 1; i <= 8; i++) {
        crash_at(&s, "lean", i, i == 3 ? 7 : i == 5 ? 8 : 9);
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_INSUFFICIENT,
                "lean failed in hello at 1 connection (9 of 11 trials: crashed), 2 (9 of 11: "
                "crashed), 4 (9 of 11: crashed), 6 (9 of 11: crashed), 7 (9 of 11: crashed), 8 (9 "
                "of 11: crashed); and in 2 more cells. The figures");
    end(&c);
}

static void many_failures_are_a_caution_though_there_is_a_verdict(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    crash(&s, "lean", 3);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_DIFFERENCE, "lean used 10.0% less CPU per request than base");
    assert_says(&c, FINDING_CAUTION, "hello: lean failed in 3 of 11 trials at 100 connections");
    end(&c);
}

static void one_hang_is_named_though_it_is_one_of_many(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    crash(&s, "lean", 1);
    synthetic_at(&s, "lean", 0, 100)->failure = FAIL_HUNG;
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "hello: lean failed in 1 of 11 trials at 100 connections (hung");
    end(&c);
}

static void connections_that_hung_are_told_of(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (int round = 0; round < 3; round++) {
        struct trial_record *r = synthetic_at(&s, "lean", round, 100);
        r->load.silent = 4 - round;
        snprintf(r->flags, sizeof r->flags, "retransmits-warn silent-warn");
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "hello: connections of lean hung in 3 of 11 trials, at 100 connections: they "
                "received no reply in the last half of the window (at the most 4 of 100).");
    end(&c);
}

static void replies_of_another_length_are_told_of(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (int round = 3; round < 5; round++) {
        struct trial_record *r = synthetic_at(&s, "lean", round, 100);
        r->load.requests = 1000;
        r->load.bytes = 97500;
        r->reply_bytes = 98;
        snprintf(r->flags, sizeof r->flags, "reply-size-warn");
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "hello: not all replies of lean were as long as those that were checked in 2 of 11 "
                "trials, at 100 connections: 97.50 bytes a reply came in there, head and body, and "
                "the checked ones have 98.");
    end(&c);
}

static void one_failure_among_many_trials_is_none(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    crash(&s, "lean", 1);
    struct concluded c = conclude(&s);
    says_nothing_of_failures(&c);
    end(&c);
}

static void the_resolution_is_that_of_the_worst_cell_too(void **state) {
    static const int levels[] = {10, 100};
    struct synthetic s = usual();
    (void)state;
    s.levels = levels;
    s.level_count = 2;
    synthetic_make(&s);
    for (int round = 0; round < 11; round++) {
        synthetic_at(&s, s.target[2].name, round, 10)->server.cpu_us_per_request *=
            round % 2 ? 1.02 : 1 / 1.02;
    }
    struct concluded c = conclude(&s);
    assert_true(c.f.resolution_worst > 1.5 * c.f.resolution);
    assert_true(c.f.resolution_rate_worst >= c.f.resolution_rate);
    end(&c);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_that_lack_blocks_name_who_failed),
        cmocka_unit_test(so_does_a_run_of_which_nothing_is_concluded),
        cmocka_unit_test(every_cell_with_failures_is_named),
        cmocka_unit_test(the_cells_named_are_bounded),
        cmocka_unit_test(many_failures_are_a_caution_though_there_is_a_verdict),
        cmocka_unit_test(one_hang_is_named_though_it_is_one_of_many),
        cmocka_unit_test(connections_that_hung_are_told_of),
        cmocka_unit_test(replies_of_another_length_are_told_of),
        cmocka_unit_test(one_failure_among_many_trials_is_none),
        cmocka_unit_test(the_resolution_is_that_of_the_worst_cell_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
