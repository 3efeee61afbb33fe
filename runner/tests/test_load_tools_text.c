/* ab, h2load and siege: what they print, sound, torn and lying. As programs: test_load_tools.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/scan.h"
#include "load/summary.h"
#include "load/tool.h"
#include "load/wrk_judge.h"

typedef enum load_failure (*reader)(const struct tool_output *, struct load_outcome *,
                                    struct err *);

static const char ab_text[] = "This is ApacheBench, Version 2.3 <$Revision$>\n"
                              "\n"
                              "Document Length:        Variable\n"
                              "\n"
                              "Concurrency Level:      64\n"
                              "Time taken for tests:   1.000 seconds\n"
                              "Complete requests:      45277\n"
                              "Failed requests:        0\n"
                              "Keep-Alive requests:    45277\n"
                              "Total transferred:      7108489 bytes\n"
                              "HTML transferred:       543324 bytes\n"
                              "Requests per second:    45274.37 [#/sec] (mean)\n"
                              "Time per request:       1.414 [ms] (mean)\n"
                              "  50%      1\n"
                              " 100%     14 (longest request)\n";

static const char h2load_text[] =
    "starting benchmark...\n"
    "\n"
    "finished in 1.08s, 4.00 req/s, 12.89MB/s\n"
    "requests: 4 total, 6 started, 4 done, 4 succeeded, 0 failed, 0 errored, 0 timeout\n"
    "status codes: 4 2xx, 0 3xx, 0 4xx, 0 5xx\n"
    "traffic: 12.89MB (628) total, 8.70MB (424) headers (space savings 0.00%), 1008.96KB (48) "
    "data\n"
    "                     min         max         mean         sd        +/- sd\n"
    "time for request:      171us     11.75ms       743us       741us    95.81%\n";

static const char h2load_log[] = "1796051713595229\t200\t1205\n1796051713595237\t200\t1225\n"
                                 "1796051713595244\t200\t1205\n1796051714593984\t200\t900\n";

static const char siege_text[] = "{\t\"transactions\":\t\t\t       24836,\n"
                                 "\t\"availability\":\t\t\t      100.00,\n"
                                 "\t\"elapsed_time\":\t\t\t        1.97,\n"
                                 "\t\"data_transferred\":\t\t        0.28,\n"
                                 "\t\"response_time\":\t\t        0.01,\n"
                                 "\t\"transaction_rate\":\t\t    12607.11,\n"
                                 "\t\"throughput\":\t\t\t        0.14,\n"
                                 "\t\"concurrency\":\t\t\t       61.38,\n"
                                 "\t\"successful_transactions\":\t       24836,\n"
                                 "\t\"failed_transactions\":\t\t           0,\n"
                                 "\t\"longest_transaction\":\t\t        0.14,\n"
                                 "\t\"shortest_transaction\":\t\t        0.00\n"
                                 "}\n";

/* ab's table; from 0.100 ms on, 14.000 at the end. */
static const char *ab_table(void) {
    static char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "Percentage served,Time in ms\n");
    for (int i = 0; i <= 100; i++) {
        double ms = i == 100 ? 14 : 0.1 + i * 0.05;
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%.3f\n", i, ms);
    }
    return text;
}

static enum load_failure read_it(reader r, const char *text, const char *file,
                                 struct load_outcome *out, struct err *e) {
    struct tool_output o = {.text = text, .file = file, .connections = 64, .asked_us = 1000000};
    *e = (struct err){0};
    load_outcome_init(out);
    return r(&o, out, e);
}

/* `text` with the first `from` replaced; valid until the next call. */
static const char *with(const char *text, const char *from, const char *to) {
    static char changed[8192];
    const char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return changed;
}

static void expect(reader r, const char *text, const char *file, enum load_failure wanted,
                   const char *words) {
    struct load_outcome o;
    struct err e;
    enum load_failure f = read_it(r, text, file, &o, &e);
    if (f != wanted || !strstr(e.text, words)) {
        fail_msg("%s, not %s: %s\n%s", load_failure_name(f), load_failure_name(wanted), e.text,
                 text);
    }
    load_outcome_release(&o);
}

