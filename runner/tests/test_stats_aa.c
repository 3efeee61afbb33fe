/* The A/A control. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "stats/aa.h"
#include "stats/order.h"
#include "tests/golden/golden.h"

enum { CELLS = 3, N = 11 };

static const double noise[CELLS][N] = {
    {0.004, -0.011, 0.002, 0.009, -0.003, 0.0, -0.006, 0.012, -0.001, 0.005, -0.008},
    {-0.02, 0.015, 0.003, -0.009, 0.012, -0.004, 0.007, -0.013, 0.001, 0.018, -0.006},
    {0.001, -0.002, 0.003, -0.001, 0.002, -0.003, 0.0, 0.001, -0.001, 0.002, -0.002},
};

static const struct verdict_rule rule = {.margin = 0.03, .alpha = 0.035 / 10.0};

static double a[CELLS][N];
static double b[CELLS][N];
static struct aa_cell cells[CELLS];
static double work[CELLS + CELLS * N];

/* Three cells whose names differ by nothing but noise, and by bias[cell] where asked. */
static void measure(const double bias[CELLS]) {
    for (size_t c = 0; c < CELLS; c++) {
        for (size_t i = 0; i < N; i++) {
            b[c][i] = 7.0 + 0.1 * (double)i;
            a[c][i] = b[c][i] * exp(noise[c][i] + (bias == NULL ? 0.0 : bias[c]));
        }
        cells[c] = (struct aa_cell){.a = a[c], .b = b[c], .n = N};
    }
    assert_int_equal(aa_work_size(cells, CELLS), sizeof work / sizeof work[0]);
}

static void noise_alone_is_validated(void **state) {
    (void)state;
    measure(NULL);
    const struct aa aa = aa_judge(cells, CELLS, &rule, true, work);
    assert_int_equal(aa.state, AA_VALIDATED);
    assert_int_equal(aa.judged, CELLS);
    assert_int_equal(aa.alarms, 0);
    assert_int_equal(aa.first_alarm, CELLS);
    assert_int_equal(aa.pairs, CELLS * N);
    assert_true(aa.log_lo < 0.0 && aa.log_hi > 0.0);
}

static void resolution_is_a_cells_half_width(void **state) {
    (void)state;
    measure(NULL);
    double half[CELLS];
    for (size_t c = 0; c < CELLS; c++) {
        double room[N];
        const struct verdict v = verdict_judge(a[c], b[c], N, &rule, room);
        half[c] = expm1((v.log_hi - v.log_lo) / 2.0);
    }
    const struct aa aa = aa_judge(cells, CELLS, &rule, true, work);
    assert_true(half[2] < half[0] && half[0] < half[1]);
    assert_within(aa.resolution, half[0], 1e-12);
    assert_within(aa.resolution_worst, half[1], 1e-12);
    assert_int_equal(aa.worst, 1);
}

static void the_pool_is_all_log_ratios_together(void **state) {
    (void)state;
    double d[CELLS * N];
    measure(NULL);
    for (size_t c = 0; c < CELLS; c++) {
        (void)pairs_log_ratios(a[c], b[c], N, d + c * N);
    }
    const struct yuen y = yuen_estimate(d, order_clean(d, CELLS * N));
    const struct yuen_interval span = yuen_interval(&y, 0.05);
    const struct aa aa = aa_judge(cells, CELLS, &rule, true, work);
    golden_same(aa.pooled.mean, y.mean, "pooled mean");
    golden_same(aa.log_lo, span.lo, "lo");
    golden_same(aa.log_hi, span.hi, "hi");
}

static void a_difference_in_one_cell_is_an_alarm(void **state) {
    (void)state;
    const double bias[CELLS] = {0.0, -0.08, 0.0};
    measure(bias);
    const struct aa aa = aa_judge(cells, CELLS, &rule, true, work);
    assert_int_equal(aa.state, AA_ALARM);
    assert_int_equal(aa.alarms, 1);
    assert_int_equal(aa.first_alarm, 1);
}

static void a_small_bias_everywhere_is_found_by_pooling(void **state) {
    (void)state;
    const double bias[CELLS] = {0.006, 0.006, 0.006};
    measure(bias);
    const struct aa aa = aa_judge(cells, CELLS, &rule, true, work);
    assert_int_equal(aa.alarms, 0);
    assert_int_equal(aa.state, AA_BIASED);
    assert_true(aa.log_lo > 0.0);
    /* Where it is not asked for, it is told all the same. */
    const struct aa told = aa_judge(cells, CELLS, &rule, false, work);
    assert_int_equal(told.state, AA_VALIDATED);
    golden_same(told.log_lo, aa.log_lo, "lo");
}

static void missing_blocks_leave_cells_out(void **state) {
    (void)state;
    measure(NULL);
    for (size_t i = 0; i < 6; i++) {
        a[0][i] = NAN; /* 5 valid: too few */
    }
    b[1][3] = NAN;
    const struct aa aa = aa_judge(cells, CELLS, &rule, true, work);
    assert_int_equal(aa.state, AA_VALIDATED);
    assert_int_equal(aa.judged, 2);
    assert_int_equal(aa.pairs, 10 + 11);
}

static void without_a_control_nothing_is_validated(void **state) {
    (void)state;
    const struct aa absent = aa_judge(cells, 0, &rule, true, work);
    assert_int_equal(absent.state, AA_ABSENT);
    assert_true(isnan(absent.resolution) && isnan(absent.resolution_worst));
    measure(NULL);
    for (size_t c = 0; c < CELLS; c++) {
        cells[c].n = 1; /* a smoke run */
    }
    const struct aa few = aa_judge(cells, CELLS, &rule, true, work);
    assert_int_equal(few.state, AA_INSUFFICIENT);
    assert_true(isnan(few.resolution) && isnan(few.log_lo));
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_alone_is_validated),
        cmocka_unit_test(resolution_is_a_cells_half_width),
        cmocka_unit_test(the_pool_is_all_log_ratios_together),
        cmocka_unit_test(a_difference_in_one_cell_is_an_alarm),
        cmocka_unit_test(a_small_bias_everywhere_is_found_by_pooling),
        cmocka_unit_test(missing_blocks_leave_cells_out),
        cmocka_unit_test(without_a_control_nothing_is_validated),
    };
    return cmocka_run_group_tests_name("stats aa", tests, NULL, NULL);
}
