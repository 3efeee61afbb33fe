/* From cells to verdicts: which blocks count, how many ratios, the control, the counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/verdicts.h"
#include "synthetic.h"

static const int levels[] = {10, 100};

/* "lean" uses 10% less CPU than "base" and is as fast; "twin" equals "base"; the null server is far
 * ahead. */
static struct synthetic usual(void) {
    return (struct synthetic){
        .target =
            {
                {"base", NULL, ROLE_TARGET, 8.0, 60000, 900, 4000, 4e6},
                {"lean", NULL, ROLE_TARGET, 7.2, 60000, 900, 3000, 4e6},
                {"twin", NULL, ROLE_TARGET, 8.0, 60000, 900, 4000, 5e6},
                {"base-again", "base", ROLE_CONTROL, 8.0, 60000, 900, 4000, 4e6},
                {"null", NULL, ROLE_NULL, 5.0, 125000, 400, 900, 1e6},
            },
        .rounds = 11,
        .levels = levels,
        .level_count = 2,
        .noise = 0.005,
        .samples = 60000,
    };
}

static struct verdicts judge_with(struct synthetic *s, const struct verdicts_options *o) {
    struct verdicts v = {0};
    struct err e = {0};
    if (cells_build(&s->cells, &s->store, &e) != 0 || verdicts_build(&v, &s->cells, o, &e) != 0) {
        fail_msg("%s", e.text);
    }
    return v;
}

static struct verdicts judge(struct synthetic *s) {
    const struct verdicts_options as_begun = {0};
    return judge_with(s, &as_begun);
}

static void end(struct synthetic *s, struct verdicts *v) {
    verdicts_release(v);
    synthetic_release(s);
}

static const struct verdict_row *row(const struct verdicts *v, enum verdict_about about,
                                     const char *a, const char *b, int connections) {
    for (size_t i = 0; i < v->count; i++) {
        const struct verdict_row *r = &v->row[i];
        if (r->about == about && r->a->connections == connections &&
            strcmp(v->cells->targets[r->a->target].name, a) == 0 &&
            strcmp(v->cells->targets[r->b->target].name, b) == 0) {
            return r;
        }
    }
    fail_msg("no row %s / %s", a, b);
    return NULL;
}

static void known_differences_are_found(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    struct verdicts v = judge(&s);
    assert_int_equal(v.pair_count, 3 * 2 * ABOUT_COUNT);
    assert_int_equal(v.count, 4 * 2 * ABOUT_COUNT);
    for (size_t l = 0; l < 2; l++) {
        const struct verdict_row *r = row(&v, ABOUT_CPU, "base", "lean", levels[l]);
        assert_int_equal(r->gated.kind, VERDICT_HIGHER);
        assert_true(r->gated.lo < 8.0 / 7.2 && r->gated.hi > 8.0 / 7.2);
        assert_false(r->gated.fragile);
        assert_false(r->differs);
        assert_int_equal(r->gated.pairs.valid, 11);
        r = row(&v, ABOUT_CPU, "base", "twin", levels[l]);
        assert_int_equal(r->gated.kind, VERDICT_EQUIVALENT);
        r = row(&v, ABOUT_P99, "lean", "twin", levels[l]);
        assert_int_equal(r->gated.kind, VERDICT_LOWER);
        r = row(&v, ABOUT_MEMORY, "base", "twin", levels[l]);
        assert_int_equal(r->gated.kind, VERDICT_LOWER);
        r = row(&v, ABOUT_RATE, "base", "lean", levels[l]);
        assert_int_equal(r->gated.kind, VERDICT_EQUIVALENT);
    }
    /* Rows go by figure; the control's come last. */
    for (size_t i = 1; i < v.pair_count; i++) {
        assert_true(v.row[i].about >= v.row[i - 1].about);
        assert_false(v.row[i].control);
    }
    assert_true(v.row[v.pair_count].control);
    end(&s, &v);
}

