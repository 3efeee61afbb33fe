/* Two runs compared, ratio by ratio. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/reproduce.h"
#include "tests/golden/golden.h"

static struct reproduce_side side(enum verdict_kind kind, double mean, double se, double df) {
    return (struct reproduce_side){.kind = kind,
                                   .mean = mean,
                                   .se = se,
                                   .df = df,
                                   .log_lo = mean - 3.0 * se,
                                   .log_hi = mean + 3.0 * se};
}

static struct reproduced judge_one(struct reproduce_side first, struct reproduce_side second) {
    struct reproduced out;
    double work[2];
    size_t order[1];
    reproduce_judge(&first, &second, 1, &out, work, order);
    return out;
}

static void differences_match_scipy(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "welch")) {
        double f[8];
        golden_numbers(&g, f, 8);
        const struct reproduced r = judge_one(side(VERDICT_NO_DIFFERENCE, f[0], f[1], f[2]),
                                              side(VERDICT_NO_DIFFERENCE, f[3], f[4], f[5]));
        golden_same(r.d, f[3] - f[0], "D");
        golden_same(r.df, f[6], "df");
        golden_near(r.p, f[7], 1e-7, "p");
        golden_same(r.p_holm, r.p, "p of a single ratio");
        assert_true(r.log_lo < r.d && r.d < r.log_hi);
    }
}

static void holm_matches_closed_testing(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "holm")) {
        double p[GOLDEN_MAX_N];
        double wanted[GOLDEN_MAX_N];
        double adjusted[GOLDEN_MAX_N];
        size_t order[GOLDEN_MAX_N];
        const size_t n = golden_count(&g);
        golden_numbers(&g, p, n);
        golden_numbers(&g, wanted, n);
        reproduce_holm(p, n, adjusted, order);
        for (size_t i = 0; i < n; i++) {
            golden_same(adjusted[i], wanted[i], "adjusted p");
        }
    }
}

static void holm_leaves_missing_tests_out(void **state) {
    (void)state;
    const double p[] = {NAN, 0.01, NAN, 0.03};
    double adjusted[4];
    size_t order[4];
    reproduce_holm(p, 4, adjusted, order);
    assert_true(isnan(adjusted[0]) && isnan(adjusted[2]));
    golden_same(adjusted[1], 0.02, "first");
    golden_same(adjusted[3], 0.03, "second");
    reproduce_holm(p, 0, adjusted, order);
    reproduce_holm(p, 1, adjusted, order);
    assert_true(isnan(adjusted[0]));
}

static void each_outcome_has_its_case(void **state) {
    (void)state;
    const enum verdict_kind h = VERDICT_HIGHER;
    const enum verdict_kind l = VERDICT_LOWER;
    /* 10% in both, known to 1%. */
    assert_int_equal(judge_one(side(h, 0.10, 0.010, 16), side(h, 0.11, 0.010, 16)).outcome,
                     REPRODUCE_SAME);
    /* The same difference, known to 5%. */
    assert_int_equal(judge_one(side(h, 0.20, 0.05, 16), side(h, 0.21, 0.05, 16)).outcome,
                     REPRODUCE_IMPRECISE);
    /* Both higher, but by 10% and by 30%. */
    assert_int_equal(judge_one(side(h, 0.10, 0.01, 16), side(h, 0.30, 0.01, 16)).outcome,
                     REPRODUCE_CHANGED);
    assert_int_equal(judge_one(side(h, 0.10, 0.01, 16), side(l, -0.10, 0.01, 16)).outcome,
                     REPRODUCE_REVERSED);
    /* Opposite signs, but the second is not shown to differ from 0. */
    assert_int_equal(
        judge_one(side(h, 0.10, 0.01, 16), side(VERDICT_NO_DIFFERENCE, -0.02, 0.01, 16)).outcome,
        REPRODUCE_CHANGED);
}

static struct reproduce_side equivalent(double mean, double se, double margin) {
    struct reproduce_side s = side(VERDICT_EQUIVALENT, mean, se, 8);
    s.margin = margin;
    return s;
}

