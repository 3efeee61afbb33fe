/* Verdicts: rules, words and sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "stats/verdict.h"
#include "tests/golden/golden.h"

enum { N = 11 };

static const double noise[N] = {0.004,  -0.011, 0.002,  0.009, -0.003, 0.0,
                                -0.006, 0.012,  -0.001, 0.005, -0.008};

/* A/B = ratio times that noise, in n <= N blocks at different speeds of the machine. */
static struct verdict judge(double ratio, size_t n, const struct verdict_rule *rule) {
    double a[N];
    double b[N];
    double work[N];
    for (size_t i = 0; i < n; i++) {
        b[i] = 100.0 * (1.0 + 0.1 * (double)i);
        a[i] = b[i] * ratio * exp(noise[i]);
    }
    return verdict_judge(a, b, n, rule, work);
}

static const struct verdict_rule one = {.margin = 0.03, .alpha = 0.035};

static void says(const struct verdict *v, enum metric metric, const char *wanted) {
    char text[VERDICT_TEXT_MAX];
    const int length = verdict_text(v, metric, text, sizeof text);
    assert_string_equal(text, wanted);
    assert_int_equal(length, strlen(wanted));
}

static void levels_are_shared_among_ratios(void **state) {
    (void)state;
    assert_within(verdict_alpha(1), 0.035, 1e-15);
    assert_within(verdict_alpha(40), 0.000875, 1e-15);
    assert_within(verdict_alpha(0), 0.035, 1e-15);
}

static void each_rule_gives_its_verdict(void **state) {
    (void)state;
    const struct verdict higher = judge(1.061, N, &one);
    assert_int_equal(higher.kind, VERDICT_HIGHER);
    assert_false(higher.fragile);
    assert_true(higher.lo > 1.0 && higher.lo < higher.ratio && higher.ratio < higher.hi);
    assert_within(higher.ratio, 1.061, 0.005);
    assert_int_equal(judge(0.93, N, &one).kind, VERDICT_LOWER);
    assert_int_equal(judge(1.0, N, &one).kind, VERDICT_EQUIVALENT);
    /* Within the margin, though the interval excludes 0: equivalent goes first. */
    const struct verdict little = judge(1.012, N, &one);
    assert_true(little.log_lo > 0.0);
    assert_int_equal(little.kind, VERDICT_EQUIVALENT);
    /* The same values against a margin that the interval does not fit. */
    const struct verdict_rule strict = {.margin = 0.005, .alpha = 0.035};
    assert_int_equal(judge(1.0, N, &strict).kind, VERDICT_NO_DIFFERENCE);
    assert_int_equal(judge(1.012, N, &strict).kind, VERDICT_HIGHER);
}

static void exchanging_the_targets_mirrors_the_verdict(void **state) {
    (void)state;
    const double a[] = {5.0, 6.1, 7.3, 5.5, 6.6, 5.9, 6.2, 5.8};
    const double b[] = {4.5, 5.7, 6.1, 5.1, 5.9, 5.2, 5.9, 5.0};
    double work[8];
    const struct verdict ab = verdict_judge(a, b, 8, &one, work);
    const struct verdict ba = verdict_judge(b, a, 8, &one, work);
    assert_int_equal(ab.kind, VERDICT_HIGHER);
    assert_int_equal(ba.kind, VERDICT_LOWER);
    assert_within(ab.log_lo, -ba.log_hi, 1e-12);
    assert_within(ab.signed_rank_p, ba.signed_rank_p, 0.0);
    assert_int_equal(ab.fragile, ba.fragile);
}

static void drift_that_a_block_shares_cancels(void **state) {
    (void)state;
    double a[N];
    double b[N];
    double work[N];
    for (size_t i = 0; i < N; i++) {
        b[i] = 50.0 * exp(0.5 * sin((double)i)); /* up and down by half */
        a[i] = 1.05 * b[i];
    }
    const struct verdict v = verdict_judge(a, b, N, &one, work);
    assert_int_equal(v.kind, VERDICT_HIGHER);
    assert_within(v.ratio, 1.05, 1e-9);
    assert_within(v.hi - v.lo, 0.0, 1e-9);
}

static void too_few_blocks_are_insufficient(void **state) {
    (void)state;
    for (size_t n = 0; n <= N; n++) {
        const struct verdict v = judge(1.5, n, &one);
        assert_int_equal(v.needed, 6);
        assert_int_equal(v.kind, n < 6 ? VERDICT_INSUFFICIENT : VERDICT_HIGHER);
        assert_int_equal(v.pairs.valid, n);
        assert_false(v.fragile);
    }
    const struct verdict none = judge(1.5, 0, &one);
    assert_true(isnan(none.ratio) && isnan(none.lo) && isnan(none.could_hide));
    assert_true(isnan(none.signed_rank_p));
    says(&none, METRIC_CPU, "insufficient (0 of 0 blocks valid, 6 needed)");
}