static void ratios_are_counted_from_the_plan(void **state) {
    static const int three[] = {10, 100, 500};
    struct synthetic s = usual();
    (void)state;
    s.planned = 17;
    synthetic_make(&s);
    /* Only one level was reached: the plan still holds three. */
    json_t *plan = json_object_get(s.store.manifest, "plan");
    json_t *all = json_array();
    for (size_t i = 0; i < 3; i++) {
        json_array_append_new(all, json_integer(three[i]));
    }
    json_object_set_new(plan, "connections", all);
    struct verdicts v = judge(&s);
    assert_int_equal(v.ratios, 3 * 3 * ABOUT_COUNT);
    assert_true(v.rule.alpha == verdict_alpha(v.ratios));
    assert_true(v.rule.margin == VERDICT_MARGIN);
    /* 11 of 17 planned rounds are enough for a verdict, and are said to be 11 of 17. */
    const struct verdict_row *r = row(&v, ABOUT_CPU, "base", "lean", 10);
    assert_int_equal(r->gated.pairs.planned, 17);
    assert_int_equal(r->gated.needed, 9);
    assert_int_equal(r->gated.pairs.valid, 11);
    end(&s, &v);
}

static void a_baseline_narrows_the_pairs(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.baseline = "twin";
    s.margin = "5";
    synthetic_make(&s);
    struct verdicts v = judge(&s);
    assert_int_equal(v.pair_count, 2 * 2 * ABOUT_COUNT);
    assert_int_equal(v.ratios, 2 * 2 * ABOUT_COUNT);
    assert_true(v.baseline_planned);
    assert_true(v.rule.margin == 0.05);
    assert_int_equal(row(&v, ABOUT_CPU, "lean", "twin", 10)->gated.kind, VERDICT_LOWER);
    end(&s, &v);
}

/* Someone who picks the baseline after looking has looked at all pairs. */
static void a_late_baseline_leaves_the_level(void **state) {
    struct synthetic s = usual();
    const struct verdicts_options o = {.baseline = "lean", .margin = 0.5};
    (void)state;
    synthetic_make(&s);
    struct verdicts v = judge_with(&s, &o);
    assert_int_equal(v.pair_count, 2 * 2 * ABOUT_COUNT);
    assert_int_equal(v.ratios, 3 * 2 * ABOUT_COUNT);
    assert_false(v.baseline_planned);
    assert_true(v.rule.margin == 0.5 && v.planned_margin == VERDICT_MARGIN);
    assert_int_equal(row(&v, ABOUT_CPU, "base", "lean", 10)->gated.kind, VERDICT_EQUIVALENT);
    end(&s, &v);

    struct err e = {0};
    static const char *const wrong[] = {"null", "base-again", "nobody"};
    for (size_t i = 0; i < 3; i++) {
        const struct verdicts_options bad = {.baseline = wrong[i]};
        s = usual();
        synthetic_make(&s);
        assert_int_equal(cells_build(&s.cells, &s.store, &e), 0);
        assert_int_equal(verdicts_build(&v, &s.cells, &bad, &e), -1);
        assert_int_equal(e.class, ERR_USAGE);
        assert_non_null(strstr(e.text, "base, lean, twin"));
        synthetic_release(&s);
    }
}

static void flag(struct synthetic *s, const char *target, int round, int connections,
                 const char *flags) {
    struct trial_record *r = synthetic_at(s, target, round, connections);
    assert_non_null(r);
    snprintf(r->flags, sizeof r->flags, "%s", flags);
}

