/* Medians, their intervals and the pairing of blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/order.h"
#include "stats/pairs.h"
#include "tests/golden/golden.h"

static void ranks_match_the_exact_binomial(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "order")) {
        const size_t n = golden_count(&g);
        const size_t k = golden_count(&g);
        const double wanted = golden_number(&g);
        double coverage = 0.0;
        assert_int_equal(order_interval_rank(n, 0.95, &coverage), k);
        golden_same(coverage, wanted, "coverage");
    }
    assert_int_equal(g.cases, 61);
}

static void ranks_are_those_of_the_method(void **state) {
    (void)state;
    static const size_t table[][2] = {{5, 0},  {6, 1},  {9, 2},  {11, 2},
                                      {15, 4}, {17, 5}, {21, 6}, {31, 10}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(order_interval_rank(table[i][0], 0.95, NULL), table[i][1]);
    }
    assert_int_equal(ORDER_MIN_N, 6);
}

static void summaries_match(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "median")) {
        double x[GOLDEN_MAX_N];
        const size_t n = golden_count(&g);
        const double lo = golden_number(&g);
        const double hi = golden_number(&g);
        const double level = golden_number(&g);
        const double median = golden_number(&g);
        golden_numbers(&g, x, n);
        const struct order_summary s = order_summarise(x, n, level);
        golden_same(s.median, median, "median");
        golden_same(s.lo, lo, "lo");
        golden_same(s.hi, hi, "hi");
        assert_int_equal(s.n, n);
        assert_int_equal(s.missing, 0);
        assert_true(s.k == 0 ? isnan(s.coverage) : s.coverage >= level);
    }
}

static void missing_rounds_are_counted_not_used(void **state) {
    (void)state;
    double x[] = {NAN, 5.0, 1.0, INFINITY, 3.0, 2.0, -INFINITY, 6.0, 4.0, NAN};
    const struct order_summary s = order_summarise(x, 10, 0.95);
    assert_int_equal(s.n, 6);
    assert_int_equal(s.missing, 4);
    assert_true(s.median == 3.5);
    assert_int_equal(s.k, 1);
    assert_true(s.lo == 1.0 && s.hi == 6.0 && s.min == 1.0 && s.max == 6.0);
}

static void nothing_gives_nothing(void **state) {
    (void)state;
    double none[] = {NAN, NAN};
    const struct order_summary s = order_summarise(none, 2, 0.95);
    assert_int_equal(s.n, 0);
    assert_int_equal(s.k, 0);
    assert_true(isnan(s.median) && isnan(s.lo) && isnan(s.hi) && isnan(s.min) && isnan(s.max));
    assert_int_equal(order_summarise(none, 0, 0.95).missing, 0);
}

static void few_rounds_have_a_median_but_no_interval(void **state) {
    (void)state;
    for (size_t n = 1; n < ORDER_MIN_N; n++) {
        double x[] = {4.0, 1.0, 3.0, 2.0, 5.0};
        const struct order_summary s = order_summarise(x, n, 0.95);
        assert_int_equal(s.n, n);
        assert_false(isnan(s.median));
        assert_int_equal(s.k, 0);
        assert_true(isnan(s.lo) && isnan(s.hi) && isnan(s.coverage));
    }
}

static void tied_values_are_fine(void **state) {
    (void)state;
    double x[] = {7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0};
    const struct order_summary s = order_summarise(x, 7, 0.95);
    assert_true(s.median == 7.0 && s.lo == 7.0 && s.hi == 7.0);
}

static void pairs_drop_whole_blocks_and_say_why(void **state) {
    (void)state;
    const double a[] = {2.0, NAN, 3.0, 0.0, 5.0, -1.0, INFINITY, 8.0};
    const double b[] = {1.0, 1.0, NAN, 2.0, 5.0, 2.0, 2.0, 0.0};
    double d[8];
    const struct pairs p = pairs_log_ratios(a, b, 8, d);
    assert_int_equal(p.planned, 8);
    assert_int_equal(p.valid, 2);
    assert_int_equal(p.missing, 3);
    assert_int_equal(p.nonpositive, 3);
    golden_same(d[0], 0.69314718055994530942, "ln 2");
    assert_true(d[1] == 0.0);
}

static void exchanging_the_sides_changes_exactly_the_sign(void **state) {
    (void)state;
    const double a[] = {4096.0, 4100.0, 1e-9, 123456.789};
    const double b[] = {4100.0, 4096.0, 3e8, 98765.4321};
    double ab[4];
    double ba[4];
    (void)pairs_log_ratios(a, b, 4, ab);
    (void)pairs_log_ratios(b, a, 4, ba);
    for (size_t i = 0; i < 4; i++) {
        assert_true(ab[i] == -ba[i]);
    }
    assert_true(ab[0] == -ab[1]);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_match_the_exact_binomial),
        cmocka_unit_test(ranks_are_those_of_the_method),
        cmocka_unit_test(summaries_match),
        cmocka_unit_test(missing_rounds_are_counted_not_used),
        cmocka_unit_test(nothing_gives_nothing),
        cmocka_unit_test(few_rounds_have_a_median_but_no_interval),
        cmocka_unit_test(tied_values_are_fine),
        cmocka_unit_test(pairs_drop_whole_blocks_and_say_why),
        cmocka_unit_test(exchanging_the_sides_changes_exactly_the_sign),
    };
    return cmocka_run_group_tests_name("stats order", tests, NULL, NULL);
}