/* Memory hardly varies: differences of 0.5% and 1.5% are told apart, and neither matters. */
static void equivalent_twice_is_reproduced(void **state) {
    (void)state;
    const struct reproduced r =
        judge_one(equivalent(0.005, 1e-5, 0.03), equivalent(0.015, 1e-5, 0.03));
    assert_int_equal(r.outcome, REPRODUCE_SAME);
    assert_true(r.p_holm < 0.05); /* the change is real, and is given */
    assert_int_equal(judge_one(equivalent(0.01, 1e-5, 0.03), equivalent(-0.01, 1e-5, 0.03)).outcome,
                     REPRODUCE_SAME);
    /* Not where the margins differ, nor where one run did not find it equivalent. */
    assert_int_equal(
        judge_one(equivalent(0.005, 1e-5, 0.03), equivalent(0.015, 1e-5, 0.05)).outcome,
        REPRODUCE_CHANGED);
    assert_int_equal(judge_one(equivalent(0.01, 1e-5, 0.03), equivalent(-0.01, 1e-5, 0.02)).outcome,
                     REPRODUCE_REVERSED);
    assert_int_equal(
        judge_one(equivalent(0.025, 1e-5, 0.03), side(VERDICT_HIGHER, 0.04, 1e-5, 8)).outcome,
        REPRODUCE_CHANGED);
}

static void values_without_spread_are_compared_exactly(void **state) {
    (void)state;
    const struct reproduce_side still = side(VERDICT_HIGHER, 0.25, 0.0, 6);
    const struct reproduced same = judge_one(still, still);
    assert_int_equal(same.outcome, REPRODUCE_SAME);
    assert_true(same.p == 1.0 && same.se == 0.0);
    const struct reproduced moved = judge_one(still, side(VERDICT_HIGHER, 0.26, 0.0, 6));
    assert_int_equal(moved.outcome, REPRODUCE_CHANGED);
    assert_true(moved.p == 0.0);
    /* One side without spread: the degrees of freedom are the other's. */
    golden_same(judge_one(still, side(VERDICT_HIGHER, 0.26, 0.01, 9)).df, 9.0, "df");
}

static void unusable_ratios_are_unknown(void **state) {
    (void)state;
    const struct reproduce_side good = side(VERDICT_HIGHER, 0.1, 0.01, 6);
    const struct reproduce_side bad[] = {
        side(VERDICT_INSUFFICIENT, 0.1, 0.01, 6), side(VERDICT_CLIENT_LIMITED, 0.1, 0.01, 6),
        side(VERDICT_HIGHER, NAN, 0.01, 6), side(VERDICT_HIGHER, 0.1, NAN, NAN)};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct reproduced r = judge_one(good, bad[i]);
        assert_int_equal(r.outcome, REPRODUCE_UNKNOWN);
        assert_true(isnan(r.d) && isnan(r.p) && isnan(r.p_holm));
        assert_int_equal(judge_one(bad[i], good).outcome, REPRODUCE_UNKNOWN);
        assert_int_equal(reproduce_direction(&good, &bad[i]), REPRODUCE_UNKNOWN);
    }
}

static void many_cells_are_judged_together(void **state) {
    (void)state;
    /* p is about 0.03 in each cell: alone a change, among ten none. */
    struct reproduce_side first[10];
    struct reproduce_side second[10];
    struct reproduced out[10];
    double work[20];
    size_t order[10];
    for (size_t i = 0; i < 10; i++) {
        first[i] = side(VERDICT_HIGHER, 0.10, 0.01, 16);
        second[i] = side(VERDICT_HIGHER, 0.132, 0.01, 16);
    }
    reproduce_judge(first, second, 10, out, work, order);
    for (size_t i = 0; i < 10; i++) {
        assert_true(out[i].p < 0.05 && out[i].p_holm > 0.05);
        assert_int_equal(out[i].outcome, REPRODUCE_IMPRECISE);
    }
    reproduce_judge(first, second, 1, out, work, order);
    assert_int_equal(out[0].outcome, REPRODUCE_CHANGED);
    /* A clear change is found among them. */
    second[3] = side(VERDICT_HIGHER, 0.30, 0.01, 16);
    reproduce_judge(first, second, 10, out, work, order);
    assert_int_equal(out[3].outcome, REPRODUCE_CHANGED);
    assert_int_equal(out[2].outcome, REPRODUCE_IMPRECISE);
}