static void invalid_trials_are_gated_out_for_their_pairs(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    /* In six of eleven rounds something slowed "twin" by half, and was noticed. */
    for (int round = 0; round < 6; round++) {
        synthetic_at(&s, "twin", round, 10)->server.cpu_us_per_request *= 1.5;
        flag(&s, "twin", round, 10, "retransmits-warn foreign-cpu-invalid");
    }
    /* Warnings alone, and words that only look like it, leave a trial in. */
    flag(&s, "base", 8, 10, "steal-warn");
    flag(&s, "base", 9, 10, "invalidate x-invalidated");
    struct verdicts v = judge(&s);
    const struct verdict_row *r = row(&v, ABOUT_CPU, "base", "twin", 10);
    assert_int_equal(r->invalid_blocks, 6);
    assert_int_equal(r->gated.pairs.valid, 5);
    assert_int_equal(r->gated.kind, VERDICT_INSUFFICIENT);
    assert_int_equal(r->ungated.pairs.valid, 11);
    assert_true(r->ungated.kind != VERDICT_INSUFFICIENT);
    assert_true(r->differs);
    /* Nobody else's. */
    r = row(&v, ABOUT_CPU, "base", "lean", 10);
    assert_int_equal(r->gated.pairs.valid, 11);
    assert_false(r->differs);
    assert_int_equal(row(&v, ABOUT_CPU, "base", "twin", 100)->gated.pairs.valid, 11);
    /* Counted where they belong. */
    assert_int_equal(v.trials[2].invalid, 6);
    assert_int_equal(v.trials[2].counted, 22);
    assert_int_equal(v.trials[0].invalid, 0);
    assert_int_equal(v.blocks, 22);
    assert_int_equal(v.blocks_invalid, 6);
    end(&s, &v);
}

/* What was run again counts by its last attempt; ungated, by its first. */
static void repeated_blocks_count_once(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (int round = 0; round < 11; round++) {
        const double was = synthetic_at(&s, "lean", round, 10)->server.cpu_us_per_request;
        synthetic_at(&s, "lean", round, 10)->server.cpu_us_per_request = was * 8.0 / 7.2;
        flag(&s, "lean", round, 10, "steal-invalid");
        synthetic_repeat(&s, round, 10);
        synthetic_at(&s, "lean", round, 10)->server.cpu_us_per_request = was;
    }
    struct verdicts v = judge(&s);
    const struct verdict_row *r = row(&v, ABOUT_CPU, "base", "lean", 10);
    assert_int_equal(r->gated.kind, VERDICT_HIGHER);
    assert_int_equal(r->ungated.kind, VERDICT_EQUIVALENT);
    assert_true(r->differs);
    assert_int_equal(v.trials[1].counted, 22);
    assert_int_equal(v.trials[1].invalid, 0);
    assert_int_equal(v.trials[1].replaced, 11);
    assert_int_equal(v.trials[1].replaced_invalid, 11);
    assert_int_equal(v.trials[0].replaced, 11);
    assert_int_equal(v.trials[0].replaced_invalid, 0);
    assert_int_equal(s.cells.repeated, 11);
    assert_int_equal(v.blocks, 22);
    assert_int_equal(v.blocks_invalid, 0);
    end(&s, &v);
}

static void failed_and_missing_trials_have_no_figure(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (int round = 0; round < 3; round++) {
        struct trial_record *r = synthetic_at(&s, "lean", round, 10);
        r->status = TRIAL_FAILED;
        r->failure = FAIL_CRASHED;
    }
    synthetic_at(&s, "base", 5, 10)->server.cpu_us_per_request = NAN;
    struct verdicts v = judge(&s);
    const struct verdict_row *r = row(&v, ABOUT_CPU, "base", "lean", 10);
    assert_int_equal(r->gated.pairs.valid, 7);
    assert_int_equal(r->ungated.pairs.valid, 7);
    assert_int_equal(r->invalid_blocks, 0);
    assert_int_equal(row(&v, ABOUT_RATE, "base", "lean", 10)->gated.pairs.valid, 8);
    assert_int_equal(v.trials[1].failed, 3);
    end(&s, &v);
}