/* Cut off anywhere, none of them passes for a result (but for ends that say nothing more). */
static void torn_is_noticed(reader r, const char *text, const char *file, size_t needed) {
    char cut[4096];
    for (size_t i = 0; i < needed; i++) {
        struct load_outcome o;
        struct err e;
        snprintf(cut, sizeof cut, "%.*s", (int)i, text);
        enum load_failure f = read_it(r, cut, file, &o, &e);
        if (f == LOAD_OK || e.class != ERR_FAILED) {
            fail_msg("cut at %zu: %s: %s", i, load_failure_name(f), e.text);
        }
        load_outcome_release(&o);
    }
}

static void reads_ab(void **state) {
    (void)state;
    struct load_outcome o;
    struct err e;
    assert_int_equal(read_it(ab_read, ab_text, ab_table(), &o, &e), LOAD_OK);
    assert_int_equal(o.requests, 45277);
    assert_int_equal(o.duration_us, 1000000);
    assert_int_equal(o.bytes, 7108489);
    assert_int_equal(o.errors_status, 0);
    assert_int_equal(o.threads, 1);
    assert_int_equal(o.told.p50_us, 2600);
    assert_int_equal(o.told.p99_us, 5050);
    assert_int_equal(o.told.max_us, 14000);
    load_outcome_release(&o);
    const char *failed = with(ab_text, "requests:        0\n",
                              "requests:        3\n   (Connect: 1, Receive: 1, Length: 0, "
                              "Exceptions: 1)\nNon-2xx responses:      7\n");
    assert_int_equal(read_it(ab_read, failed, ab_table(), &o, &e), LOAD_OK);
    assert_int_equal(o.errors_connect, 1);
    assert_int_equal(o.errors_read, 2);
    assert_int_equal(o.errors_status, 7);
    load_outcome_release(&o);
}

static void doubts_ab(void **state) {
    (void)state;
    const char *table = ab_table();
    torn_is_noticed(ab_read, ab_text, table, sizeof ab_text - sizeof " (longest request)\n");
    expect(ab_read, with(ab_text, "Complete requests:      45277", "Complete requests:      4527x"),
           table, LOAD_RESULT, "not what ab 2.3 prints");
    expect(ab_read, with(ab_text, "Level:      64", "Level:      32"), table, LOAD_LIES,
           "another number of connections");
    expect(ab_read, with(ab_text, "45274.37", "95274.37"), table, LOAD_LIES, "do not fit");
    expect(ab_read, with(ab_text, "Keep-Alive requests:    4", "Keep-Alive requests:    9"), table,
           LOAD_LIES, "more kept or bad replies");
    expect(ab_read, with(ab_text, "14 (longest", "99 (longest"), table, LOAD_LIES, "longest");
    expect(ab_read, with(ab_text, "Failed requests:        0", "Failed requests:        2"), table,
           LOAD_RESULT, "not what ab");
    expect(ab_read, ab_text, "", LOAD_RESULT, "another heading");
    expect(ab_read, ab_text, with(table, "\n100,", "\n99,"), LOAD_RESULT, "breaks off");
    expect(ab_read, ab_text, with(table, "\n50,2.600", "\n50,0.000"), LOAD_LIES, "ascend");
    char twice[8192];
    snprintf(twice, sizeof twice, "%s%s", ab_text, ab_text);
    expect(ab_read, twice, table, LOAD_RESULT, "not what ab");
}

static void reads_h2load(void **state) {
    (void)state;
    struct load_outcome o;
    struct err e;
    assert_int_equal(read_it(h2load_read, h2load_text, h2load_log, &o, &e), LOAD_OK);
    assert_int_equal(o.requests, 4);
    assert_int_equal(o.duration_us, 1000000);
    assert_int_equal(o.bytes, 628);
    assert_int_equal(hist_total(&o.raw), 4);
    assert_int_equal(load_percentile(&o.raw, 0.5), 1205);
    assert_int_equal(load_percentile(&o.raw, 1), 1225);
    load_outcome_release(&o);
    assert_int_equal(
        read_it(h2load_read, with(h2load_text, "in 1.08s", "in 1080.00ms"), h2load_log, &o, &e),
        LOAD_OK);
    assert_int_equal(o.duration_us, 1000000);
    load_outcome_release(&o);
    /* It gave up halfway. */
    assert_int_equal(
        read_it(h2load_read, with(h2load_text, "in 1.08s", "in 500.00ms"), h2load_log, &o, &e),
        LOAD_OK);
    assert_int_equal(o.duration_us, 500000);
    load_outcome_release(&o);
}

