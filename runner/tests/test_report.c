/* Cells from records, figures and texts for people, axes: what reports are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/axis.h"
#include "report/cells.h"
#include "report/replay_metrics.h"
#include "report/summary.h"
#include "report/text.h"

/* A run in memory, record by record. */
struct made {
    struct store store;
    struct trial_record records[256];
};

static void made_init(struct made *m, const char *manifest) {
    memset(m, 0, sizeof *m);
    snprintf(m->store.dir, sizeof m->store.dir, "a-run");
    m->store.records = m->records;
    m->store.manifest = json_loads(manifest, 0, NULL);
    assert_non_null(m->store.manifest);
}

static struct trial_record *made_add(struct made *m, const char *target, enum target_role role,
                                     int round, int attempt, int connections, double rate) {
    struct trial_record *r = &m->records[m->store.count];
    record_init(r);
    r->seq = (int64_t)m->store.count++;
    r->attempt = attempt;
    r->round = round;
    snprintf(r->target, sizeof r->target, "%s", target);
    snprintf(r->base, sizeof r->base, "%s", target);
    snprintf(r->workload, sizeof r->workload, "hello");
    r->role = role;
    r->connections = connections;
    r->rate = rate;
    r->load.requests = (int64_t)rate;
    r->server.cpu_us_per_request = 7;
    r->raw = (struct latency_summary){.samples = 100000,
                                      .mean_us = 80,
                                      .min_us = 20,
                                      .p50_us = 80,
                                      .p75_us = 90,
                                      .p90_us = 100,
                                      .p99_us = 200,
                                      .p999_us = 400,
                                      .max_us = 900};
    r->corrected = r->raw;
    return r;
}

static void test_cells(void **state) {
    (void)state;
    static struct made m;
    struct cells c;
    struct err e = {0};
    made_init(&m,
              "{\"plan\":{\"rounds\":7},\"targets\":[{\"name\":\"zeta\"},{\"name\":\"alpha\"}]}");
    for (int round = 0; round < 6; round++) {
        made_add(&m, "null", ROLE_NULL, round, 0, 10, 125000);
        made_add(&m, "alpha", ROLE_TARGET, round, 0, 10, 50000 + 100 * round);
        made_add(&m, "zeta", ROLE_TARGET, round, 0, 10, 120000);
    }
    struct trial_record *bad = made_add(&m, "zeta", ROLE_TARGET, 0, 0, 100, 1);
    bad->status = TRIAL_FAILED;
    bad->failure = FAIL_CRASHED;
    assert_int_equal(cells_build(&c, &m.store, &e), 0);
    assert_int_equal(c.target_count, 3);
    /* In the manifest's order, the ceiling last. */
    assert_string_equal(c.targets[0].name, "zeta");
    assert_string_equal(c.targets[1].name, "alpha");
    assert_string_equal(c.targets[2].name, "null");
    assert_int_equal(c.level_count, 2);
    assert_int_equal(c.rounds, 7);
    assert_int_equal(c.count, 4);
    const struct cell *alpha = cells_find(&c, 1, "hello", 10);
    assert_non_null(alpha);
    assert_int_equal(alpha->measured, 6);
    assert_int_equal(alpha->planned, 7);
    assert_true(fabs(alpha->figure[FIG_RATE].s.median - 50250) < 1e-9);
    assert_true(fabs(alpha->figure[FIG_RATE].s.lo - 50000) < 1e-9);
    assert_true(fabs(alpha->figure[FIG_RATE].s.hi - 50500) < 1e-9);
    assert_int_equal(alpha->client, CLIENT_FREE);
    assert_true(isnan(cell_value(alpha, 6, FIG_RATE)));
    assert_string_equal(alpha->figure[FIG_RSS_PEAK].missing, "not recorded");
    assert_true(isnan(alpha->figure[FIG_RSS_PEAK].s.median));
    assert_int_equal(alpha->errors, UNKNOWN_INT);
    assert_int_equal(cells_find(&c, 0, "hello", 10)->client, CLIENT_LIMITED);
    const struct cell *failed = cells_find(&c, 0, "hello", 100);
    assert_int_equal(failed->failed, 1);
    assert_string_equal(failed->figure[FIG_CPU].missing, "every trial failed: crashed 1");
    assert_null(cells_find(&c, 1, "hello", 100));
    cells_release(&c);
    json_decref(m.store.manifest);
}