static void percentiles_need_their_samples(void **state) {
    struct synthetic s = usual();
    char text[VERDICT_TEXT_MAX];
    (void)state;
    synthetic_make(&s);
    /* Two rounds with too few beyond p99. */
    synthetic_at(&s, "lean", 0, 10)->raw.samples = 999;
    synthetic_at(&s, "base", 1, 10)->raw.samples = 900;
    /* At 100 connections, 11 rounds of 1,000 samples leave 110 beyond p99 where 1,000 are needed,
     * but enough beyond p50. */
    for (int round = 0; round < 11; round++) {
        synthetic_at(&s, "lean", round, 100)->raw.samples = 1000;
    }
    struct verdicts v = judge(&s);
    const struct verdict_row *r = row(&v, ABOUT_P99, "base", "lean", 10);
    assert_int_equal(r->few_blocks, 2);
    assert_int_equal(r->gated.pairs.valid, 9);
    assert_int_equal(r->gated.kind, VERDICT_HIGHER);
    assert_int_equal(row(&v, ABOUT_P50, "base", "lean", 10)->gated.pairs.valid, 11);
    r = row(&v, ABOUT_P99, "base", "lean", 100);
    assert_int_equal(r->gated.kind, VERDICT_INSUFFICIENT);
    verdict_row_text(r, true, text, sizeof text);
    assert_non_null(strstr(text, "fewer than 1000 samples"));
    assert_int_equal(row(&v, ABOUT_P50, "base", "lean", 100)->gated.pairs.valid, 11);
    assert_string_equal(row(&v, ABOUT_P99, "base", "twin", 100)->missing, "");
    end(&s, &v);
}

static void a_client_limited_side_bears_no_throughput_verdict(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[1].rate = 120000;
    synthetic_make(&s);
    struct verdicts v = judge(&s);
    const struct verdict_row *r = row(&v, ABOUT_RATE, "base", "lean", 10);
    assert_int_equal(r->gated.kind, VERDICT_CLIENT_LIMITED);
    assert_int_equal(r->ungated.kind, VERDICT_CLIENT_LIMITED);
    assert_false(r->differs);
    assert_int_equal(row(&v, ABOUT_CPU, "base", "lean", 10)->gated.kind, VERDICT_HIGHER);
    r = row(&v, ABOUT_P99, "base", "lean", 10);
    assert_int_equal(r->gated.kind, VERDICT_HIGHER);
    assert_true(r->gated.client_limited);
    assert_int_equal(row(&v, ABOUT_RATE, "base", "twin", 10)->gated.kind, VERDICT_EQUIVALENT);
    end(&s, &v);
}

/* Two reasons to say nothing: leaving blocks out changed no verdict. */
static void insufficient_and_limited_do_not_differ(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[1].rate = 120000;
    synthetic_make(&s);
    for (int round = 0; round < 6; round++) {
        flag(&s, "base", round, 10, "foreign-cpu-invalid");
    }
    struct verdicts v = judge(&s);
    const struct verdict_row *r = row(&v, ABOUT_RATE, "base", "lean", 10);
    assert_int_equal(r->gated.kind, VERDICT_INSUFFICIENT);
    assert_int_equal(r->ungated.kind, VERDICT_CLIENT_LIMITED);
    assert_false(r->differs);
    assert_true(row(&v, ABOUT_CPU, "base", "lean", 10)->differs);
    end(&s, &v);
}

static void one_round_is_insufficient(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.rounds = 1;
    s.target[1].rate = 120000;
    synthetic_make(&s);
    struct verdicts v = judge(&s);
    for (size_t i = 0; i < v.count; i++) {
        assert_int_equal(v.row[i].gated.kind, VERDICT_INSUFFICIENT);
        assert_int_equal(v.row[i].ungated.kind, VERDICT_INSUFFICIENT);
    }
    assert_int_equal(v.aa[ABOUT_CPU].gated.state, AA_INSUFFICIENT);
    end(&s, &v);
}