static void half_of_the_planned_blocks_must_be_valid(void **state) {
    (void)state;
    assert_int_equal(verdict_needed(0), 6);
    assert_int_equal(verdict_needed(12), 6);
    assert_int_equal(verdict_needed(13), 7);
    assert_int_equal(verdict_needed(31), 16);
    double a[31];
    double b[31];
    double work[31];
    for (size_t i = 0; i < 31; i++) {
        b[i] = 1.0;
        a[i] = i < 15 ? 2.0 + 0.01 * (double)i : NAN;
    }
    const struct verdict few = verdict_judge(a, b, 31, &one, work);
    assert_int_equal(few.kind, VERDICT_INSUFFICIENT);
    says(&few, METRIC_MEMORY, "insufficient (15 of 31 blocks valid, 16 needed)");
    a[20] = 2.0;
    assert_int_equal(verdict_judge(a, b, 31, &one, work).kind, VERDICT_HIGHER);
    /* Zeros and negatives have no logarithm: dropped like missing ones, but counted apart. */
    a[20] = 0.0;
    a[21] = -1.0;
    const struct verdict dropped = verdict_judge(a, b, 31, &one, work);
    assert_int_equal(dropped.kind, VERDICT_INSUFFICIENT);
    assert_int_equal(dropped.pairs.nonpositive, 2);
    assert_int_equal(dropped.pairs.missing, 14);
}

static void equal_values_are_judged_without_spread(void **state) {
    (void)state;
    double a[N];
    double b[N];
    double work[N];
    for (size_t i = 0; i < N; i++) {
        a[i] = b[i] = 4096.0;
    }
    const struct verdict same = verdict_judge(a, b, N, &one, work);
    assert_int_equal(same.kind, VERDICT_EQUIVALENT);
    assert_true(same.ratio == 1.0 && same.lo == 1.0 && same.hi == 1.0 && same.could_hide == 0.0);
    assert_true(same.signed_rank_p == 1.0);
    assert_false(same.fragile);
    for (size_t i = 0; i < N; i++) {
        a[i] = 8192.0;
    }
    const struct verdict twice = verdict_judge(a, b, N, &one, work);
    assert_false(twice.fragile);
    says(&twice, METRIC_MEMORY, "heavier by 100.0% [100.0, 100.0]");
}

static void work_holds_the_ordered_log_ratios(void **state) {
    (void)state;
    const double a[] = {2.0, NAN, 1.0, 4.0};
    const double b[] = {1.0, 1.0, 2.0, 1.0};
    double work[4];
    const struct verdict v = verdict_judge(a, b, 4, &one, work);
    assert_int_equal(v.pairs.valid, 3);
    assert_true(work[0] == -log(2.0) && work[1] == log(2.0) && work[2] == log(4.0));
}

static void disagreeing_ranks_make_it_fragile(void **state) {
    (void)state;
    /* The middle agrees closely, so the interval excludes 0; the trimmed ends are large and
     * negative, which ranks do not overlook. */
    static const double d[N] = {-0.5, -0.4, 0.1, 0.101, 0.102, 0.1, 0.103, 0.101, 0.102, 0.1, 0.1};
    double a[N];
    double b[N];
    double work[N];
    for (size_t i = 0; i < N; i++) {
        b[i] = 1.0;
        a[i] = exp(d[i]);
    }
    const struct verdict v = verdict_judge(a, b, N, &one, work);
    assert_int_equal(v.kind, VERDICT_HIGHER);
    assert_true(v.signed_rank_p > 0.035);
    assert_true(v.fragile);
    char text[VERDICT_TEXT_MAX];
    (void)verdict_text(&v, METRIC_CPU, text, sizeof text);
    assert_non_null(strstr(text, "fragile (signed-rank p = "));
    /* All on one side, but so spread that the interval holds 0. */
    for (size_t i = 0; i < N; i++) {
        a[i] = exp(0.0005 * pow(3.0, (double)i));
    }
    const struct verdict spread = verdict_judge(a, b, N, &one, work);
    assert_true(spread.log_lo < 0.0 && spread.log_hi > 0.0);
    assert_int_equal(spread.kind, VERDICT_NO_DIFFERENCE);
    assert_true(spread.fragile);
}

static void words_follow_the_metric(void **state) {
    (void)state;
    assert_string_equal(verdict_word(VERDICT_HIGHER, METRIC_CPU), "heavier");
    assert_string_equal(verdict_word(VERDICT_LOWER, METRIC_CPU), "leaner");
    assert_string_equal(verdict_word(VERDICT_HIGHER, METRIC_MEMORY), "heavier");
    assert_string_equal(verdict_word(VERDICT_LOWER, METRIC_MEMORY), "leaner");
    assert_string_equal(verdict_word(VERDICT_HIGHER, METRIC_THROUGHPUT), "faster");
    assert_string_equal(verdict_word(VERDICT_LOWER, METRIC_THROUGHPUT), "slower");
    assert_string_equal(verdict_word(VERDICT_HIGHER, METRIC_LATENCY), "slower");
    assert_string_equal(verdict_word(VERDICT_LOWER, METRIC_LATENCY), "faster");
    assert_null(verdict_word(VERDICT_EQUIVALENT, METRIC_CPU));
    assert_null(verdict_word(VERDICT_INSUFFICIENT, METRIC_LATENCY));
    assert_string_equal(verdict_name(VERDICT_NO_DIFFERENCE), "no difference");
    assert_string_equal(verdict_name(VERDICT_CLIENT_LIMITED), "client-limited");
}