/* Of a block that was run again the last attempt that all took part in counts. */
static void test_repeated_blocks(void **state) {
    (void)state;
    static struct made m;
    struct cells c;
    struct err e = {0};
    made_init(&m, "{}");
    made_add(&m, "a", ROLE_TARGET, 0, 0, 10, 100);
    made_add(&m, "b", ROLE_TARGET, 0, 0, 10, 200);
    made_add(&m, "a", ROLE_TARGET, 0, 1, 10, 110);
    made_add(&m, "b", ROLE_TARGET, 0, 1, 10, 210);
    made_add(&m, "a", ROLE_TARGET, 0, 2, 10, 120); /* cut off before b's turn */
    assert_int_equal(cells_build(&c, &m.store, &e), 0);
    assert_true(cell_value(cells_find(&c, 0, "hello", 10), 0, FIG_RATE) == 110);
    assert_true(cell_value(cells_find(&c, 1, "hello", 10), 0, FIG_RATE) == 210);
    assert_int_equal(c.repeated, 1);
    cells_release(&c);
    json_decref(m.store.manifest);
}

static void test_percentiles_need_samples(void **state) {
    (void)state;
    static struct made m;
    struct cells c;
    struct err e = {0};
    made_init(&m, "{}");
    for (int round = 0; round < 6; round++) {
        made_add(&m, "a", ROLE_TARGET, round, 0, 10, 100)->raw.samples = 9999;
        made_add(&m, "a", ROLE_TARGET, round, 0, 1000, 100)->raw.samples = 100000;
    }
    assert_int_equal(cells_build(&c, &m.store, &e), 0);
    const struct cell *few = cells_find(&c, 0, "hello", 10);
    assert_true(isfinite(few->figure[FIG_P99].s.median));
    assert_true(isnan(few->figure[FIG_P999].s.median));
    assert_non_null(strstr(few->figure[FIG_P999].missing, "in a round"));
    assert_non_null(strstr(few->figure[FIG_CORRECTED_P999].missing, "in a round"));
    /* The greatest value is only described, so it needs no such support. */
    assert_true(isfinite(few->figure[FIG_MAX].s.median));
    const struct cell *many = cells_find(&c, 0, "hello", 1000);
    assert_true(isnan(many->figure[FIG_P99].s.median));
    assert_non_null(strstr(many->figure[FIG_P99].missing, "in all rounds"));
    assert_true(isfinite(many->figure[FIG_P90].s.median));
    cells_release(&c);
    json_decref(m.store.manifest);
}

static void test_flags(void **state) {
    (void)state;
    static struct made m;
    struct cells c;
    struct err e = {0};
    made_init(&m, "{}");
    for (int round = 0; round < 3; round++) {
        struct trial_record *r = made_add(&m, "a", ROLE_TARGET, round, 0, 10, 100);
        snprintf(r->flags, sizeof r->flags, "%s", round == 1 ? "odd always" : "always");
    }
    assert_int_equal(cells_build(&c, &m.store, &e), 0);
    assert_string_equal(c.cell[0].flags, "always odd:1");
    cells_release(&c);
    json_decref(m.store.manifest);
}

static void test_absurd_runs_are_refused(void **state) {
    (void)state;
    static struct made m;
    struct cells c;
    struct err e = {0};
    made_init(&m, "{}");
    assert_int_equal(cells_build(&c, &m.store, &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "no trial"));
    made_add(&m, "a", ROLE_TARGET, INT32_MAX, 0, 10, 100);
    assert_int_equal(cells_build(&c, &m.store, &e), -1);
    assert_non_null(strstr(e.text, "round 2147483647 is out of range"));
    json_decref(m.store.manifest);
}

