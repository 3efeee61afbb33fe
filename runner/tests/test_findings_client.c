/* What a report warns of where the load generator was the limit, or may have been. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "concluded.h"
#include "store/blocks.h"

static void a_lower_bound_is_no_finding(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[1].rate = 120000;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_null(find(&c, "requests per second"));
    assert_says(
        &c, FINDING_CAUTION,
        "hello: the load generator limited the throughput of lean at 100 connections. Those "
        "figures are lower bounds and bear no verdict; CPU per request does. They are "
        "96.0% of what the null server reached.");
    assert_says(&c, FINDING_EQUIVALENT, "client-limited");
    assert_says(&c, FINDING_CAUTION, "The 2 comparisons of p50 and p99 are of a closed loop");
    end(&c);
}

/* Where nothing is concluded, no figure is said to bear its verdict. */
static void without_a_verdict_none_is_promised(void **state) {
    static const double rates[] = {120000, 106000};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct synthetic s = usual();
        s.target[1].rate = rates[i];
        synthetic_make(&s);
        for (size_t k = 0; k < s.store.count; k++) {
            snprintf(s.store.records[k].flags, 512, "foreign-cpu-invalid");
        }
        struct concluded c = conclude(&s);
        assert_says(&c, FINDING_INSUFFICIENT, "Nothing is concluded");
        assert_says(&c, FINDING_CAUTION,
                    i == 0 ? "lower bounds and bear no verdict. They are"
                           : "Targets may differ by more than their throughput shows");
        assert_null(find(&c, "CPU per request does"));
        assert_null(find(&c, "bears its verdict"));
        end(&c);
    }
}

static void a_ceiling_that_was_exceeded_is_none(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[0].rate = 205000;
    s.target[1].rate = 120000;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_null(find(&c, "requests per second"));
    assert_says(&c, FINDING_CAUTION,
                "hello: the null server was not the ceiling in this run, for base at 100 "
                "connections. They reached 164.0% of its throughput");
    assert_says(&c, FINDING_CAUTION,
                "something slowed one and not the other. Their figures, though marked as lower "
                "bounds, say what each target reached in this run and no more: nothing can be "
                "concluded from them about one target's throughput beside another's; CPU per "
                "request bears its verdict.");
    assert_says(&c, FINDING_CAUTION,
                "the load generator limited the throughput of lean at 100 connections. Those");
    end(&c);
    /* A tie at the ceiling is none of that. */
    s = usual();
    s.target[0].rate = 130000;
    synthetic_make(&s);
    c = conclude(&s);
    assert_null(find(&c, "was not the ceiling"));
    assert_says(&c, FINDING_CAUTION, "They are 104.0% of what the null server reached.");
    end(&c);
}

/* Of a disturbed null server the ceiling is too low; of a disturbed block that nobody saw, too. */
static void blocks_left_out_do_not_judge_the_limit(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (int round = 0; round < 6; round++) {
        synthetic_at(&s, "null", round, 100)->rate = 60000;
    }
    struct concluded c = conclude(&s);
    assert_non_null(find(&c, "limited the throughput of base at 100"));
    findings_release(&c.f);
    verdicts_release(&c.v);
    cells_release(&s.cells);
    for (int round = 0; round < 6; round++) {
        snprintf(synthetic_at(&s, "null", round, 100)->flags, 512, "foreign-cpu-invalid");
    }
    c = conclude(&s);
    assert_null(find(&c, "limited the throughput"));
    assert_null(find(&c, "near its limit"));
    findings_release(&c.f);
    verdicts_release(&c.v);
    cells_release(&s.cells);
    for (size_t i = 0; i < s.store.count; i++) { /* nothing else is left to judge by */
        snprintf(s.store.records[i].flags, 512, "foreign-cpu-invalid");
    }
    c = conclude(&s);
    assert_non_null(find(&c, "limited the throughput of base at 100"));
    findings_release(&c.f);
    verdicts_release(&c.v);
    cells_release(&s.cells);
    for (size_t i = 0; i < s.store.count; i++) { /* and where it was not seen: by the block */
        struct trial_record *r = &s.store.records[i];
        snprintf(r->flags, sizeof r->flags, "%s",
                 strcmp(r->target, "lean") == 0            ? "foreign-cpu-unknown"
                 : r->role == ROLE_CONTROL && r->round < 6 ? "foreign-cpu-invalid"
                                                           : "");
        if (r->role == ROLE_NULL && r->round >= 6) {
            r->rate = 200000;
        }
        synthetic_at(&s, "lean", r->round, 100)->rate = 59000;
    }
    blocks_share_signals(s.store.records, s.store.count);
    c = conclude(&s);
    assert_non_null(find(&c, "limited the throughput of base at 100"));
    assert_null(find(&c, "limited the throughput of base at 100 connections; lean"));
    end(&c);
}

static void near_the_ceiling_is_a_warning(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[0].rate = 100000;
    s.target[1].rate = 106000;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_DIFFERENCE, "served");
    assert_says(&c, FINDING_CAUTION,
                "hello: the load generator was near its limit with base at 100 connections; lean "
                "at 100 connections: in at least one block they reached 80% of what the null "
                "server did");
    assert_says(&c, FINDING_CAUTION, "(in the median block 80.0% to 84.8%)");
    assert_says(&c, FINDING_CAUTION, "; CPU per request is not touched by that.");
    end(&c);
}

static void a_null_server_that_failed_is_no_ceiling(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (size_t i = 0; i < s.store.count; i++) {
        struct trial_record *r = &s.store.records[i];
        r->status = r->role == ROLE_NULL ? TRIAL_FAILED : TRIAL_OK;
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "hello: no ceiling is known for the throughput of base at 100 connections; lean at "
                "100 connections: the null server gave no figure in their blocks.");
    assert_null(find(&c, "it is not known"));
    end(&c);
}

static void a_generator_that_was_not_seen_is_said(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[3] = (struct synthetic_target){0};
    synthetic_make(&s);
    for (size_t i = 0; i < s.store.count; i++) {
        s.store.records[i].load.thread_busy = NAN;
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "hello: it is not known whether the load generator limited the throughput of base "
                "at 100 connections; lean at 100 connections: neither");
    assert_says(&c, FINDING_CAUTION, "Without the null server");
    end(&c);
}

static void cpu_that_was_not_measured_compares_nothing(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[0].cpu = s.target[1].cpu = s.target[2].cpu = NAN;
    s.target[0].rate = s.target[2].rate = 118000;
    s.target[1].rate = 120000;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "bear no verdict, and CPU per request is n/a, so that nothing compares them.");
    assert_null(find(&c, "CPU per request does"));
    assert_reason(&c, FINDINGS_NOT_JUDGED,
                  "could not be judged: CPU per request was not measured; throughput was "
                  "limited by the load generator");
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lower_bound_is_no_finding),
        cmocka_unit_test(without_a_verdict_none_is_promised),
        cmocka_unit_test(a_ceiling_that_was_exceeded_is_none),
        cmocka_unit_test(blocks_left_out_do_not_judge_the_limit),
        cmocka_unit_test(near_the_ceiling_is_a_warning),
        cmocka_unit_test(a_null_server_that_failed_is_no_ceiling),
        cmocka_unit_test(a_generator_that_was_not_seen_is_said),
        cmocka_unit_test(cpu_that_was_not_measured_compares_nothing),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("findings/client", tests, NULL, NULL);
}
