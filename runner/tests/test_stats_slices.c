/* The spread of slices, as that of a run's log ratios. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "stats/order.h"
#include "stats/slices.h"
#include "stats/verdict.h"

#define N 10

/* ln x of 0, 1, … 9 in a muddle: winsorised 2 2 2 3 4 5 6 7 7 7, squares 42.5, of ratios twice. */
static void put(double x[N], double factor) {
    static const double logs[N] = {7, 0, 3, 9, 1, 5, 8, 2, 6, 4};
    for (size_t i = 0; i < N; i++) {
        x[i] = factor * exp(logs[i]);
    }
}

static void the_spread_is_that_of_ratios(void **state) {
    (void)state;
    double x[N];
    double work[N];
    put(x, 1);
    const struct yuen y = slices_spread(x, N, work);
    assert_true(y.ok);
    assert_int_equal(y.n, N);
    assert_true(fabs(y.ssw - 85) < 1e-9);
    put(x, 1e-3); /* whatever the unit, and however fast the machine */
    assert_true(fabs(slices_spread(x, N, work).ssw - 85) < 1e-9);
    x[3] *= 1e6; /* a wild slice moves nothing */
    assert_true(fabs(slices_spread(x, N, work).ssw - 85) < 1e-9);
}

static void what_is_no_cost_is_left_out(void **state) {
    (void)state;
    double x[N];
    double work[N];
    put(x, 1);
    x[0] = NAN;
    x[1] = 0;
    x[2] = -1;
    x[3] = INFINITY;
    assert_int_equal(slices_spread(x, N, work).n, 6);
    assert_true(slices_spread(x, N, work).ok);
    x[4] = NAN;
    assert_false(slices_spread(x, N, work).ok);
    assert_true(isnan(yuen_smallest_shown(&(struct yuen){0}, 11, 0.05, 0.95)));
    assert_false(slices_spread(x, 0, work).ok);
}

/* Uniform numbers in [0, 1): the same in every run. */
static double draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / (double)(UINT64_C(1) << 53);
}

/* About normal, with a mean of 0 and an sd of 1. */
static double draw_normal(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += draw(state);
    }
    return sum;
}

/* Over many draws: what 16 slices say that 11 rounds show is what the rounds themselves say. */
static void slices_say_what_pairs_say(void **state) {
    (void)state;
    enum { DRAWS = 2000, SLICES = 16, ROUNDS = 11 };
    uint64_t seed = 7;
    double of_slices = 0;
    double of_pairs = 0;
    for (int draws = 0; draws < DRAWS; draws++) {
        double x[SLICES];
        double d[ROUNDS];
        double work[SLICES];
        for (size_t i = 0; i < SLICES; i++) {
            x[i] = 10 * exp(0.05 * draw_normal(&seed));
        }
        for (size_t i = 0; i < ROUNDS; i++) {
            d[i] = 0.05 * (draw_normal(&seed) - draw_normal(&seed));
        }
        const struct yuen slices = slices_spread(x, SLICES, work);
        const struct yuen pairs = yuen_estimate(d, order_clean(d, ROUNDS));
        of_slices += yuen_smallest_shown(&slices, ROUNDS, verdict_alpha(40), 0.95) / DRAWS;
        of_pairs += yuen_smallest_shown(&pairs, ROUNDS, verdict_alpha(40), 0.95) / DRAWS;
    }
    if (fabs(of_slices / of_pairs - 1) > 0.05) {
        fail_msg("slices %.4f, pairs %.4f", of_slices, of_pairs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spread_is_that_of_ratios),
        cmocka_unit_test(what_is_no_cost_is_left_out),
        cmocka_unit_test(slices_say_what_pairs_say),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("stats/slices", tests, NULL, NULL);
}