static void test_figure_format(void **state) {
    (void)state;
    static const struct {
        enum figure_id id;
        double value;
        const char *text;
    } rows[] = {
        {FIG_RATE, 125431.4, "125,431"},
        {FIG_RATE, 999, "999"},
        {FIG_RATE, 12.34, "12.3"},
        {FIG_RATE, 1234567, "1,234,567"},
        {FIG_CPU, 6.714, "6.71 µs"},
        {FIG_CPU, 123.4, "123 µs"},
        {FIG_P50, 92, "92 µs"},
        {FIG_P50, 92.5, "92 µs"},
        {FIG_P99, 1234, "1.23 ms"},
        {FIG_P99, 999.6, "1.00 ms"},
        {FIG_MAX, 2345678, "2.35 s"},
        {FIG_RSS_IDLE, 3040870, "2.90 MiB"},
        {FIG_RSS_PEAK, 4096, "4.00 KiB"},
        {FIG_RSS_PEAK, 3e9, "2.79 GiB"},
        {FIG_CPU, NAN, "n/a"},
        {FIG_RSS_IDLE, 0, "0.00 KiB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[48];
        figure_format(text, sizeof text, rows[i].id, rows[i].value);
        assert_string_equal(text, rows[i].text);
    }
}

static void check_text(void (*put)(FILE *, const char *), const char *in, const char *want) {
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    assert_non_null(f);
    put(f, in);
    fclose(f);
    assert_string_equal(out, want);
    free(out);
}

static void test_texts_are_inert(void **state) {
    (void)state;
    check_text(text_markdown, "a|b<i>*c*_d_`e`[f](g)\n# h @i",
               "a&#124;b&lt;i&gt;\\*c\\*\\_d\\_\\`e\\`\\[f\\](g) \\# h &#64;i");
    check_text(text_code, "plain", "`plain`");
    check_text(text_code, "a``b|c\n", "``` a``b¦c  ```");
    check_text(text_csv, "plain", "plain");
    check_text(text_csv, "a,\"b\"\nc", "\"a,\"\"b\"\" c\"");
    check_text(text_gnuplot, "it's `date` \"x\"\n\\", "'it''s `date` \"x\" \\'");
    check_text(text_shell, "plain/1.2", "plain/1.2");
    check_text(text_shell, "", "''");
    check_text(text_shell, "it's $(x)", "'it'\\''s $(x)'");
}

static void test_hidden_characters_are_shown(void **state) {
    /* an override, an isolate, no width, a C1 control; a letter that only needs three bytes */
    static const char in[] = "a\u202eb\u2066c\u200bd\xc2\x85"
                             "e\u20ac\U000e0041";
    static const char want[] = "a?b?c?d?e\u20ac?";
    char out[64];
    (void)state;
    check_text(text_markdown, in, want);
    check_text(text_code, in, "`a?b?c?d?e\u20ac?`");
    check_text(text_csv, in, want);
    check_text(text_html, in, want);
    check_text(text_gnuplot, in, "'a?b?c?d?e\u20ac?'");
    check_text(text_shell, in, "'a?b?c?d?e\u20ac?'");
    text_terminal(out, sizeof out, in, 40, true);
    assert_string_equal(out, want);
}

static void test_text_terminal(void **state) {
    (void)state;
    char out[64];
    assert_int_equal(text_terminal(out, sizeof out, "libevent", 20, true), 8);
    assert_string_equal(out, "libevent");
    assert_int_equal(text_terminal(out, sizeof out, "libevent", 5, true), 5);
    assert_string_equal(out, "libe…");
    assert_int_equal(text_terminal(out, sizeof out, "libevent", 5, false), 5);
    assert_string_equal(out, "lib..");
    text_terminal(out, sizeof out, "\x1b[31mé\xff", 20, false);
    assert_string_equal(out, "?[31m??");
    text_terminal(out, sizeof out, "é\xff", 20, true);
    assert_string_equal(out, "é?");
    text_file_name(out, sizeof out, "../a b/é");
    assert_string_equal(out, "-.-a-b---");
    text_file_name(out, sizeof out, "");
    assert_string_equal(out, "-");
}

static void test_axes(void **state) {
    (void)state;
    struct axis a;
    axis_choose(&a, UNIT_PER_SECOND, 60000, 126000);
    assert_false(a.log);
    assert_true(a.lo == 0 && a.hi > 126000);
    assert_int_equal(a.count, 7);
    assert_string_equal(a.text[5], "100k");
    axis_choose(&a, UNIT_BYTES, 1.4 * 1048576, 6 * 1048576);
    assert_string_equal(a.text[1], "1");
    axis_choose(&a, UNIT_BYTES, 1048576, 400.0 * 1048576);
    assert_true(a.log);
    axis_choose(&a, UNIT_LATENCY_US, 50, 5000);
    assert_true(a.log);
    bool milli = false;
    for (size_t i = 0; i < a.count; i++) {
        assert_true(a.tick[i] >= a.lo && a.tick[i] <= a.hi);
        assert_true(i == 0 || a.tick[i] > a.tick[i - 1]);
        milli = milli || strcmp(a.text[i], "1 ms") == 0;
    }
    assert_true(milli);
    /* Whatever the span, there is something to read it by. */
    static const enum figure_unit units[] = {UNIT_PER_SECOND, UNIT_CPU_US, UNIT_LATENCY_US,
                                             UNIT_BYTES};
    for (size_t u = 0; u < 4; u++) {
        for (int i = 0; i < 18; i++) {
            for (int k = 0; k < 9; k++) {
                const double lo = 1e-3 * pow(7.3, i);
                axis_choose(&a, units[u], lo, lo * pow(11, k));
                assert_true(a.count >= 1 && a.count <= AXIS_TICKS_MAX);
                assert_true(a.lo < a.hi);
            }
        }
    }
    axis_choose(&a, UNIT_CPU_US, INFINITY, 0);
    assert_true(a.lo < a.hi);
    axis_quantiles(&a, 1.1, 2000);
    assert_int_equal(a.count, 4);
    assert_string_equal(a.text[3], "99.9%");
}

static void test_summary_fits(void **state) {
    (void)state;
    static struct made m;
    struct cells c;
    struct err e = {0};
    made_init(&m, "{}");
    for (int round = 0; round < 6; round++) {
        struct trial_record *r =
            made_add(&m, "a-name-that-is-much-too-long-for-a-table-of-this-kind", ROLE_TARGET,
                     round, 0, 1000000, 1234567.8);
        r->server.cpu_us_per_request = 98.765 + round;
        r->memory.peak_rss = 1023LL * 1048576;
        r->load.errors_read = 999999999;
        made_add(&m, "null", ROLE_NULL, round, 0, 1000000, 1234567.8);
    }
    assert_int_equal(cells_build(&c, &m.store, &e), 0);
    for (int utf8 = 0; utf8 < 2; utf8++) {
        char *out = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&out, &len);
        summary_print(f, &c, utf8);
        fclose(f);
        size_t column = 0;
        for (const char *at = out; *at; at += text_char_len(at)) {
            column = *at == '\n' ? 0 : column + 1;
            assert_true(column <= 100);
            assert_true(utf8 || (unsigned char)*at < 0x80);
        }
        assert_non_null(strstr(out, utf8 ? "≥1,234,568" : ">=1,234,568"));
        assert_non_null(strstr(out, "6/6"));
        free(out);
    }
    cells_release(&c);
    json_decref(m.store.manifest);
}

/* A bad or late reply is among the requests; a connection that failed is not. */
static void what_is_late_is_not_available(void **state) {
    (void)state;
    struct trial_record r;
    const struct trial_record *rounds[] = {&r};
    const struct cell cell = {.trial = rounds};
    record_init(&r);
    r.load.requests = 90;
    r.load.errors_connect = 10;
    r.load.errors_read = r.load.errors_write = r.load.errors_status = r.load.errors_timeout = 0;
    assert_true(replay_value(&cell, 0, REPLAY_AVAILABILITY) == 0.9);
    r.load.errors_timeout = 20;
    r.load.errors_status = 20;
    assert_true(replay_value(&cell, 0, REPLAY_AVAILABILITY) == 0.5);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_late_is_not_available),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_repeated_blocks),
        cmocka_unit_test(test_percentiles_need_samples),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_absurd_runs_are_refused),
        cmocka_unit_test(test_figure_format),
        cmocka_unit_test(test_texts_are_inert),
        cmocka_unit_test(test_hidden_characters_are_shown),
        cmocka_unit_test(test_text_terminal),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_summary_fits),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
