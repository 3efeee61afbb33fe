/* Percentiles of histograms, and when they are withheld. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gsl/gsl_sort.h>

#include "stats/percentile.h"
#include "tests/golden/golden.h"

/* Histogram of n samples, which are reordered. */
static struct percentile_hist hist_of(double x[], size_t n, uint64_t value[], uint64_t count[]) {
    size_t distinct = 0;
    gsl_sort(x, 1, n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t v = (uint64_t)x[i];
        if (distinct == 0 || value[distinct - 1] != v) {
            value[distinct] = v;
            count[distinct++] = 0;
        }
        count[distinct - 1]++;
    }
    return (struct percentile_hist){.value = value, .count = count, .n = distinct};
}

static void values_match_numpy(void **state) {
    (void)state;
    struct golden g = golden_open();
    while (golden_next(&g, "percentile")) {
        double x[GOLDEN_MAX_N];
        uint64_t value[GOLDEN_MAX_N];
        uint64_t count[GOLDEN_MAX_N];
        const size_t ppm = golden_count(&g);
        const size_t wanted = golden_count(&g);
        const size_t n = golden_count(&g);
        golden_numbers(&g, x, n);
        const struct percentile_hist h = hist_of(x, n, value, count);
        assert_int_equal(percentile_total(&h), n);
        uint64_t got = 0;
        assert_true(percentile_value(&h, (uint32_t)ppm, &got));
        assert_int_equal(got, wanted);
    }
}

static void ranks_are_exact_where_binary_fractions_are_not(void **state) {
    (void)state;
    uint64_t value[1000];
    uint64_t count[1000];
    for (size_t i = 0; i < 1000; i++) {
        value[i] = i + 1;
        count[i] = 1;
    }
    const struct percentile_hist h = {.value = value, .count = count, .n = 1000};
    for (uint32_t permille = 1; permille <= 1000; permille++) {
        uint64_t got = 0;
        assert_true(percentile_value(&h, permille * 1000, &got));
        assert_int_equal(got, permille);
    }
}

static void the_maximum_is_a_percentile_too(void **state) {
    (void)state;
    const uint64_t value[] = {5, 9, 70, 80};
    const uint64_t count[] = {1000000, 0, 1, 0};
    const struct percentile_hist h = {.value = value, .count = count, .n = 4};
    uint64_t got = 0;
    assert_true(percentile_value(&h, PERCENTILE_PPM, &got));
    assert_int_equal(got, 70);
    assert_true(percentile_value(&h, 999999, &got));
    assert_int_equal(got, 5);
    assert_true(percentile_value(&h, 0, &got));
    assert_int_equal(got, 5);
}

static void nothing_has_no_percentile(void **state) {
    (void)state;
    const uint64_t value[] = {1};
    const uint64_t count[] = {0};
    const uint64_t some[] = {3};
    uint64_t got = 42;
    assert_false(percentile_value(&(struct percentile_hist){value, count, 1}, 500000, &got));
    assert_false(percentile_value(&(struct percentile_hist){NULL, NULL, 0}, 500000, &got));
    assert_false(percentile_value(&(struct percentile_hist){value, some, 1}, 1000001, &got));
    assert_int_equal(got, 42);
}

static void merging_adds_counts(void **state) {
    (void)state;
    const uint64_t va[] = {1, 3, 5, 9};
    const uint64_t ca[] = {1, 2, 0, 4};
    const uint64_t vb[] = {2, 3, 7};
    const uint64_t cb[] = {10, 20, 30};
    const struct percentile_hist a = {va, ca, 4};
    const struct percentile_hist b = {vb, cb, 3};
    const struct percentile_hist none = {NULL, NULL, 0};
    uint64_t v[7];
    uint64_t c[7];
    static const uint64_t wanted_v[] = {1, 2, 3, 7, 9};
    static const uint64_t wanted_c[] = {1, 10, 22, 30, 4};
    for (int swap = 0; swap < 2; swap++) {
        const size_t n = swap ? percentile_merge(&b, &a, v, c) : percentile_merge(&a, &b, v, c);
        assert_int_equal(n, 5);
        assert_memory_equal(v, wanted_v, sizeof wanted_v);
        assert_memory_equal(c, wanted_c, sizeof wanted_c);
    }
    assert_int_equal(percentile_merge(&none, &b, v, c), 3);
    assert_memory_equal(v, vb, sizeof vb);
    assert_int_equal(percentile_merge(&b, &none, v, c), 3);
    assert_int_equal(percentile_merge(&none, &none, v, c), 0);
}

