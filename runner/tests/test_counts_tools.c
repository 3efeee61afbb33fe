/* Counts: what callgrind, strace and the hardware counters write, and what is made of it. */
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

/* ---- both in a record */

#define PLACE(object, file, function) object "\x1f" file "\x1f" function

/* The pairs of one server: `f` takes `each` instructions a request, and the shorter process has
 * read a clock that the longer one did not. */
static void take_pair(struct details *d, int each, int reads) {
    struct count_total low;
    struct count_total high;
    count_total_init(&low);
    count_total_init(&high);
    low.calls = json_pack("{s:i, s:i, s:i}", "read", 10, "brk", 3, "clock", 1);
    high.calls = json_pack("{s:i, s:i, s:i}", "read", 10 + 10 * reads, "brk", 3, "write", 5);
    low.instructions.cost = json_pack("{s:i, s:i}", PLACE("/b/server", "a.c", "f"), 100,
                                      PLACE("/b/libc.so.6", "c.c", "clock"), 20);
    high.instructions.cost =
        json_pack("{s:i, s:i, s:i}", PLACE("/b/server", "a.c", "f"), 100 + 10 * each,
                  PLACE("/b/server", "b.h", "f"), 20, PLACE("/l/libuv.so", "", "g"), 30);
    details_take(d, &low, &high);
    count_total_release(&low);
    count_total_release(&high);
}

static void test_details(void **state) {
    (void)state;
    struct count_record r;
    struct details pair[4];
    count_record_init(&r);
    r.low = 10;
    r.high = 20;
    struct count_figure *calls = &r.figure[COUNT_SYSCALLS];
    struct count_figure *cost = &r.figure[COUNT_INSTRUCTIONS];
    const int each[] = {70, 40, 40, 40};
    const int reads[] = {1, 2, 1, 1};
    for (int i = 0; i < 4; i++) {
        take_pair(&pair[i], each[i], reads[i]);
        calls->repeat[calls->n++] = reads[i] + 0.4;
        cost->repeat[cost->n++] = each[i] + 3;
    }
    assert_true(count_settle(cost));   /* the last three */
    assert_false(count_settle(calls)); /* the two in the middle */
    details_fill(&r, pair, 4);
    assert_int_equal(r.calls, 3); /* brk is the start's */
    assert_string_equal(r.call[0].name, "read");
    assert_true(r.call[0].per_request == 1);
    assert_true(r.call[1].per_request == 0.5);
    assert_true(r.call[2].per_request == -0.1); /* else they are more than the figure */
    assert_int_equal(r.functions, 3);
    assert_string_equal(r.function[0].name, "f");
    assert_string_equal(r.function[0].object, "server");
    assert_true(r.function[0].per_request == 42); /* inlined code is its own */
    double sum = 0;
    for (int p = 0; p < COUNT_PARTS; p++) {
        sum += r.part[p];
    }
    assert_true(fabs(sum - cost->per_request) < 1e-9);
    assert_true(r.part[PART_LOOP] == 3);
    for (int i = 0; i < 4; i++) {
        details_release(&pair[i]);
    }
}

/* ---- allocations */

static void test_allocations(void **state) {
    (void)state;
    static const struct {
        uint64_t file[2]; /* calls, loaded */
        int64_t calls;
        bool preloaded;
    } rows[] = {{{7, 1}, 7, true}, {{0, 1}, -1, true}, {{0, 0}, -1, false}, {{7, 0}, -1, false}};
    char dir[] = FIXTURE_TEMPLATE;
    char path[sizeof dir + sizeof "/allocations"];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/allocations", dir);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct count_total t;
        struct err e = {0};
        count_total_init(&t);
        FILE *f = fopen(path, "we");
        assert_non_null(f);
        assert_int_equal(fwrite(rows[i].file, sizeof rows[i].file, 1, f), 1);
        fclose(f);
        assert_int_equal(count_tools[0]->read(dir, &t, &e), 0);
        assert_int_equal(t.of[COUNT_ALLOCATIONS], rows[i].calls);
        assert_int_equal(t.preloaded, rows[i].preloaded);
    }
    fixture_remove(dir);
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
    assert_non_null(strstr(e.text, "cannot be seen"));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callgrind),
        cmocka_unit_test(test_callgrind_long_name),
        cmocka_unit_test(test_callgrind_refuses),
        cmocka_unit_test(test_date),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_strace),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_perf),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("counts/tools", tests, NULL, NULL);
}
