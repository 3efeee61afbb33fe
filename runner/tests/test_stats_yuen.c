/* Yuen's trimmed mean and its interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/order.h"
#include "stats/yuen.h"
#include "tests/golden/golden.h"

static void estimates_match_scipy(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "yuen")) {
        double x[GOLDEN_MAX_N];
        const size_t n = golden_count(&g);
        const double alpha = golden_number(&g);
        double wanted[6]; /* mean se df lo hi p */
        for (size_t i = 0; i < 6; i++) {
            wanted[i] = golden_number(&g);
        }
        golden_numbers(&g, x, n);
        assert_int_equal(order_clean(x, n), n);
        const struct yuen y = yuen_estimate(x, n);
        const struct yuen_interval span = yuen_interval(&y, alpha);
        assert_true(y.ok);
        golden_same(y.mean, wanted[0], "mean");
        golden_same(y.se, wanted[1], "se");
        golden_same(y.df, wanted[2], "df");
        golden_same(span.lo, wanted[3], "lo");
        golden_same(span.hi, wanted[4], "hi");
        /* Above 30 degrees of freedom GSL takes a series for t, good to some 1e-8. */
        golden_near(yuen_p(&y), wanted[5], 1e-7, "p");
    }
    assert_true(g.cases > 60);
}

static void sizes_from_1_to_60_are_trimmed_as_stated(void **state) {
    (void)state;
    double x[60];
    for (size_t n = 0; n <= 60; n++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = (double)i;
        }
        const struct yuen y = yuen_estimate(x, n);
        const struct yuen_interval span = yuen_interval(&y, 0.05);
        assert_int_equal(y.g, (size_t)floor(0.2 * (double)n + 1e-9));
        assert_int_equal(y.h, n - 2 * y.g);
        assert_int_equal(y.ok, n >= 2);
        if (n == 0) {
            assert_true(isnan(y.mean));
            continue;
        }
        /* Symmetric values: the trimmed mean is their middle, the interval symmetric about it. */
        golden_same(y.mean, ((double)n - 1.0) / 2.0, "mean");
        if (n == 1) {
            assert_true(isnan(y.se) && isnan(span.lo) && isnan(span.hi) && isnan(yuen_p(&y)));
            continue;
        }
        golden_same(y.mean - span.lo, span.hi - y.mean, "half-width");
        assert_true(y.se > 0.0 && span.lo < y.mean);
    }
}

static void equal_values_give_a_point(void **state) {
    (void)state;
    double x[11];
    for (size_t i = 0; i < 11; i++) {
        x[i] = 0.1;
    }
    const struct yuen y = yuen_estimate(x, 11);
    const struct yuen_interval span = yuen_interval(&y, 0.001);
    assert_true(y.ok && y.se == 0.0 && y.mean == 0.1);
    assert_true(span.lo == 0.1 && span.hi == 0.1);
    assert_true(yuen_p(&y) == 0.0);
    const double zeros[6] = {0};
    const struct yuen none = yuen_estimate(zeros, 6);
    assert_true(none.mean == 0.0 && yuen_p(&none) == 1.0);
}

static void wild_values_up_to_a_fifth_do_not_move_it(void **state) {
    (void)state;
    double calm[11] = {-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5};
    double wild[11] = {-1e9, -1e8, -3, -2, -1, 0, 1, 2, 3, 1e12, 1e15};
    const struct yuen a = yuen_estimate(calm, 11);
    const struct yuen b = yuen_estimate(wild, 11);
    assert_true(a.mean == b.mean && a.se == b.se);
}

static void senseless_levels_give_no_interval(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6};
    const struct yuen y = yuen_estimate(x, 6);
    const double levels[] = {0.0, 1.0, -0.1, 2.0, NAN};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        assert_true(isnan(yuen_interval(&y, levels[i]).lo));
    }
}

static void smallest_shown_shrinks_with_rounds(void **state) {
    (void)state;
    const double x[] = {-0.03, -0.02, -0.015, -0.01, -0.005, 0.0, 0.005, 0.01, 0.015, 0.02, 0.03};
    const struct yuen y = yuen_estimate(x, 11);
    const double at11 = yuen_smallest_shown(&y, 11, 0.05, 0.95);
    /* t(0.975; 6) and t(0.95; 6) from tables. */
    golden_same(at11 / y.se, 2.4469118511449692 + 1.9431802805153022, "t sum");
    const double at17 = yuen_smallest_shown(&y, 17, 0.05, 0.95);
    const double at31 = yuen_smallest_shown(&y, 31, 0.05, 0.95);
    assert_true(at11 > at17 && at17 > at31 && at31 > 0.0);
    assert_true(isnan(yuen_smallest_shown(&y, 1, 0.05, 0.95)));
    assert_true(isnan(yuen_smallest_shown(&y, 11, 0.05, 1.0)));
    const struct yuen one = yuen_estimate(x, 1);
    assert_true(isnan(yuen_smallest_shown(&one, 11, 0.05, 0.95)));
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_match_scipy),
        cmocka_unit_test(sizes_from_1_to_60_are_trimmed_as_stated),
        cmocka_unit_test(equal_values_give_a_point),
        cmocka_unit_test(wild_values_up_to_a_fifth_do_not_move_it),
        cmocka_unit_test(senseless_levels_give_no_interval),
        cmocka_unit_test(smallest_shown_shrinks_with_rounds),
    };
    return cmocka_run_group_tests_name("stats yuen", tests, NULL, NULL);
}
