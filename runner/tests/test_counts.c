/* Counts: when they have settled, their records, and what two runs of them say. What the tools
 * write: test_counts_tools.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/counts.h"
#include "report/counts_compare.h"
#include "store/counts.h"
#include "tests/fixture.h"

/* ---- settling */

static struct count_figure figure_of(int n, const double *repeats) {
    struct count_figure f = {.n = n};
    memcpy(f.repeat, repeats, (size_t)n * sizeof *repeats);
    count_settle(&f);
    return f;
}

static void test_settle(void **state) {
    (void)state;
    struct count_figure f = figure_of(1, (double[]){100});
    assert_int_equal(f.state, COUNT_MISSING);
    f = figure_of(2, (double[]){2620, 2621});
    assert_int_equal(f.state, COUNT_SETTLED);
    assert_true(fabs(f.per_request - 2620.5) < 1e-9);
    assert_true(fabs(f.spread - 1 / 2620.5) < 1e-9);
    f = figure_of(2, (double[]){2620, 2640});
    assert_int_equal(f.state, COUNT_UNSETTLED);
    f = figure_of(3, (double[]){2620, 2640, 2640});
    assert_int_equal(f.state, COUNT_UNSETTLED); /* two neighbours may agree by chance */
    f = figure_of(4, (double[]){2620, 2640, 2640, 2641.5});
    assert_int_equal(f.state, COUNT_SETTLED);
    assert_true(fabs(f.per_request - 2640.5) < 1e-9);
    assert_true(fabs(f.spread - 21.5 / 2630.75) < 1e-9); /* the first one is not forgotten */
    f = figure_of(6, (double[]){5446, 5437, 5452, 5515, 5448, 5450});
    assert_int_equal(f.state, COUNT_UNSETTLED);
    f = figure_of(4, (double[]){100, 104, 101, 110});
    assert_int_equal(f.state, COUNT_UNSETTLED);
    assert_true(fabs(f.per_request - 102.5) < 1e-9);
    assert_true(fabs(f.spread - 10.0 / 105) < 1e-9);
    f = figure_of(2, (double[]){0, 0.0005});
    assert_int_equal(f.state, COUNT_SETTLED);
    assert_true(f.spread <= 0.0005);             /* and not 200% */
    f = figure_of(2, (double[]){0.188, 0.1875}); /* known to 0.001 of one, which is 0.5% of it */
    assert_int_equal(f.state, COUNT_SETTLED);
    assert_true(fabs(f.spread - 0.0005 / 0.18775) < 1e-9);
    f = figure_of(2, (double[]){0.188, 0.186});
    assert_int_equal(f.state, COUNT_UNSETTLED);
}

/* ---- records */

static struct count_record record_of(const char *target, double instructions) {
    struct count_record r;
    count_record_init(&r);
    snprintf(r.target, sizeof r.target, "%s", target);
    snprintf(r.base, sizeof r.base, "%s", target);
    snprintf(r.workload, sizeof r.workload, "hello");
    snprintf(r.started, sizeof r.started, "2026-01-31T12:00:00.123Z");
    r.connections = r.pipeline = 1;
    r.low = 10;
    r.high = 20;
    r.wall_s = 1.5;
    struct count_figure *f = &r.figure[COUNT_INSTRUCTIONS];
    f->n = 2;
    f->repeat[0] = f->repeat[1] = instructions;
    count_settle(f);
    for (int p = 0; p < COUNT_PARTS; p++) {
        r.part[p] = p;
    }
    r.calls = 1;
    r.call[0] = (struct count_call){"read", 1};
    r.functions = 1;
    r.function[0] = (struct count_function){"drive", "server", PART_LIBC, 12.5};
    snprintf(r.figure[COUNT_SYSCALLS].reason, COUNTS_REASON_SIZE, "strace is not \"there\"");
    return r;
}