static void other_machines_are_judged_by_direction(void **state) {
    (void)state;
    enum { H = VERDICT_HIGHER, L = VERDICT_LOWER, E = VERDICT_EQUIVALENT };
    static const struct {
        int first, second;
        enum reproduce_outcome outcome;
    } cases[] = {{H, H, REPRODUCE_CONFIRMED},
                 {L, L, REPRODUCE_CONFIRMED},
                 {E, E, REPRODUCE_CONFIRMED},
                 {H, L, REPRODUCE_CONTRADICTED},
                 {L, H, REPRODUCE_CONTRADICTED},
                 {H, E, REPRODUCE_INCONCLUSIVE},
                 {H, VERDICT_NO_DIFFERENCE, REPRODUCE_INCONCLUSIVE},
                 {VERDICT_NO_DIFFERENCE, VERDICT_NO_DIFFERENCE, REPRODUCE_INCONCLUSIVE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* Sizes do not matter. */
        const struct reproduce_side a = side((enum verdict_kind)cases[i].first, 0.05, 0.01, 6);
        const struct reproduce_side b = side((enum verdict_kind)cases[i].second, 0.90, 0.01, 6);
        assert_int_equal(reproduce_direction(&a, &b), cases[i].outcome);
    }
}

static void sides_come_from_verdicts(void **state) {
    (void)state;
    const double a[] = {1.1, 1.12, 1.09, 1.1, 1.13, 1.08};
    const double b[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    double work[6];
    const struct verdict_rule rule = {.margin = 0.03, .alpha = 0.035};
    const struct verdict v = verdict_judge(a, b, 6, &rule, work);
    const struct reproduce_side s = reproduce_side_of(&v);
    assert_int_equal(s.kind, VERDICT_HIGHER);
    assert_true(s.mean == v.yuen.mean && s.se == v.yuen.se && s.df == 3.0);
    assert_true(s.log_lo == v.log_lo && s.log_hi == v.log_hi && s.margin == 0.03);
    assert_int_equal(judge_one(s, s).outcome, REPRODUCE_SAME);
}

static void names_are_those_of_the_method(void **state) {
    (void)state;
    assert_string_equal(reproduce_name(REPRODUCE_SAME), "reproduced");
    assert_string_equal(reproduce_name(REPRODUCE_IMPRECISE), "consistent, imprecise");
    assert_string_equal(reproduce_name(REPRODUCE_CHANGED), "not reproduced");
    assert_string_equal(reproduce_name(REPRODUCE_REVERSED), "reversed");
    assert_string_equal(reproduce_name(REPRODUCE_CONFIRMED), "confirmed");
    assert_string_equal(reproduce_name(REPRODUCE_INCONCLUSIVE), "inconclusive");
    assert_string_equal(reproduce_name(REPRODUCE_CONTRADICTED), "contradicted");
    assert_string_equal(reproduce_name(REPRODUCE_UNKNOWN), "unknown");
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_match_scipy),
        cmocka_unit_test(holm_matches_closed_testing),
        cmocka_unit_test(holm_leaves_missing_tests_out),
        cmocka_unit_test(each_outcome_has_its_case),
        cmocka_unit_test(equivalent_twice_is_reproduced),
        cmocka_unit_test(values_without_spread_are_compared_exactly),
        cmocka_unit_test(unusable_ratios_are_unknown),
        cmocka_unit_test(many_cells_are_judged_together),
        cmocka_unit_test(other_machines_are_judged_by_direction),
        cmocka_unit_test(sides_come_from_verdicts),
        cmocka_unit_test(names_are_those_of_the_method),
    };
    return cmocka_run_group_tests_name("stats reproduce", tests, NULL, NULL);
}
