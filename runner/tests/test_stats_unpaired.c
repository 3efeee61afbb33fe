/* stats/unpaired: two runs that share no blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

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

static void rounds_that_a_limit_needs(void **state) {
    (void)state;
    static double x[UNPAIRED_ROUNDS_MAX];
    static double y[UNPAIRED_ROUNDS_MAX];
    spread_out(x, 11, 2.0, 0.1);
    spread_out(y, 11, 2.0, 0.1);
    const struct unpaired u = judge(x, 11, y, 11);
    const size_t n = unpaired_rounds_needed(&u, log(1.05));
    assert_in_range(n, 20, 200);
    assert_true(u.change.log_hi > log(1.05));
    spread_out(x, n, 2.0, 0.1);
    spread_out(y, n, 2.0, 0.1);
    assert_true(unpaired_judge(x, n, y, n, &rule).change.log_hi < log(1.05));
    assert_true(unpaired_rounds_needed(&u, log(1.02)) > n);
    assert_true(unpaired_rounds_needed(&u, log(1.5)) < 11);
    assert_int_equal(unpaired_rounds_needed(&u, 1e-9), UNPAIRED_ROUNDS_MAX);
    const struct unpaired none = judge(x, 1, y, 1);
    assert_int_equal(unpaired_rounds_needed(&none, 1), 0);
}

/* Two runs of a noisy machine, as in test_stats_simulation.c: 15 cells, in each a target and the
 * anchor back to back in every round; a slow sine of 5%, 1.5% of noise, 3% of the trials 20% slow.
 * Between the runs the machine as a whole changes by a normal 5%. Simulated, seeded. By round, the
 * anchor was measured in the first third of the cells and stands in for the others. */
enum { CELLS = 15, ANCHORS = CELLS / 3, MAX_ROUNDS = 31, PAIRS_OF_RUNS = 1000 };
enum anchoring { NO_ANCHOR, BY_BLOCK, BY_ROUND };

struct seen {
    double alarm; /* share of comparisons of two runs with at least one change shown */
    double found; /* share of all cells that were shown higher */
};

static double trial(gsl_rng *rng, double machine) {
    const double slow = gsl_rng_uniform(rng) < 0.03 ? log(1.2) : 0.0;
    return machine + gsl_ran_gaussian(rng, 0.015) + slow;
}

static void measure(gsl_rng *rng, size_t rounds, double change, enum anchoring how,
                    double out[CELLS][MAX_ROUNDS]) {
    const double level = gsl_ran_gaussian(rng, 0.05);
    const double period = gsl_ran_flat(rng, 1.0, 3.0);
    const double phase = gsl_rng_uniform(rng);
    double anchor[CELLS] = {0};
    for (size_t i = 0; i < rounds * CELLS; i++) {
        const size_t cell = i % CELLS;
        const double at = (double)i / (double)(rounds * CELLS);
        const double machine = level + 0.05 * sin(2.0 * M_PI * (at / period + phase));
        const double target = trial(rng, machine) + change;
        anchor[cell] = trial(rng, machine);
        out[cell][i / CELLS] = target - (how == BY_BLOCK   ? anchor[cell]
                                         : how == BY_ROUND ? anchor[cell % ANCHORS]
                                                           : 0.0);
    }
}

static struct seen simulate(size_t rounds, double change, enum anchoring how) {
    static double runs[2][CELLS][MAX_ROUNDS];
    const struct verdict_rule at = {.margin = 1e-9, .alpha = verdict_alpha(CELLS)};
    struct seen seen = {0};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    gsl_rng_set(rng, 20260402);
    for (int n = 0; n < PAIRS_OF_RUNS; n++) {
        bool alarm = false;
        measure(rng, rounds, 0.0, how, runs[0]);
        measure(rng, rounds, change, how, runs[1]);
        for (size_t cell = 0; cell < CELLS; cell++) {
            const struct unpaired u =
                unpaired_judge(runs[0][cell], rounds, runs[1][cell], rounds, &at);
            alarm = alarm || u.change.kind == VERDICT_HIGHER || u.change.kind == VERDICT_LOWER;
            seen.found += u.change.kind == VERDICT_HIGHER;
        }
        seen.alarm += alarm;
    }
    gsl_rng_free(rng);
    seen.alarm /= PAIRS_OF_RUNS;
    seen.found /= (double)PAIRS_OF_RUNS * CELLS;
    return seen;
}

static void expect(const char *what, double got, double low, double high) {
    print_message("# %s: %.3f\n", what, got);
    if (!(got >= low && got <= high)) {
        fail_msg("%s: %.3f, wanted [%g, %g]", what, got, low, high);
    }
}

static void anchored_false_alarms_are_rare(void **state) {
    (void)state;
    expect("6 rounds", simulate(6, 0, BY_BLOCK).alarm, 0.0, 0.07);
    expect("11 rounds", simulate(11, 0, BY_BLOCK).alarm, 0.0, 0.07);
    expect("17 rounds", simulate(17, 0, BY_BLOCK).alarm, 0.0, 0.07);
    expect("31 rounds", simulate(31, 0, BY_BLOCK).alarm, 0.0, 0.07);
    expect("11 rounds, by round", simulate(11, 0, BY_ROUND).alarm, 0.0, 0.07);
    expect("31 rounds, by round", simulate(31, 0, BY_ROUND).alarm, 0.0, 0.07);
}

static void without_an_anchor_they_are_the_rule(void **state) {
    (void)state;
    expect("11 rounds, no anchor", simulate(11, 0, NO_ANCHOR).alarm, 0.5, 1.0);
    expect("31 rounds, no anchor", simulate(31, 0, NO_ANCHOR).alarm, 0.5, 1.0);
}

static void true_changes_are_found(void **state) {
    (void)state;
    expect("11 rounds, 10%", simulate(11, log(1.10), BY_BLOCK).found, 0.9, 1.0);
    expect("11 rounds, 5%", simulate(11, log(1.05), BY_BLOCK).found, 0.2, 1.0);
    expect("17 rounds, 5%", simulate(17, log(1.05), BY_BLOCK).found, 0.6, 1.0);
    expect("31 rounds, 3%", simulate(31, log(1.03), BY_BLOCK).found, 0.5, 1.0);
    expect("31 rounds, 5%", simulate(31, log(1.05), BY_BLOCK).found, 0.95, 1.0);
    expect("11 rounds, by round, 10%", simulate(11, log(1.10), BY_ROUND).found, 0.9, 1.0);
    expect("11 rounds, by round, 5%", simulate(11, log(1.05), BY_ROUND).found, 0.2, 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_scipy),
        cmocka_unit_test(each_kind_has_its_case),
        cmocka_unit_test(too_few_are_insufficient),
        cmocka_unit_test(values_without_spread_are_compared_exactly),
        cmocka_unit_test(rounds_that_a_limit_needs),
        cmocka_unit_test(anchored_false_alarms_are_rare),
        cmocka_unit_test(without_an_anchor_they_are_the_rule),
        cmocka_unit_test(true_changes_are_found),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
