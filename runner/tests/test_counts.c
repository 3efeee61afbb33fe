/* Counts: what the tools write, what is made of it, and what two runs of it say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/date.h"
#include "count/details.h"
#include "count/parts.h"
#include "count/perf.h"
#include "count/strace.h"
#include "report/counts_compare.h"
#include "store/counts.h"
#include "tests/fixture.h"

/* ---- callgrind */

#define HEAD "# callgrind format\nversion: 1\ncreator: made up by hand\npid: 1\ncmd: x\npart: 1\n\n"
#define BODY                                                                                       \
    "positions: line\nevents: Ir\nsummary: 126\n\n"                                                \
    "ob=(1) /bin/server\nfl=(1) app.c\nfn=(1) serve\n"                                             \
    "16 10\n+2 5\n* 1\n-3\n"                                                                       \
    "fi=(2) inline.h\n7 20\nfe=(1)\n18 4\n"                                                        \
    "cob=(2) /lib/libc.so.6\ncfi=(3) write.c\ncfn=(2) write\ncalls=3 26\n+1 86\n"                  \
    "\nob=(2)\nfl=(3)\nfn=(2)\n26 86\n\n"

static int read_callgrind(struct callgrind *c, const char *text, struct err *e) {
    FILE *in = fmemopen((char *)text, strlen(text), "r");
    assert_non_null(in);
    assert_int_equal(callgrind_init(c, e), 0);
    const int rc = callgrind_add(c, in, "file", e);
    fclose(in);
    return rc;
}

static int64_t cost_of(const struct callgrind *c, const char *key) {
    return json_integer_value(json_object_get(c->cost, key));
}

static void test_callgrind(void **state) {
    (void)state;
    struct callgrind c;
    struct err e = {0};
    assert_int_equal(read_callgrind(&c, HEAD BODY "totals: 126\n", &e), 0);
    assert_int_equal(c.total, 126);
    assert_int_equal(json_object_size(c.cost), 3);
    assert_int_equal(cost_of(&c, "/bin/server\x1f"
                                 "app.c\x1fserve"),
                     20);
    assert_int_equal(cost_of(&c, "/bin/server\x1finline.h\x1fserve"), 20);
    assert_int_equal(cost_of(&c, "/lib/libc.so.6\x1fwrite.c\x1fwrite"), 86);
    callgrind_release(&c);
}

