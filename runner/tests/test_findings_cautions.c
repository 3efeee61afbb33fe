/* What a report warns of: whether the run is validated, what was left out, and what bears no
 * verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "concluded.h"
#include "store/blocks.h"

static void an_alarm_makes_the_run_not_validated(void **state) {
    struct synthetic s = usual();
    char *text = NULL;
    size_t len = 0;
    (void)state;
    s.target[2].cpu = 8.8;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_reason(&c, FINDINGS_NOT_VALIDATED,
                  "differs from itself in 1 of 1 cells in CPU per request (hello, 100 connections: "
                  "heavier by 10.0% [10.0, 10.0])");
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    findings_print(f, &c.f, true);
    fclose(f);
    assert_memory_equal(text, "not validated: ", 15);
    free(text);
    end(&c);
}

static void a_control_that_differs_in_latency_is_a_caution(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[2].p99 = 5000;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_int_equal(c.f.validity, FINDINGS_VALIDATED);
    assert_says(&c, FINDING_CAUTION,
                "The A/A control differs from itself in p99 (hello, 100 connections: slower by ");
    end(&c);
}

static void without_control_nothing_is_judged(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[2] = (struct synthetic_target){0};
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_reason(&c, FINDINGS_NOT_JUDGED, "no A/A control");
    assert_true(isnan(c.f.resolution));
    assert_says(&c, FINDING_CAUTION, "Without the null server");
    assert_says(&c, FINDING_DIFFERENCE, "lean used 10.0% less CPU per request than base");
    end(&c);
}

static void a_smoke_run_pretends_nothing(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.rounds = 1;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_int_equal(c.f.count, 1);
    assert_says(&c, FINDING_INSUFFICIENT,
                "Nothing is concluded from 1 round: a verdict needs at least 6.");
    assert_reason(&c, FINDINGS_NOT_JUDGED, "at most 1 of 1 where 6 are needed");
    end(&c);
}

static void invalid_blocks_are_the_reason_given(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (size_t i = 0; i < s.store.count; i++) {
        struct trial_record *r = &s.store.records[i];
        if (r->round < 8 && strcmp(r->target, "lean") == 0) {
            snprintf(r->flags, sizeof r->flags, "steal-invalid");
        }
    }
    struct concluded c = conclude(&s);
    assert_int_equal(c.f.validity, FINDINGS_VALIDATED); /* its own trials are sound */
    assert_says(&c, FINDING_INSUFFICIENT,
                "at most 3 of 11 blocks of any comparison count, and 6 are needed; up to 8 were "
                "left out because a trial was invalid");
    assert_says(&c, FINDING_CAUTION, "5 of 5 verdicts depend on leaving out trials");
    end(&c);
}

/* Nobody saw the CPU of others beside "lean"; beside another of its block somebody did. */
static void what_could_not_be_read_is_said(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (size_t i = 0; i < s.store.count; i++) {
        struct trial_record *r = &s.store.records[i];
        const char *flags = strcmp(r->target, "lean") == 0 ? "foreign-cpu-unknown throttled-unknown"
                            : r->round < 4 && r->role == ROLE_NULL ? "foreign-cpu-invalid"
                                                                   : "";
        snprintf(r->flags, sizeof r->flags, "%s", flags);
        /* In the first round it was read, and too small to judge. */
        r->environment.foreign_cpus = r->round == 0 ? 0.04 : UNKNOWN_REAL;
    }
    blocks_share_signals(s.store.records, s.store.count);
    struct concluded c = conclude(&s);
    size_t unknown = 0;
    size_t invalid = 0;
    for (size_t t = 0; t < c.v.cells->target_count; t++) {
        unknown += c.v.trials[t].unknown;
        invalid += c.v.trials[t].invalid;
    }
    assert_int_equal(unknown, 11);
    assert_int_equal(invalid, 7); /* the null server's, and those of "lean" beside them */
    assert_int_equal(c.v.row[0].invalid_blocks, 3);
    assert_says(&c, FINDING_CAUTION,
                "is unknown: of lean in 11 of 11 trials. Unknown is not undisturbed");
    assert_says(&c, FINDING_CAUTION, "3 of them are left out");
    /* For the signal that is the machine's, not for the one that is the target's own. */
    const struct finding *own = find(&c, "throttled (");
    assert_non_null(own);
    assert_null(strstr(own->text, "left out"));
    end(&c);
}

