/* The raw histogram out of the corrected one, against wrk's correction written out literally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/recover.h"
#include "load/summary.h"

#define LIMIT 60000 /* values in the random histograms stay below this */

/* A small generator of our own: the same histograms everywhere. */
static uint64_t state = 42;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int64_t random_below(int64_t n) {
    return (int64_t)(next_random() % (uint64_t)n);
}

/* The forward model: a dense array, the walk as in wrk's stats_correct(). */
static void forward_correct(int64_t *counts, int64_t max, int64_t interval) {
    for (int64_t n = 2 * interval; n <= max; n++) {
        int64_t count = counts[n];
        for (int64_t m = n - interval; count > 0 && m > interval; m -= interval) {
            counts[m] += count;
        }
    }
}

/* The inverse exactly as method.md words it: downward from the maximum. */
static void backward_recover(int64_t *counts, int64_t max, int64_t interval) {
    for (int64_t n = max; n >= 2 * interval; n--) {
        int64_t count = counts[n];
        for (int64_t m = n - interval; count > 0 && m > interval; m -= interval) {
            counts[m] -= count;
        }
    }
}

static void hist_from_dense(struct hist *h, const int64_t *counts, int64_t from, int64_t max) {
    for (int64_t v = from; v <= max; v++) {
        if (counts[v] > 0) {
            assert_int_equal(hist_add(h, v, counts[v]), 0);
        }
    }
}

static void assert_same_hist(const struct hist *a, const struct hist *b) {
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->value[i], b->value[i]);
        assert_int_equal(a->count[i], b->count[i]);
    }
}

struct scenario {
    int64_t counts[LIMIT + 1];
    int64_t min, max, requests, duration_us;
    int connections;
};

/* Latencies with a bulk and some stalls, as closed loops give them; sometimes very odd ones. */
static void scenario_draw(struct scenario *s) {
    memset(s, 0, sizeof *s);
    s->connections = (int)(1 + random_below(200));
    s->requests = s->connections + random_below(4000);
    int64_t bulk = 1 + random_below(2000);
    int shape = (int)random_below(4);
    s->min = LIMIT;
    for (int64_t i = 0; i < s->requests; i++) {
        int64_t v = 1 + random_below(bulk);
        if (shape == 1 && random_below(50) == 0) {
            v += random_below(LIMIT - bulk - 1);
        } else if (shape == 2) {
            v = 1 + random_below(LIMIT - 1);
        } else if (shape == 3) {
            v = bulk;
        }
        s->counts[v]++;
        s->min = v < s->min ? v : s->min;
        s->max = v > s->max ? v : s->max;
    }
    /* A window in which these could have happened, or a much shorter one: many corrections. */
    int64_t interval = 1 + random_below(shape == 2 ? 5000 : 2 * bulk);
    s->duration_us =
        interval * (s->requests / s->connections) + random_below(s->requests / s->connections);
}

static void recovers_random_histograms(void **unused) {
    (void)unused;
    static struct scenario s;
    static int64_t corrected[LIMIT + 1];
    int changed = 0;
    for (int round = 0; round < 1000; round++) {
        struct hist raw = {0};
        struct hist got = {0};
        struct hist given = {0};
        struct err e = {0};
        scenario_draw(&s);
        int64_t interval = s.duration_us / (s.requests / s.connections);
        memcpy(corrected, s.counts, sizeof corrected);
        forward_correct(corrected, s.max, interval);
        changed += memcmp(corrected, s.counts, sizeof corrected) != 0;
        hist_from_dense(&raw, s.counts, 0, s.max);
        hist_from_dense(&given, corrected, s.min, s.max); /* wrk shows nothing below its minimum */
        int rc = load_recover_raw(&given, s.duration_us, s.requests, 0, s.connections, &got, &e);
        if (rc != 0) {
            fail_msg("round %d: %s", round, e.text);
        }
        assert_same_hist(&raw, &got);
        backward_recover(corrected, s.max, interval);
        assert_memory_equal(corrected, s.counts, sizeof corrected);
        hist_release(&raw);
        hist_release(&got);
        hist_release(&given);
    }
    assert_true(changed > 300); /* the test must test something */
}

static void counts_timeouts(void **unused) {
    (void)unused;
    struct hist given = {0};
    struct hist raw = {0};
    struct err e = {0};
    hist_add(&given, 100, 7);
    assert_int_equal(load_recover_raw(&given, 1000000, 10, 3, 2, &raw, &e), 0);
    assert_int_equal(hist_total(&raw), 7);
    hist_release(&raw);
    assert_int_equal(load_recover_raw(&given, 1000000, 10, 2, 2, &raw, &e), -1);
    assert_int_equal(e.class, ERR_FAILED);
    assert_non_null(strstr(e.text, "contradict"));
    hist_release(&raw);
    hist_release(&given);
}

