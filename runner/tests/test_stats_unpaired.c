/* stats/unpaired: two runs that share no blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "golden/golden.h"
#include "stats/unpaired.h"

static const struct verdict_rule rule = {.margin = 0.03, .alpha = 0.035 / 3};

static struct unpaired judge(const double x[], size_t n1, const double y[], size_t n2) {
    double a[64];
    double b[64];
    memcpy(a, x, n1 * sizeof *a);
    memcpy(b, y, n2 * sizeof *b);
    return unpaired_judge(a, n1, b, n2, &rule);
}

static void matches_scipy(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "unpaired")) {
        const size_t n1 = golden_count(&g);
        const size_t n2 = golden_count(&g);
        double f[7];
        double x[GOLDEN_MAX_N];
        double y[GOLDEN_MAX_N];
        golden_numbers(&g, f, 7);
        golden_numbers(&g, x, n1);
        golden_numbers(&g, y, n2);
        const struct verdict_rule at = {.margin = 0.03, .alpha = f[0]};
        const struct unpaired u = unpaired_judge(x, n1, y, n2, &at);
        golden_near(u.change.yuen.mean, f[1], 1e-8, "D");
        golden_same(u.change.yuen.se, f[2], "SE");
        golden_same(u.change.yuen.df, f[3], "df");
        golden_near(u.change.log_lo, f[4], 1e-7, "L");
        golden_near(u.change.log_hi, f[5], 1e-7, "U");
        golden_near(u.p, f[6], 1e-7, "p");
    }
}

/* n values around `centre`, spread evenly over +-spread. */
static void spread_out(double out[], size_t n, double centre, double spread) {
    for (size_t i = 0; i < n; i++) {
        out[i] = centre + spread * (2.0 * (double)i / (double)(n - 1) - 1.0);
    }
}

static void each_kind_has_its_case(void **state) {
    (void)state;
    double x[11];
    double y[11];
    char text[VERDICT_TEXT_MAX];
    spread_out(x, 11, 2.0, 0.01);
    spread_out(y, 11, 2.1, 0.01);
    struct unpaired u = judge(x, 11, y, 11);
    assert_int_equal(u.change.kind, VERDICT_HIGHER);
    assert_within(u.change.ratio, exp(0.1), 1e-9);
    (void)unpaired_text(&u, METRIC_CPU, text, sizeof text);
    assert_non_null(strstr(text, "heavier by 10.5% ["));
    /* Exchanging the runs exchanges the ends and the sign, exactly. */
    const struct unpaired back = judge(y, 11, x, 11);
    assert_int_equal(back.change.kind, VERDICT_LOWER);
    assert_true(back.change.log_lo == -u.change.log_hi && back.change.log_hi == -u.change.log_lo);
    spread_out(y, 11, 2.001, 0.01);
    assert_int_equal(judge(x, 11, y, 11).change.kind, VERDICT_EQUIVALENT);
    spread_out(y, 11, 2.01, 0.2);
    u = judge(x, 11, y, 11);
    assert_int_equal(u.change.kind, VERDICT_NO_DIFFERENCE);
    assert_true(u.change.could_hide > 0.03);
}

static void too_few_are_insufficient(void **state) {
    (void)state;
    double x[12];
    double y[12];
    char text[VERDICT_TEXT_MAX];
    spread_out(x, 12, 2.0, 0.01);
    spread_out(y, 12, 3.0, 0.01);
    for (size_t i = 0; i < 7; i++) {
        y[i] = NAN;
    }
    const struct unpaired u = judge(x, 12, y, 12);
    assert_int_equal(u.change.kind, VERDICT_INSUFFICIENT);
    assert_true(u.valid[0] == 12 && u.valid[1] == 5 && u.needed[1] == 6);
    (void)unpaired_text(&u, METRIC_CPU, text, sizeof text);
    assert_string_equal(text,
                        "insufficient (12 of 12 rounds valid against 5 of 12, 6 and 6 needed)");
    const struct unpaired none = judge(x, 0, y, 7);
    assert_int_equal(none.change.kind, VERDICT_INSUFFICIENT);
    assert_true(isnan(none.change.log_lo) && isnan(none.p));
    /* One valid side is not enough, whichever it is. */
    assert_int_equal(judge(y, 12, x, 12).change.kind, VERDICT_INSUFFICIENT);
}

static void values_without_spread_are_compared_exactly(void **state) {
    (void)state;
    const double same[] = {2, 2, 2, 2, 2, 2};
    const double more[] = {2.5, 2.5, 2.5, 2.5, 2.5, 2.5};
    const struct unpaired u = judge(same, 6, same, 6);
    assert_int_equal(u.change.kind, VERDICT_EQUIVALENT);
    assert_true(u.p == 1.0 && u.change.log_lo == 0.0 && u.change.log_hi == 0.0);
    assert_int_equal(judge(same, 6, more, 6).change.kind, VERDICT_HIGHER);
}

/* Two runs of equal servers: how often is a change found at 5% where there is none? */
static void false_alarms_are_as_rare_as_said(void **state) {
    (void)state;
    const struct verdict_rule at = {.margin = 0.001, .alpha = 0.05};
    uint64_t seed = 42;
    int found = 0;
    for (int run = 0; run < 4000; run++) {
        double v[2][11];
        for (size_t i = 0; i < 22; i++) {
            double sum = 0;
            for (int k = 0; k < 12; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                sum += (double)(seed >> 11) / 9007199254740992.0;
            }
            v[i / 11][i % 11] = 0.02 * (sum - 6);
        }
        const struct unpaired u = unpaired_judge(v[0], 11, v[1], 11, &at);
        found += u.change.kind == VERDICT_HIGHER || u.change.kind == VERDICT_LOWER;
    }
    assert_within(found / 4000.0, 0.05, 0.015);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_scipy),
        cmocka_unit_test(each_kind_has_its_case),
        cmocka_unit_test(too_few_are_insufficient),
        cmocka_unit_test(values_without_spread_are_compared_exactly),
        cmocka_unit_test(false_alarms_are_as_rare_as_said),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