static void test_record(void **state) {
    (void)state;
    struct err e = {0};
    struct count_record r = record_of("a", 2620);
    struct count_record back;
    char *line = count_to_line(&r);
    assert_non_null(line);
    assert_int_equal(count_from_line(line, strlen(line), &back, &e), 0);
    char *again = count_to_line(&back);
    assert_string_equal(line, again);
    assert_int_equal(back.function[0].part, PART_LIBC);
    assert_true(back.figure[COUNT_INSTRUCTIONS].per_request == 2620);
    assert_string_equal(back.figure[COUNT_SYSCALLS].reason, "strace is not \"there\"");
    free(again);
    static const char *const changes[][2] = {
        {"\"seq\":0", "\"seq\":-1"},
        {"\"target\":\"a\"", "\"target\":7"},
        {"\"state\":\"settled\"", "\"state\":\"odd\""},
        {"\"state\":\"settled\"", "\"state\":\"missing\""},
        {"\"connections\":1", "\"connections\":0"},
        {"\"repeats\":[2620.0,2620.0]", "\"repeats\":[1,1,1,1,1,1,1,1,1]"},
        {"\"repeats\":[2620.0,2620.0]", "\"repeats\":2620"},
        {"\"name\":\"read\"", "\"name\":\"readreadreadreadreadreadreadread\""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char bad[8192];
        char *at = strstr(line, changes[i][0]);
        assert_non_null(at);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - line), line, changes[i][1],
                 at + strlen(changes[i][0]));
        if (count_from_line(bad, strlen(bad), &back, &e) == 0) {
            fail_msg("%s was accepted", changes[i][1]);
        }
        assert_int_equal(e.class, ERR_USAGE);
    }
    free(line);
}

static void test_file(void **state) {
    (void)state;
    char dir[] = FIXTURE_TEMPLATE;
    struct counts c;
    struct err e = {0};
    assert_non_null(mkdtemp(dir));
    assert_int_equal(counts_read(&c, dir, &e), 0); /* a run without counts */
    assert_int_equal(c.count, 0);
    const struct count_record records[] = {record_of("a", 100), record_of("b", 200),
                                           record_of("a", 300)};
    int fd = counts_open(dir, &e);
    assert_true(fd >= 0);
    assert_int_equal(counts_open(dir, &e), -1); /* locked */
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(counts_append(fd, &records[i], &e), 0);
    }
    assert_int_equal(write(fd, "{\"seq\":", 7), 7); /* killed here */
    close(fd);
    assert_int_equal(counts_read(&c, dir, &e), 0);
    assert_true(c.torn);
    assert_int_equal(c.count, 2);
    assert_string_equal(c.record[0].target, "a");
    assert_true(c.record[0].figure[COUNT_INSTRUCTIONS].per_request == 300); /* the last stands */
    assert_non_null(counts_find(&c, "b", "hello", 1, 1));
    assert_null(counts_find(&c, "b", "hello", 2, 1));
    counts_release(&c);
    fd = counts_open(dir, &e); /* the torn line goes */
    close(fd);
    assert_int_equal(counts_read(&c, dir, &e), 0);
    assert_false(c.torn);
    counts_release(&c);
    fixture_put(dir, "/counts.jsonl", "{}\n");
    assert_int_equal(counts_read(&c, dir, &e), -1);
    assert_non_null(strstr(e.text, "counts.jsonl:1: damaged line"));
    fixture_remove(dir);
}