static void the_control_is_judged(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    struct verdicts v = judge(&s);
    assert_int_equal(v.aa[ABOUT_CPU].gated.state, AA_VALIDATED);
    assert_int_equal(v.aa[ABOUT_RATE].gated.state, AA_VALIDATED);
    assert_int_equal(v.aa[ABOUT_CPU].gated.judged, 2);
    assert_true(v.aa[ABOUT_CPU].gated.resolution > 0 && v.aa[ABOUT_CPU].gated.resolution < 0.05);
    assert_non_null(v.aa[ABOUT_CPU].worst);
    for (int i = 0; i < ABOUT_COUNT; i++) {
        assert_int_equal(v.aa[i].gated.judged, 2);
        assert_int_equal(v.aa[i].gated.alarms, 0);
    }
    assert_int_equal(v.control, 3);
    assert_true(v.has_null);
    end(&s, &v);

    s = usual();
    synthetic_make(&s);
    for (int round = 0; round < 11; round++) {
        synthetic_at(&s, "base-again", round, 100)->server.cpu_us_per_request *= 1.08;
    }
    v = judge(&s);
    assert_int_equal(v.aa[ABOUT_CPU].gated.state, AA_ALARM);
    assert_true(verdict_row_alarms(row(&v, ABOUT_CPU, "base-again", "base", 100)));
    assert_false(verdict_row_alarms(row(&v, ABOUT_CPU, "base-again", "base", 10)));
    assert_int_equal(v.aa[ABOUT_RATE].gated.state, AA_VALIDATED);
    end(&s, &v);
}

/* Where the generator is the limit the control's throughput proves nothing. */
static void the_control_leaves_limited_cells_out(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[0].rate = s.target[3].rate = 123000;
    synthetic_make(&s);
    struct verdicts v = judge(&s);
    assert_int_equal(v.aa[ABOUT_CPU].gated.judged, 2);
    assert_int_equal(v.aa[ABOUT_RATE].gated.judged, 0);
    assert_int_equal(v.aa[ABOUT_RATE].limited, 2);
    end(&s, &v);
}

static void a_run_may_lack_control_and_null_server(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[3] = (struct synthetic_target){0};
    synthetic_make(&s);
    struct verdicts v = judge(&s);
    assert_int_equal(v.control, SIZE_MAX);
    assert_false(v.has_null);
    assert_int_equal(v.aa[ABOUT_CPU].gated.state, AA_ABSENT);
    assert_int_equal(v.count, v.pair_count);
    assert_int_equal(row(&v, ABOUT_CPU, "base", "lean", 10)->gated.kind, VERDICT_HIGHER);
    end(&s, &v);

    /* A control whose target was never measured is none. */
    s = usual();
    s.target[3].base = "gone";
    synthetic_make(&s);
    v = judge(&s);
    assert_int_equal(v.count, v.pair_count);
    end(&s, &v);

    /* One target: nothing to compare. */
    s = usual();
    s.target[1] = (struct synthetic_target){0};
    synthetic_make(&s);
    v = judge(&s);
    assert_int_equal(v.count, 0);
    assert_int_equal(v.ratios, 0);
    end(&s, &v);
}

static void flags_are_words(void **state) {
    (void)state;
    assert_true(verdict_flags_invalid("steal-invalid"));
    assert_true(verdict_flags_invalid("a b-warn  steal-invalid c"));
    assert_false(verdict_flags_invalid(""));
    assert_false(verdict_flags_invalid("invalid"));
    assert_false(verdict_flags_invalid("x-invalidated y-invalid-not"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_differences_are_found),
        cmocka_unit_test(ratios_are_counted_from_the_plan),
        cmocka_unit_test(a_baseline_narrows_the_pairs),
        cmocka_unit_test(a_late_baseline_leaves_the_level),
        cmocka_unit_test(invalid_trials_are_gated_out_for_their_pairs),
        cmocka_unit_test(repeated_blocks_count_once),
        cmocka_unit_test(failed_and_missing_trials_have_no_figure),
        cmocka_unit_test(percentiles_need_their_samples),
        cmocka_unit_test(a_client_limited_side_bears_no_throughput_verdict),
        cmocka_unit_test(insufficient_and_limited_do_not_differ),
        cmocka_unit_test(one_round_is_insufficient),
        cmocka_unit_test(the_control_is_judged),
        cmocka_unit_test(the_control_leaves_limited_cells_out),
        cmocka_unit_test(a_run_may_lack_control_and_null_server),
        cmocka_unit_test(flags_are_words),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("verdicts", tests, NULL, NULL);
}