static void support_begins_at_its_thresholds(void **state) {
    (void)state;
    /* p99 with one connection: 1,000 samples a round put 10 beyond it. */
    uint64_t totals[] = {1000, 1000, 1000};
    assert_int_equal(percentile_support(totals, 3, 990000, 1), PERCENTILE_SUPPORTED);
    totals[1] = 999;
    assert_int_equal(percentile_support(totals, 3, 990000, 1), PERCENTILE_FEW_IN_ROUND);
    /* 100 connections: 10 x 100 beyond it over all rounds, that is 100,000 samples. */
    uint64_t many[] = {50000, 50000};
    assert_int_equal(percentile_support(many, 2, 990000, 100), PERCENTILE_SUPPORTED);
    assert_int_equal(percentile_support(many, 2, 990000, 101), PERCENTILE_FEW_IN_ALL);
    assert_int_equal(percentile_support(many, 1, 990000, 100), PERCENTILE_FEW_IN_ALL);
    /* p99.9 of the same: ten times as many. */
    assert_int_equal(percentile_support(many, 2, 999000, 10), PERCENTILE_SUPPORTED);
    assert_int_equal(percentile_support(many, 2, 999000, 11), PERCENTILE_FEW_IN_ALL);
    assert_int_equal(percentile_support(many, 2, 999900, 1), PERCENTILE_FEW_IN_ROUND);
    const uint64_t zeros[] = {0, 0};
    assert_int_equal(percentile_support(zeros, 2, 500000, 1), PERCENTILE_NO_SAMPLES);
    assert_int_equal(percentile_support(zeros, 0, 500000, 1), PERCENTILE_NO_SAMPLES);
    assert_int_equal(percentile_support(many, 2, PERCENTILE_PPM, 1), PERCENTILE_FEW_IN_ROUND);
}

static void reasons_are_given(void **state) {
    (void)state;
    char text[PERCENTILE_TEXT_MAX];
    (void)percentile_support_text(PERCENTILE_FEW_IN_ROUND, 999000, 100, text, sizeof text);
    assert_string_equal(text, "n/a: fewer than 10 samples beyond p99.9 in a round");
    (void)percentile_support_text(PERCENTILE_FEW_IN_ALL, 990000, 500, text, sizeof text);
    assert_string_equal(
        text, "n/a: fewer than 5000 samples (10 per connection) beyond p99 in all rounds");
    (void)percentile_support_text(PERCENTILE_NO_SAMPLES, 990000, 500, text, sizeof text);
    assert_string_equal(text, "n/a: no latency samples");
    assert_int_equal(percentile_support_text(PERCENTILE_SUPPORTED, 990000, 500, text, sizeof text),
                     0);
    assert_string_equal(text, "");
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_match_numpy),
        cmocka_unit_test(ranks_are_exact_where_binary_fractions_are_not),
        cmocka_unit_test(the_maximum_is_a_percentile_too),
        cmocka_unit_test(nothing_has_no_percentile),
        cmocka_unit_test(merging_adds_counts),
        cmocka_unit_test(support_begins_at_its_thresholds),
        cmocka_unit_test(reasons_are_given),
    };
    return cmocka_run_group_tests_name("stats percentile", tests, NULL, NULL);
}
