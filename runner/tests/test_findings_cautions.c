/* What a report warns of: what was left out, and what bears no verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "concluded.h"
#include "store/blocks.h"

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
    assert_says(&c, FINDING_CAUTION,
                "nobody watched for it; 3 more of these trials are left out, since");
    /* For the signal that is the machine's, not for the one that is the target's own. */
    const struct finding *own = find(&c, "throttled (");
    assert_non_null(own);
    assert_null(strstr(own->text, "left out"));
    end(&c);
}

static void what_is_left_out_is_nothing_to_rest_on(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (size_t i = 0; i < s.store.count; i++) {
        struct trial_record *r = &s.store.records[i];
        snprintf(r->flags, sizeof r->flags, "%s",
                 r->round >= 4                    ? ""
                 : strcmp(r->target, "lean") == 0 ? "foreign-cpu-unknown"
                 : strcmp(r->target, "null") == 0 ? "foreign-cpu-invalid"
                                                  : "");
    }
    blocks_share_signals(s.store.records, s.store.count);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "of lean in 4 of 11 trials. Unknown is not undisturbed: no verdict rests on these "
                "trials, since another trial of their block was invalid by this signal.");
    assert_null(find(&c, "nobody watched"));
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

static void one_comparison_is_singular(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.samples = 8000; /* 80 beyond p99 in a trial: 880, and not 10 c, in all */
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION, "The 1 comparison of p50 and p99 is of a closed loop");
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
        cmocka_unit_test(a_smoke_run_pretends_nothing),
        cmocka_unit_test(invalid_blocks_are_the_reason_given),
        cmocka_unit_test(what_could_not_be_read_is_said),
        cmocka_unit_test(what_is_left_out_is_nothing_to_rest_on),
        cmocka_unit_test(gating_that_matters_is_said_in_the_sentence),
        cmocka_unit_test(one_comparison_is_singular),
        cmocka_unit_test(conditions_that_hurt_are_cautions),
        cmocka_unit_test(requests_that_failed_are_a_caution),
        cmocka_unit_test(an_unfinished_run_and_a_late_margin_are_cautions),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("findings/cautions", tests, NULL, NULL);
}