/* Cut at the end of a line, which shows in nothing but how many there were. */
static void test_lost_lines(void **state) {
    (void)state;
    static const char head[] = "{\"format\": \"loopbench-run\", \"format_version\": 1, "
                               "\"run_id\": \"r\", \"state\": \"complete\"";
    char dir[] = FIXTURE_TEMPLATE;
    char manifest[256], text[COUNTS_DAMAGE_SIZE];
    struct err e = {0};
    struct counts c;
    const struct count_record records[] = {record_of("a", 100), record_of("b", 200)};
    assert_non_null(mkdtemp(dir));
    int fd = counts_open(dir, &e);
    assert_int_equal(counts_append(fd, &records[0], &e), 0);
    const off_t cut = lseek(fd, 0, SEEK_END);
    assert_int_equal(counts_append(fd, &records[1], &e), 0);
    /* An older version's manifest tells nothing, unless all of the run is counts. */
    snprintf(manifest, sizeof manifest, "%s}", head);
    fixture_put(dir, "/manifest.json", manifest);
    fixture_put(dir, "/trials.jsonl", "");
    assert_int_equal(counts_lost(dir, 0), 0);
    snprintf(manifest, sizeof manifest, "%s, \"kind\": \"count\", \"plan\": {\"trials\": 2}}",
             head);
    fixture_put(dir, "/manifest.json", manifest);
    assert_int_equal(counts_lost(dir, 1), 1);
    snprintf(manifest, sizeof manifest, "%s, \"plan\": {\"trials\": 9}}", head);
    fixture_put(dir, "/manifest.json", manifest);
    assert_int_equal(counts_lost(dir, 0), 0);
    assert_int_equal(counts_note(dir, NULL, &e), 0);
    assert_int_equal(counts_read(&c, dir, &e), 0);
    assert_int_equal(c.lost, 0);
    assert_false(counts_damage(&c, "", text, sizeof text));
    counts_release(&c);
    assert_int_equal(ftruncate(fd, cut), 0);
    assert_int_equal(counts_read(&c, dir, &e), 0);
    assert_false(c.torn);
    assert_int_equal(c.lost, 1);
    assert_true(counts_damage(&c, "A's ", text, sizeof text));
    assert_string_equal(text, "A's counts.jsonl has lost 1 of its lines; count again with --add");
    counts_release(&c);
    assert_int_equal(ftruncate(fd, cut - 9), 0); /* the one cut short is told as such */
    assert_int_equal(counts_read(&c, dir, &e), 0);
    assert_true(c.torn);
    assert_int_equal(c.lost, 1);
    counts_release(&c);
    close(fd);
    fixture_remove(dir);
}

/* ---- two runs */

static void test_gate_parse(void **state) {
    (void)state;
    struct counts_gate g;
    struct err e = {0};
    char rest[64];
    assert_int_equal(counts_gate_parse(&g, "cpu>5%, instructions>1% ,p99>10%,bytes > 0.5%", rest,
                                       sizeof rest, &e),
                     0);
    assert_int_equal(g.count, 2);
    assert_int_equal(g.limit[0].kind, COUNT_INSTRUCTIONS);
    assert_true(g.limit[0].percent == 1);
    assert_int_equal(g.limit[1].kind, COUNT_RECEIVED);
    assert_string_equal(rest, "cpu>5%,p99>10%");
    static const char *const bad[] = {"instructions", "instructions<1%", "syscalls>1",
                                      "instructions>1%x", "syscalls>1%,syscalls>2%"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(counts_gate_parse(&g, bad[i], rest, sizeof rest, &e), -1);
        assert_int_equal(e.class, ERR_USAGE);
    }
}

static struct counts_change change(const double *a, const double *b) {
    const struct count_figure x = figure_of(2, a);
    const struct count_figure y = figure_of(2, b);
    return counts_change_of(&x, &y);
}

static void test_change(void **state) {
    (void)state;
    const struct counts_limit one = {COUNT_INSTRUCTIONS, 1};
    struct counts_change c = change((double[]){1000, 1000}, (double[]){1000.5, 1000.5});
    assert_int_equal(c.kind, COUNTS_SAME);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_KEPT);
    c = change((double[]){1000, 1000}, (double[]){1005, 1005});
    assert_int_equal(c.kind, COUNTS_MORE);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_KEPT);
    c = change((double[]){1000, 1000}, (double[]){1021, 1021});
    assert_int_equal(counts_gate_judge(&one, &c), GATE_CROSSED);
    c = change((double[]){1000, 1000}, (double[]){1010.2, 1010.2});
    assert_int_equal(counts_gate_judge(&one, &c), GATE_UNDECIDED);
    c = change((double[]){1000, 1000}, (double[]){900, 900});
    assert_int_equal(c.kind, COUNTS_FEWER);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_KEPT);
    c = change((double[]){0, 0}, (double[]){0.0004, 0});
    assert_int_equal(c.kind, COUNTS_SAME);
    c = change((double[]){0, 0}, (double[]){1, 1});
    assert_int_equal(c.kind, COUNTS_MORE);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_CROSSED);
    c = change((double[]){1000, 1000}, (double[]){1000, 1100}); /* did not settle */
    assert_int_equal(c.kind, COUNTS_UNKNOWN);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_UNDECIDED);
    c = counts_change_of(NULL, NULL);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_UNDECIDED);
}