/* 100 requests in a window of 1 s, and 80 ms to start and to stop: by those, the rate would lie. */
static void times_h2load_by_its_window(void **state) {
    (void)state;
    char log[4096] = "";
    struct load_outcome o;
    struct err e;
    for (size_t i = 0, used = 0; i < 100; i++) {
        used += (size_t)snprintf(log + used, sizeof log - used, "1796051713595229\t200\t1205\n");
    }
    assert_int_equal(
        read_it(h2load_read,
                "finished in 1.08s, 100.00 req/s, 12.89MB/s\n"
                "requests: 100 total, 164 started, 100 done, 100 succeeded, 0 failed, 0 errored, "
                "0 timeout\n"
                "status codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx\n"
                "traffic: 12.89MB (15700) total, 8.70MB (424) headers (space savings 0.00%), 1B "
                "(1) data\n",
                log, &o, &e),
        LOAD_OK);
    assert_int_equal(o.requests, 100);
    assert_int_equal(o.duration_us, 1000000);
    load_outcome_release(&o);
}

static void doubts_h2load(void **state) {
    (void)state;
    torn_is_noticed(h2load_read, h2load_text, h2load_log,
                    (size_t)(strstr(h2load_text, " total, 8.70") - h2load_text));
    torn_is_noticed(h2load_read, "", h2load_log, 1);
    expect(h2load_read, with(h2load_text, "6 started", "3 started"), h2load_log, LOAD_LIES,
           "do not fit");
    expect(h2load_read, with(h2load_text, "4 2xx", "5 2xx"), h2load_log, LOAD_LIES, "do not fit");
    expect(h2load_read, with(h2load_text, " 4.00 req/s", " 9.00 req/s"), h2load_log, LOAD_LIES,
           "do not fit");
    expect(h2load_read, h2load_text, with(h2load_log, "1796051714593984\t200\t900\n", ""),
           LOAD_LIES, "fewer requests");
    expect(h2load_read, h2load_text, with(h2load_log, "900\n", "900\n1\t200\t3\n"), LOAD_LIES,
           "more requests");
    expect(h2load_read, h2load_text, with(h2load_log, "200\t900\n", "200\t9"), LOAD_RESULT, "torn");
    expect(h2load_read, with(h2load_text, "4 done", "900000000000000 done"), h2load_log, LOAD_LIES,
           "do not fit");
}

static void reads_siege(void **state) {
    (void)state;
    struct load_outcome o;
    struct err e;
    assert_int_equal(read_it(siege_read, siege_text, "", &o, &e), LOAD_OK);
    assert_int_equal(o.requests, 24836);
    assert_int_equal(o.duration_us, 1970000);
    assert_int_equal(o.bytes, 293601); /* 0.28 MiB */
    assert_int_equal(o.threads, 64);
    assert_int_equal(o.latency_step_us, 10000);
    assert_int_equal(o.told.max_us, 140000);
    assert_int_equal(o.told.p50_us, -1);
    assert_int_equal(hist_total(&o.raw), 0);
    load_outcome_release(&o);
    /* Hundredths of a MiB tell nothing of so little. */
    assert_int_equal(read_it(siege_read, with(siege_text, "0.28,", "0.04,"), "", &o, &e), LOAD_OK);
    assert_int_equal(o.bytes, -1);
    load_outcome_release(&o);
    assert_int_equal(read_it(siege_read, with(siege_text, "0.28,", "0.00,"), "", &o, &e), LOAD_OK);
    assert_int_equal(o.bytes, -1);
    load_outcome_release(&o);
}

static void doubts_siege(void **state) {
    (void)state;
    torn_is_noticed(siege_read, siege_text, "", sizeof siege_text - sizeof "}\n");
    expect(siege_read, with(siege_text, "24836,\n\t\"failed", "24837,\n\t\"failed"), "", LOAD_LIES,
           "more successful");
    expect(siege_read, with(siege_text, "12607.11", "22607.11"), "", LOAD_LIES, "do not fit");
    expect(siege_read,
           with(siege_text, "0.14,\n\t\"conc", "0.14,\n\t\"elapsed_time\": 3,\n\t\"conc"), "",
           LOAD_RESULT, "not JSON");
    expect(siege_read, with(siege_text, "        1.97", "       -1.97"), "", LOAD_RESULT,
           "elapsed_time");
    expect(siege_read, with(siege_text, "        1.97", "      \"2\""), "", LOAD_RESULT,
           "no sound number");
    expect(siege_read, with(siege_text, "        0.14,\n\t\"sh", "        9.14,\n\t\"sh"), "",
           LOAD_LIES, "do not fit");
    expect(siege_read, "[]\n", "", LOAD_RESULT, "no JSON object");
}