/* As templates of C++ have them. */
static void test_callgrind_long_name(void **state) {
    (void)state;
    struct callgrind c;
    struct err e = {0};
    char name[20001];
    char *text = NULL;
    memset(name, 'T', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_true(asprintf(&text, HEAD "events: Ir\nfn=(1) %s\n1 7\nfn=(1) %s\n2 1\ntotals: 8\n",
                         name, name) > 0);
    assert_int_equal(read_callgrind(&c, text, &e), 0);
    assert_int_equal(c.total, 8);
    assert_int_equal(json_object_size(c.cost), 1);
    callgrind_release(&c);
    free(text);
}

static void test_callgrind_refuses(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {
        {HEAD BODY "totals: 127\n", "the total stated is not the sum"},
        {HEAD BODY, "cut short"},
        {HEAD BODY "totals: 126", "cut short"},
        {"", "cut short"},
        {HEAD "events: Ir Dr\n", "file:8: events other than instructions"},
        {HEAD "16 3\n", "costs before"},
        {HEAD "events: Ir\nfn=(1)\n", "a number that names nothing"},
        {HEAD "events: Ir\nfn=(1) a\nfn=(1) b\n", "names two things"},
        {HEAD "events: Ir\nfn=serve\n", "a name without a number"},
        {HEAD "events: Ir\nfn=(99999999) a\n", "no number of a name"},
        {HEAD "events: Ir\nfn=(1)x\n", "behind the number"},
        {HEAD "events: Ir\n1 -3\n", "no cost"},
        {HEAD "events: Ir\n1 99999999999999999999\n", "no cost"},
        {HEAD "events: Ir\ncalls=x\n", "no number of calls"},
        {HEAD "events: Ir\nhello\n", "a line that callgrind does not write"},
        {HEAD "events: Ir\n+x 1\n", "a line that callgrind does not write"},
        {HEAD "events: Ir\nfn=(1) a\x1f"
              "b\n",
         "a control character"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct callgrind c;
        struct err e = {0};
        if (bad[i].text[0]) {
            assert_int_equal(read_callgrind(&c, bad[i].text, &e), -1);
            assert_int_equal(e.class, ERR_FAILED);
            if (!strstr(e.text, bad[i].why)) {
                fail_msg("%zu: %s", i, e.text);
            }
            callgrind_release(&c);
        }
    }
}

static void feed(struct date_reader *d, const char *field, const char *value, size_t piece) {
    for (const char *at = field; *at; at += strnlen(at, piece)) {
        date_field(d, at, strnlen(at, piece));
    }
    for (const char *at = value; *at; at += strnlen(at, piece)) {
        date_value(d, at, strnlen(at, piece));
    }
}

static void test_date(void **state) {
    (void)state;
    static const size_t pieces[] = {1, 3, 100};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct date_reader d = {0};
        char last[DATE_SIZE] = "";
        feed(&d, "Server", "x", pieces[i]);
        feed(&d, "dATE", "Mon, 01 Jan 2024 00:00:00 GMT", pieces[i]);
        feed(&d, "Dates", "y", pieces[i]);
        assert_true(date_changed(&d, last));
        assert_string_equal(last, "Mon, 01 Jan 2024 00:00:00 GMT");
        feed(&d, "Date", "Mon, 01 Jan 2024 00:00:00 GMT", pieces[i]);
        assert_false(date_changed(&d, last));
        feed(&d, "Date", "Mon, 01 Jan 2024 00:00:01 GMT", pieces[i]);
        assert_true(date_changed(&d, last));
        feed(&d, "Server", "none", pieces[i]);
        assert_false(date_changed(&d, last));
        feed(&d, "Date", "a date of more bytes than there is room for", pieces[i]);
        assert_true(date_changed(&d, last));
        assert_int_equal(strlen(last), DATE_SIZE - 1);
    }
}

static void test_parts(void **state) {
    (void)state;
    static const struct {
        const char *object, *file, *function;
        enum count_part part;
    } rows[] = {
        {"/b/server-libuv", "servers/common/http1.c", "drive", PART_APPLICATION},
        {"/b/server-libuv", "/usr/share/llhttp/llhttp.c", "run", PART_PARSER},
        {"/b/server-libuv", "x.c", "llhttp__internal__run", PART_PARSER},
        {"/usr/lib/libuv.so.1.0.0", "???", "0x1234", PART_LOOP},
        {"/usr/lib/libh2o-evloop.so.0.13", "???", "h2o_send", PART_LOOP},
        {"/usr/lib/libh2o-evloop.so.0.13", "???", "phr_parse_request", PART_PARSER},
        {"/usr/lib/libevent_core-2.1.so.7", "???", "event_add", PART_LOOP},
        {"/usr/lib/libc.so.6", "malloc.c", "malloc", PART_LIBC},
        {"/usr/lib/ld-linux-x86-64.so.2", "dl-lookup.c", "do_lookup_x", PART_LIBC},
        {"/usr/lib/libssl.so.3", "???", "SSL_read", PART_OTHER},
        {"/usr/bin/node", "???", "uv__io_poll", PART_LOOP},
        {"/usr/bin/node", "???", "v8::internal::Run", PART_APPLICATION},
        {"", "", "", PART_OTHER},
        {"???", "???", "???", PART_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(parts_of(rows[i].object, rows[i].file, rows[i].function), rows[i].part);
    }
}

/* ---- strace */

#define STRACE_HEAD "syscall            calls\n---------------- ---------\n"
#define STRACE_FOOT "---------------- ---------\n"

static void test_strace(void **state) {
    (void)state;
    struct err e = {0};
    static const char good[] =
        STRACE_HEAD "epoll_wait               5\nread                     2\n" STRACE_FOOT
                    "total                    7\n";
    json_t *calls = strace_read(good, sizeof good - 1, &e);
    assert_non_null(calls);
    assert_int_equal(json_integer_value(json_object_get(calls, "epoll_wait")), 5);
    assert_int_equal(json_object_size(calls), 2);
    json_decref(calls);
    static const char *const bad[] = {
        "",
        "strace: cannot\n",
        STRACE_HEAD,
        STRACE_HEAD "read 2\n" STRACE_FOOT "total 3\n",
        STRACE_HEAD "read 2\nread 2\n" STRACE_FOOT "total 4\n",
        STRACE_HEAD "read 2 1\n" STRACE_FOOT "total 2\n",
        STRACE_HEAD "read -2\n" STRACE_FOOT "total 2\n",
        STRACE_HEAD "read 2\n" STRACE_FOOT "total 2\nmore\n",
        STRACE_HEAD "read 99999999999999999999\n" STRACE_FOOT "total 2\n",
        STRACE_HEAD "read 2\n" STRACE_FOOT,
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(strace_read(bad[i], strlen(bad[i]), &e));
        assert_int_equal(e.class, ERR_FAILED);
        assert_non_null(strstr(e.text, "strace's table, line "));
    }
}

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
    assert_int_equal(f.state, COUNT_SETTLED); /* two successive ones */
    assert_true(f.spread == 0);
    f = figure_of(4, (double[]){100, 104, 101, 110});
    assert_int_equal(f.state, COUNT_UNSETTLED);
    assert_true(fabs(f.per_request - 102.5) < 1e-9);
    assert_true(fabs(f.spread - 10.0 / 105) < 1e-9);
    f = figure_of(2, (double[]){0, 0.0005});
    assert_int_equal(f.state, COUNT_SETTLED);
    assert_true(f.spread <= 0.0005); /* and not 200% */
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

static void test_details(void **state) {
    (void)state;
    struct count_record r = record_of("a", 1);
    struct count_total low;
    struct count_total high;
    count_total_init(&low);
    count_total_init(&high);
    low.calls = json_pack("{s:i, s:i}", "read", 10, "brk", 3);
    high.calls = json_pack("{s:i, s:i, s:i}", "read", 20, "brk", 3, "write", 5);
    low.instructions.cost = json_pack("{s:i}",
                                      "/b/server\x1f"
                                      "a.c\x1f"
                                      "f",
                                      100);
    high.instructions.cost = json_pack("{s:i, s:i, s:i}",
                                       "/b/server\x1f"
                                       "a.c\x1f"
                                       "f",
                                       500,
                                       "/b/server\x1f"
                                       "b.h\x1f"
                                       "f",
                                       20,
                                       "/l/libuv.so\x1f\x1f"
                                       "g",
                                       30);
    details_fill(&r, &low, &high);
    assert_int_equal(r.calls, 2); /* brk is the start's */
    assert_string_equal(r.call[0].name, "read");
    assert_true(r.call[0].per_request == 1);
    assert_true(r.call[1].per_request == 0.5);
    assert_int_equal(r.functions, 2);
    assert_string_equal(r.function[0].name, "f");
    assert_string_equal(r.function[0].object, "server");
    assert_true(r.function[0].per_request == 42); /* inlined code is its own */
    assert_true(r.part[PART_APPLICATION] == 42);
    assert_true(r.part[PART_LOOP] == 3);
    count_total_release(&low);
    count_total_release(&high);
}

/* ---- hardware counters, which few test machines have */

static int why_not;
static int refuse(pid_t tid, int kernel) {
    (void)tid;
    (void)kernel;
    errno = why_not;
    return -1;
}

/* A pipe that holds what a counter would say. */
static uint64_t said[3];
static int answer(pid_t tid, int kernel) {
    int ends[2];
    uint64_t now[3] = {said[0] * (kernel ? 10 : 1), said[1], said[2]};
    (void)tid;
    if (pipe(ends) != 0 || write(ends[1], now, sizeof now) != (ssize_t)sizeof now) {
        return -1;
    }
    close(ends[1]);
    return ends[0];
}

static void test_perf(void **state) {
    (void)state;
    char root[] = FIXTURE_TEMPLATE;
    struct err e = {0};
    const pid_t self = getpid();
    int64_t user, kernel;
    assert_non_null(mkdtemp(root));
    fixture_put(root, "/proc/sys/kernel/perf_event_paranoid", "3\n");
    struct perf_source source = {.open = refuse, .root = root};
    why_not = EACCES;
    assert_null(perf_start(&source, &self, 1, &e));
    assert_non_null(strstr(e.text, "perf_event_paranoid is 3"));
    why_not = ENOENT;
    assert_null(perf_start(&source, &self, 1, &e));
    assert_non_null(strstr(e.text, "no hardware counters"));
    why_not = ENOSYS;
    assert_null(perf_start(&source, &self, 1, &e));
    assert_non_null(strstr(e.text, "no perf_event_open"));
    why_not = ESRCH; /* every thread has just ended */
    assert_null(perf_start(&source, &self, 1, &e));
    assert_null(perf_start(&source, &self, 0, &e));
    source.open = answer;
    memcpy(said, (uint64_t[]){7, 100, 100}, sizeof said);
    struct perf *p = perf_start(&source, &self, 1, &e);
    assert_non_null(p);
    assert_int_equal(perf_stop(p, &user, &kernel, &e), 0);
    assert_int_equal(user, 7);
    assert_int_equal(kernel, 70);
    memcpy(said, (uint64_t[]){7, 100, 60}, sizeof said);
    p = perf_start(&source, &self, 1, &e);
    assert_non_null(p);
    assert_int_equal(perf_stop(p, &user, &kernel, &e), -1);
    assert_non_null(strstr(e.text, "shared"));
    fixture_remove(root);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callgrind_long_name),
        cmocka_unit_test(test_date),
        cmocka_unit_test(test_callgrind),
        cmocka_unit_test(test_callgrind_refuses),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_strace),
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_perf),
        cmocka_unit_test(test_gate_parse),
        cmocka_unit_test(test_change),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