/* Settling, spread and change are on one scale: what settles by 0.001 of one is no more exact when
 * two runs are compared. */
static void test_change_below_one(void **state) {
    (void)state;
    const struct counts_limit one = {COUNT_SYSCALLS, 1};
    const struct counts_limit much = {COUNT_SYSCALLS, 20};
    static const double same[][2][2] = {
        {{0.0229, 0.0229}, {0.0244, 0.0239}}, /* one server, pipelines of 128, twice */
        {{0.0244, 0.0239}, {0.0229, 0.0229}}, {{0.1875, 0.187}, {0.188, 0.1875}},
        {{0.0234, 0.0239}, {0.0234, 0.0234}}, {{0.006, 0.006}, {0.0055, 0.0055}},
        {{0.9, 0.9}, {0.9009, 0.9009}},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        struct counts_change c = change(same[i][0], same[i][1]);
        assert_int_equal(c.kind, COUNTS_SAME);
        assert_int_not_equal(counts_gate_judge(&one, &c), GATE_CROSSED);
    }
    struct counts_change c = change((double[]){0.02, 0.02}, (double[]){0.03, 0.03});
    assert_int_equal(c.kind, COUNTS_MORE);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_CROSSED);
    c = change((double[]){0.19, 0.19}, (double[]){0.195, 0.195});
    assert_int_equal(c.kind, COUNTS_MORE);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_CROSSED);
    assert_int_equal(counts_gate_judge(&much, &c), GATE_KEPT);
    c = change((double[]){0.0008, 0.0008}, (double[]){0.0011, 0.0011}); /* both none */
    assert_int_equal(c.kind, COUNTS_SAME);
    assert_int_equal(counts_gate_judge(&one, &c), GATE_KEPT);
    c = change((double[]){0.002, 0.002}, (double[]){0.5, 0.5});
    assert_int_equal(counts_gate_judge(&one, &c), GATE_CROSSED);
}

static void test_value_text(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {{3, "3.00"}, {0.1875, "0.188"}, {0.02293, "0.0229"}, {0.0004, "0.00"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[40];
        counts_value_text(text, sizeof text, COUNT_SYSCALLS, rows[i].value);
        assert_string_equal(text, rows[i].text);
    }
}

static void test_equal(void **state) {
    (void)state;
    const struct counts_limit none = {COUNT_RECEIVED, 0};
    struct counts_change c = change((double[]){157, 157}, (double[]){157, 157});
    assert_int_equal(counts_gate_judge(&none, &c), GATE_KEPT);
    c = change((double[]){0, 0}, (double[]){0, 0});
    assert_int_equal(counts_gate_judge(&none, &c), GATE_KEPT);
    c = change((double[]){157, 157}, (double[]){157, 157.1});
    assert_int_equal(counts_gate_judge(&none, &c), GATE_UNDECIDED);
    c = change((double[]){157, 157}, (double[]){158, 158});
    assert_int_equal(counts_gate_judge(&none, &c), GATE_CROSSED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_lost_lines),
        cmocka_unit_test(test_gate_parse),
        cmocka_unit_test(test_change),
        cmocka_unit_test(test_change_below_one),
        cmocka_unit_test(test_value_text),
        cmocka_unit_test(test_equal),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