static void gating_that_matters_is_said_in_the_sentence(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (int round = 0; round < 5; round++) {
        struct trial_record *r = synthetic_at(&s, "lean", round, 100);
        r->server.cpu_us_per_request *= 1.2;
        snprintf(r->flags, sizeof r->flags, "foreign-cpu-invalid");
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_DIFFERENCE,
                "lean used 10.0% less CPU per request than base [10.0, 10.0] (ungated: no "
                "difference).");
    assert_says(&c, FINDING_CAUTION, "1 of 5 verdicts depends on leaving out trials");
    end(&c);
}

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
    assert_says(&c, FINDING_CAUTION, "closed loop");
    end(&c);
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

static void conditions_that_hurt_are_cautions(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    json_object_set_new(json_object_get(s.store.manifest, "options"), "backlog", json_string("1"));
    json_object_set_new(s.store.manifest, "machine",
                        json_pack("{s:{s:i}}", "limits", "somaxconn", 4096));
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "The machine and its use, backlog: a listen queue of 1 for 100 connections");
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

static void requests_that_failed_are_a_caution(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (size_t i = 0; i < s.store.count; i++) {
        struct trial_record *r = &s.store.records[i];
        const bool lean = strcmp(r->target, "lean") == 0;
        r->load.errors_connect = r->load.errors_write = r->load.errors_timeout = 0;
        r->load.errors_read = lean ? s.samples : 0; /* half of all that was tried */
        r->load.errors_status = lean ? 0 : 1;       /* nothing to speak of */
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "hello, 100 connections: failed or answered with an error: 50% of what lean was "
                "asked.");
    assert_null(find(&c, "of what base"));
    end(&c);
}

static void an_unfinished_run_and_a_late_margin_are_cautions(void **state) {
    struct synthetic s = usual();
    const struct verdicts_options o = {.margin = 0.2};
    (void)state;
    synthetic_make(&s);
    s.store.state = STORE_INTERRUPTED;
    struct concluded c = conclude_with(&s, &o);
    assert_says(&c, FINDING_CAUTION, "The run is not complete: 11 blocks were measured");
    assert_says(&c, FINDING_CAUTION,
                "The margin of 20% was chosen for this report; the run was begun with 3%.");
    assert_says(&c, FINDING_EQUIVALENT, "equivalent within 20% in CPU per request");
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alarm_makes_the_run_not_validated),
        cmocka_unit_test(a_control_that_differs_in_latency_is_a_caution),
        cmocka_unit_test(without_control_nothing_is_judged),
        cmocka_unit_test(a_smoke_run_pretends_nothing),
        cmocka_unit_test(invalid_blocks_are_the_reason_given),
        cmocka_unit_test(what_could_not_be_read_is_said),
        cmocka_unit_test(gating_that_matters_is_said_in_the_sentence),
        cmocka_unit_test(a_lower_bound_is_no_finding),
        cmocka_unit_test(a_ceiling_that_was_exceeded_is_none),
        cmocka_unit_test(near_the_ceiling_is_a_warning),
        cmocka_unit_test(conditions_that_hurt_are_cautions),
        cmocka_unit_test(a_null_server_that_failed_is_no_ceiling),
        cmocka_unit_test(a_generator_that_was_not_seen_is_said),
        cmocka_unit_test(cpu_that_was_not_measured_compares_nothing),
        cmocka_unit_test(requests_that_failed_are_a_caution),
        cmocka_unit_test(an_unfinished_run_and_a_late_margin_are_cautions),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("findings/cautions", tests, NULL, NULL);
}