static int64_t late_of(reader r, const char *text, const char *file, int64_t timeout_us) {
    struct tool_output o = {
        .text = text, .file = file, .connections = 64, .timeout_us = timeout_us};
    struct load_outcome out;
    struct err e = {0};
    load_outcome_init(&out);
    assert_int_equal(r(&o, &out, &e), LOAD_OK);
    assert_int_equal(out.errors_timeout, out.late);
    load_outcome_release(&out);
    return out.late;
}

/* None of them has a timeout for a whole reply: the latencies tell, or nothing does. */
static void late_replies_are_counted_where_they_can_be(void **state) {
    (void)state;
    assert_int_equal(late_of(h2load_read, h2load_text, h2load_log, 1225), 0);
    assert_int_equal(late_of(h2load_read, h2load_text, h2load_log, 1205), 1);
    assert_int_equal(late_of(h2load_read, h2load_text, h2load_log, 899), 4);
    assert_int_equal(late_of(ab_read, ab_text, ab_table(), 14000), 0);
    assert_int_equal(late_of(ab_read, ab_text, ab_table(), 13999), -1);
    assert_int_equal(late_of(siege_read, siege_text, "", 140000), 0);
    assert_int_equal(late_of(siege_read, siege_text, "", 130000), -1);
}

static void late_and_bad_replies_are_no_work_done(void **state) {
    (void)state;
    struct load_outcome o;
    load_outcome_init(&o);
    assert_int_equal(load_good(&o), -1);
    o.requests = 85;
    assert_int_equal(load_good(&o), 85);
    o.errors_status = 4;
    o.late = 24;
    assert_int_equal(load_good(&o), 57);
    o.late = 84;
    assert_int_equal(load_good(&o), 0);
}

/* wrk counts a late reply as done and as a timeout, and a late batch as one timeout. */
static void late_replies_of_wrk(void **state) {
    (void)state;
    struct wrk_wanted w = {
        .phase = LOAD_WINDOW, .pipeline = 1, .connections = 2, .duration_ns = 1000000000};
    for (int pipeline = 1; pipeline <= 4; pipeline += 3) {
        struct load_outcome o;
        struct err e = {0};
        load_outcome_init(&o);
        o.duration_us = o.wall_us = 1000000;
        o.idle_us = o.errors_connect = o.errors_read = o.errors_write = o.errors_status = 0;
        o.requests = 40;
        o.errors_timeout = 3;
        assert_int_equal(hist_add(&o.corrected, 100, 40 / pipeline - 3), 0);
        w.pipeline = pipeline;
        assert_int_equal(wrk_judge(&w, &o, &e), LOAD_OK);
        assert_int_equal(o.late, 3 * pipeline);
        assert_int_equal(load_good(&o), 40 - 3 * pipeline);
        load_outcome_release(&o);
    }
}

static void scans_strictly(void **state) {
    (void)state;
    int64_t n;
    const char *at = "12.5 s";
    assert_true(scan_millionths(&at, &n));
    assert_int_equal(n, 12500000);
    assert_string_equal(at, " s");
    static const char *const bad[] = {"", "x", "1.", ".5", "1.1234567", "99999999999", "-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        at = bad[i];
        assert_false(scan_millionths(&at, &n));
        assert_ptr_equal(at, bad[i]);
    }
    at = "999999999999999999999";
    assert_false(scan_count(&at, &n));
    assert_null(scan_label("a: 1\nb: 2\na: 3\n", "a:"));
    assert_null(scan_label("xa: 1\n", "a:"));
    assert_string_equal(scan_label("b: 2\na:  3", "a:"), "3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_ab),
        cmocka_unit_test(doubts_ab),
        cmocka_unit_test(reads_h2load),
        cmocka_unit_test(doubts_h2load),
        cmocka_unit_test(times_h2load_by_its_window),
        cmocka_unit_test(reads_siege),
        cmocka_unit_test(doubts_siege),
        cmocka_unit_test(scans_strictly),
        cmocka_unit_test(late_replies_are_counted_where_they_can_be),
        cmocka_unit_test(late_and_bad_replies_are_no_work_done),
        cmocka_unit_test(late_replies_of_wrk),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("load/tools text", tests, NULL, NULL);
}