static void sentences_are_those_of_the_method(void **state) {
    (void)state;
    struct verdict v = {.kind = VERDICT_HIGHER,
                        .margin = 0.03,
                        .yuen = {.mean = log(1.061)},
                        .log_lo = log(1.048),
                        .log_hi = log(1.074),
                        .could_hide = 0.0423};
    says(&v, METRIC_CPU, "heavier by 6.1% [4.8, 7.4]");
    says(&v, METRIC_THROUGHPUT, "faster by 6.1% [4.8, 7.4]");
    says(&v, METRIC_LATENCY, "slower by 6.1% [4.8, 7.4]");
    v.kind = VERDICT_EQUIVALENT;
    says(&v, METRIC_CPU, "equivalent within 3%");
    v.margin = 0.025;
    says(&v, METRIC_CPU, "equivalent within 2.5%");
    v.kind = VERDICT_NO_DIFFERENCE;
    says(&v, METRIC_CPU, "no difference shown (could hide up to 4.2%)");
    /* Of B's value, the nearer end first. */
    v = (struct verdict){.kind = VERDICT_LOWER,
                         .yuen = {.mean = log(0.94)},
                         .log_lo = log(0.90),
                         .log_hi = log(0.975)};
    says(&v, METRIC_MEMORY, "leaner by 6.0% [2.5, 10.0]");
}

static void could_hide_is_the_far_end_either_way(void **state) {
    (void)state;
    const struct verdict_rule strict = {.margin = 0.001, .alpha = 0.0001};
    const struct verdict up = judge(1.004, N, &strict);
    const struct verdict down = judge(1.0 / 1.004, N, &strict);
    assert_int_equal(up.kind, VERDICT_NO_DIFFERENCE);
    assert_within(up.could_hide, up.hi - 1.0, 1e-12);
    assert_within(down.could_hide, 1.0 / down.lo - 1.0, 1e-12);
}

static void client_limits_withdraw_throughput_only(void **state) {
    (void)state;
    struct verdict v = judge(1.2, N, &one);
    verdict_limit_client(&v, METRIC_CPU);
    verdict_limit_client(&v, METRIC_MEMORY);
    assert_false(v.client_limited);
    assert_int_equal(v.kind, VERDICT_HIGHER);
    struct verdict latency = v;
    verdict_limit_client(&latency, METRIC_LATENCY);
    assert_int_equal(latency.kind, VERDICT_HIGHER);
    char text[VERDICT_TEXT_MAX];
    (void)verdict_text(&latency, METRIC_LATENCY, text, sizeof text);
    assert_non_null(strstr(text, "slower by 2"));
    assert_non_null(strstr(text, "], client-limited"));
    verdict_limit_client(&v, METRIC_THROUGHPUT);
    says(&v, METRIC_THROUGHPUT, "no verdict: client-limited");
    assert_false(isnan(v.ratio));
}

static void texts_fit_their_room(void **state) {
    (void)state;
    struct verdict v = {.kind = VERDICT_HIGHER,
                        .fragile = true,
                        .client_limited = true,
                        .yuen = {.mean = 30.0},
                        .log_lo = 29.0,
                        .log_hi = 31.0,
                        .signed_rank_p = 0.012345};
    char text[VERDICT_TEXT_MAX];
    assert_in_range(verdict_text(&v, METRIC_LATENCY, text, sizeof text), 1, sizeof text - 1);
    v = (struct verdict){.kind = VERDICT_INSUFFICIENT,
                         .pairs = {.valid = SIZE_MAX, .planned = SIZE_MAX},
                         .needed = SIZE_MAX};
    assert_in_range(verdict_text(&v, METRIC_LATENCY, text, sizeof text), 1, sizeof text - 1);
    char small[8];
    assert_true(verdict_text(&v, METRIC_CPU, small, sizeof small) > 8);
    assert_string_equal(small, "insuffi");
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_shared_among_ratios),
        cmocka_unit_test(each_rule_gives_its_verdict),
        cmocka_unit_test(exchanging_the_targets_mirrors_the_verdict),
        cmocka_unit_test(drift_that_a_block_shares_cancels),
        cmocka_unit_test(too_few_blocks_are_insufficient),
        cmocka_unit_test(half_of_the_planned_blocks_must_be_valid),
        cmocka_unit_test(equal_values_are_judged_without_spread),
        cmocka_unit_test(work_holds_the_ordered_log_ratios),
        cmocka_unit_test(disagreeing_ranks_make_it_fragile),
        cmocka_unit_test(words_follow_the_metric),
        cmocka_unit_test(sentences_are_those_of_the_method),
        cmocka_unit_test(could_hide_is_the_far_end_either_way),
        cmocka_unit_test(client_limits_withdraw_throughput_only),
        cmocka_unit_test(texts_fit_their_room),
    };
    return cmocka_run_group_tests_name("stats verdict", tests, NULL, NULL);
}
