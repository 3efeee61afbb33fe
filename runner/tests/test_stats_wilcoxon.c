/* The exact signed-rank test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/order.h"
#include "stats/wilcoxon.h"
#include "tests/golden/golden.h"

static void p_values_match(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "wilcoxon")) {
        double x[GOLDEN_MAX_N];
        const size_t n = golden_count(&g);
        const double w = golden_number(&g);
        const double p = golden_number(&g);
        golden_numbers(&g, x, n);
        (void)order_clean(x, n);
        const struct wilcoxon t = wilcoxon_test(x, n);
        golden_same(t.w_plus, w, "W+");
        golden_same(t.p, p, "p");
        assert_true(t.exact);
        assert_int_equal(t.n + t.zeros, n);
    }
    assert_true(g.cases > 80);
}

static void large_samples_match_the_corrected_normal(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "normal")) {
        double x[GOLDEN_MAX_N];
        const size_t n = golden_count(&g);
        const double p = golden_number(&g);
        golden_numbers(&g, x, n);
        (void)order_clean(x, n);
        const struct wilcoxon t = wilcoxon_test(x, n);
        if (!t.exact) { /* zeros may bring it below the limit */
            golden_same(t.p, p, "p");
        } else {
            golden_within(t.p, p, 0.01, "p");
        }
    }
}

static void unanimous_signs_reach_the_smallest_p(void **state) {
    (void)state;
    double x[WILCOXON_EXACT_MAX];
    for (size_t n = 1; n <= WILCOXON_EXACT_MAX; n++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = 1.0 + (double)(i >> 1); /* ties among them */
        }
        const struct wilcoxon up = wilcoxon_test(x, n);
        golden_same(up.p, wilcoxon_smallest_p(n), "smallest p");
        assert_int_equal(up.sign, 1);
        for (size_t i = 0; i < n; i++) {
            x[i] -= 1000.0;
        }
        const struct wilcoxon down = wilcoxon_test(x, n);
        golden_same(down.p, wilcoxon_smallest_p(n), "smallest p, below");
        assert_int_equal(down.sign, -1);
        assert_true(down.w_plus == 0.0);
    }
}

static void zeros_are_dropped(void **state) {
    (void)state;
    const double x[] = {-0.5, 0.0, 0.0, 0.25, 0.75, 1.0};
    const struct wilcoxon t = wilcoxon_test(x, 6);
    assert_int_equal(t.zeros, 2);
    assert_int_equal(t.n, 4);
    assert_true(t.w_plus == 8.0);
    /* Sums of {1,2,3,4} at or above 8: {4,3,1} {4,3,2,...}: 8, 9, 10 -> 3 of 16. */
    golden_same(t.p, 6.0 / 16.0, "p");
}

static void nothing_to_rank_is_no_evidence(void **state) {
    (void)state;
    const double zeros[3] = {0};
    const struct wilcoxon t = wilcoxon_test(zeros, 3);
    assert_true(t.p == 1.0 && t.n == 0 && t.zeros == 3 && t.sign == 0);
    assert_true(wilcoxon_test(zeros, 0).p == 1.0);
    assert_true(wilcoxon_smallest_p(0) == 1.0 && wilcoxon_smallest_p(1) == 1.0);
    assert_true(wilcoxon_smallest_p(11) == 1.0 / 1024.0);
}

static void mirrored_values_have_the_same_p(void **state) {
    (void)state;
    const double x[] = {-0.04, -0.01, 0.01, 0.02, 0.05, 0.05, 0.07};
    const double y[] = {-0.07, -0.05, -0.05, -0.02, -0.01, 0.01, 0.04};
    const struct wilcoxon a = wilcoxon_test(x, 7);
    const struct wilcoxon b = wilcoxon_test(y, 7);
    assert_true(a.p == b.p && a.sign == -b.sign && a.w_plus + b.w_plus == 28.0);
}

static void large_samples_go_over_smoothly(void **state) {
    (void)state;
    /* The same pattern on both sides of the limit: p must not jump. */
    enum { LARGE = WILCOXON_EXACT_MAX + 1 };
    double x[LARGE];
    for (size_t i = 0; i < LARGE; i++) {
        x[i] = ((double)i - 52.0) / 50.0 + 0.001 * (double)(i % 7);
    }
    const struct wilcoxon exact = wilcoxon_test(x, LARGE - 1);
    const struct wilcoxon approximate = wilcoxon_test(x, LARGE);
    assert_true(exact.exact && !approximate.exact);
    assert_true(exact.p > 1e-5 && exact.p < 0.05);
    assert_true(approximate.p < exact.p && approximate.p > exact.p / 3.0);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_values_match),
        cmocka_unit_test(large_samples_match_the_corrected_normal),
        cmocka_unit_test(unanimous_signs_reach_the_smallest_p),
        cmocka_unit_test(zeros_are_dropped),
        cmocka_unit_test(nothing_to_rank_is_no_evidence),
        cmocka_unit_test(mirrored_values_have_the_same_p),
        cmocka_unit_test(large_samples_go_over_smoothly),
    };
    return cmocka_run_group_tests_name("stats wilcoxon", tests, NULL, NULL);
}