static void uncorrected_below_one_reply_each(void **unused) {
    (void)unused;
    struct hist given = {0};
    struct hist raw = {0};
    struct err e = {0};
    hist_add(&given, 10, 1);
    hist_add(&given, 900000, 2);
    assert_int_equal(load_recover_raw(&given, 1000000, 3, 0, 10, &raw, &e), 0);
    assert_same_hist(&given, &raw);
    hist_release(&raw);
    hist_release(&given);
}

static void refuses_lies(void **unused) {
    (void)unused;
    struct hist raw = {0};
    struct err e = {0};
    /* 10 replies on one connection in 1000 µs: I = 100. 350 must have left its trace at 250, 150.
     */
    struct hist missing = {0};
    hist_add(&missing, 50, 9);
    hist_add(&missing, 350, 1);
    assert_int_equal(load_recover_raw(&missing, 1000, 10, 0, 1, &raw, &e), -1);
    assert_non_null(strstr(e.text, "missing"));
    hist_release(&raw);
    hist_release(&missing);

    struct hist negative = {0};
    hist_add(&negative, 50, 9);
    hist_add(&negative, 150, 2);
    hist_add(&negative, 250, 2);
    hist_add(&negative, 350, 3);
    assert_int_equal(load_recover_raw(&negative, 1000, 10, 0, 1, &raw, &e), -1);
    assert_non_null(strstr(e.text, "below zero"));
    hist_release(&raw);
    hist_release(&negative);

    struct hist empty = {0};
    assert_int_equal(load_recover_raw(&empty, 1, 10, 10, 1, &raw, &e), -1); /* I = 0 */
    assert_int_equal(load_recover_raw(&empty, 1000, 0, 0, 1, &raw, &e), 0);
    hist_release(&raw);
}

static void summarises(void **unused) {
    (void)unused;
    struct hist h = {0};
    struct latency_summary s;
    load_summarise(&h, &s);
    assert_int_equal(s.samples, 0);
    assert_true(isnan(s.mean_us));
    assert_int_equal(s.p50_us, -1);
    assert_int_equal(s.max_us, -1);
    for (int64_t v = 1; v <= 1000; v++) {
        hist_add(&h, v, 1);
    }
    load_summarise(&h, &s);
    assert_int_equal(s.samples, 1000);
    assert_true(fabs(s.mean_us - 500.5) < 1e-9);
    assert_int_equal(s.min_us, 1);
    assert_int_equal(s.p50_us, 500);
    assert_int_equal(s.p75_us, 750);
    assert_int_equal(s.p90_us, 900);
    assert_int_equal(s.p99_us, 990);
    assert_int_equal(s.p999_us, 999); /* not 1000: 0.999 × 1000 is 999 */
    assert_int_equal(s.max_us, 1000);
    assert_int_equal(load_percentile(&h, 0.9991), 1000);
    assert_int_equal(load_percentile(&h, 1.1), -1);
    assert_int_equal(load_percentile(&h, (double)NAN), -1);
    hist_release(&h);
    hist_add(&h, 7, 1);
    assert_int_equal(load_percentile(&h, 0), 7);
    assert_int_equal(load_percentile(&h, 0.5), 7);
    hist_add(&h, 9, INT64_C(1000000));
    assert_int_equal(load_percentile(&h, 0.000001), 9); /* rank 2 of 1,000,001 */
    hist_release(&h);
}

static void tells_activity(void **unused) {
    (void)unused;
    struct hist h = {0};
    hist_add(&h, 1000, 900);
    assert_true(fabs(load_active_ratio(&h, 1, 1000000) - 0.9) < 1e-12);
    assert_true(fabs(load_active_ratio(&h, 2, 1000000) - 0.45) < 1e-12);
    assert_true(isnan(load_active_ratio(&h, 0, 1000000)));
    assert_true(isnan(load_active_ratio(&h, 1, 0)));
    hist_release(&h);
}

/* A wait that all connections share is the c-th longest latency; one slow reply is not. */
static void finds_stalls(void **unused) {
    (void)unused;
    struct hist h = {0};
    assert_int_equal(load_stall_us(&h, 1), -1);
    hist_add(&h, 400, 10000);
    hist_add(&h, 900000, 1);
    assert_int_equal(load_stall_us(&h, 8), 400);
    assert_int_equal(load_stall_us(&h, 1), 900000);
    hist_add(&h, 300100, 3);
    hist_add(&h, 300200, 4);
    assert_int_equal(load_stall_us(&h, 8), 300100);
    assert_int_equal(load_stall_us(&h, 9), 400);
    assert_int_equal(load_stall_us(&h, 20000), -1);
    assert_int_equal(load_stall_us(&h, 0), -1);
    hist_release(&h);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_random_histograms),
        cmocka_unit_test(counts_timeouts),
        cmocka_unit_test(uncorrected_below_one_reply_each),
        cmocka_unit_test(refuses_lies),
        cmocka_unit_test(summarises),
        cmocka_unit_test(tells_activity),
        cmocka_unit_test(finds_stalls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
