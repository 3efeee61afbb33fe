/* base: errors, files, histograms, CPU lists, children. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hidden.h"
#include "base/hist.h"
#include "base/loop.h"

#define SECOND 1000000000LL

static void err_is_one_clean_line(void **state) {
    struct err e = {0};
    (void)state;
    assert_int_equal(err_set(&e, ERR_USAGE, "bad name '%s'", "a\nb\033[31m"), -1);
    assert_string_equal(e.text, "bad name 'a?b?[31m'");
    assert_int_equal(err_prefix(&e, "file.ini:%d", 3), -1);
    assert_string_equal(e.text, "file.ini:3: bad name 'a?b?[31m'");
    assert_int_equal(e.class, ERR_USAGE);
}

static void hidden_characters_are_replaced(void **state) {
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"", ""},
        {"plain \u00b5 \u2265 \u05d0 \U0001f600", "plain \u00b5 \u2265 \u05d0 \U0001f600"},
        {"\u202e\u2066x\u2069\ufeff", "??x??"},
        {"a\u00adb\u061cc\u200fd", "a?b?c?d"},
        {"\xc2\x9b"
         "31m",
         "?31m"},
        {"\U000e0001\U000e01ef", "??"},
        {"cut \xe2\x80", "cut \xe2\x80"},
        {"\xff\xc2", "\xff\xc2"},
    };
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", rows[i].in);
        hidden_replace(text);
        assert_string_equal(text, rows[i].out);
    }
    err_set(&e, ERR_USAGE, "'a\u202eb' is not a name");
    assert_string_equal(e.text, "'a?b' is not a name");
}

static void err_says_what_to_do(void **state) {
    struct err e;
    char big[4096];
    (void)state;
    err_set(&e, ERR_USAGE, "cannot read x");
    assert_int_equal(err_remedy(&e, "name another"), -1);
    assert_string_equal(e.text, "cannot read x; name another");
    assert_int_equal(e.class, ERR_USAGE);
    /* The end of what is too long gives way, never what to do. */
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    err_set(&e, ERR_MACHINE, "%s", big);
    err_remedy(&e, "name another");
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_string_equal(e.text + sizeof e.text - 1 - 17, "xxx; name another");
    err_set(&e, ERR_MACHINE, "short");
    err_remedy(&e, big);
    assert_memory_equal(e.text, "short; xxx", 10);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
}

static void err_cuts_what_is_too_long(void **state) {
    struct err e = {0};
    char big[4096];
    (void)state;
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    err_set(&e, ERR_MACHINE, "%s", big);
    err_prefix(&e, "%s", big);
    err_prefix(&e, "short");
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_memory_equal(e.text, "short: xxx", 10);
}

static void hist_keeps_order_and_sums(void **state) {
    struct hist h = {0};
    struct hist other = {0};
    (void)state;
    assert_int_equal(hist_add(&h, 30, 1), 0);
    assert_int_equal(hist_add(&h, 10, 2), 0);
    assert_int_equal(hist_add(&h, 20, 3), 0);
    assert_int_equal(hist_add(&h, 10, 1), 0);
    assert_int_equal(hist_add(&h, -1, 1), -1);
    assert_int_equal(hist_add(&h, 1, 0), -1);
    assert_int_equal(h.n, 3);
    assert_int_equal(h.value[0], 10);
    assert_int_equal(h.count[0], 3);
    assert_int_equal(hist_total(&h), 7);
    assert_float_equal(hist_sum(&h), 120.0, 0);
    hist_add(&other, 20, 5);
    hist_add(&other, 40, 1);
    assert_int_equal(hist_merge(&h, &other), 0);
    assert_int_equal(h.n, 4);
    assert_int_equal(h.count[1], 8);
    assert_int_equal(hist_total(&h), 13);
    hist_release(&h);
    hist_release(&other);
}

static void cpus_round_trip(void **state) {
    static const struct {
        const char *in, *out; /* out NULL = refused */
    } rows[] = {
        {"0", "0"},
        {"0-3", "0-3"},
        {"3,1,0", "0-1,3"},
        {"0-1,3,5-6", "0-1,3,5-6"},
        {"", NULL},
        {"a", NULL},
        {"1-", NULL},
        {"3-1", NULL},
        {"1,,2", NULL},
        {"1,", NULL},
        {"-1", NULL},
        {"0x1", NULL},
        {"99999999999", NULL},
        {"1024", NULL},
        {" 1", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};
        cpu_set_t set;
        char text[CPUS_TEXT_SIZE];
        int rc = cpus_parse(rows[i].in, "server-cpus", &set, &e);
        assert_int_equal(rc, rows[i].out ? 0 : -1);
        if (rc == 0) {
            cpus_format(&set, text, sizeof text);
            assert_string_equal(text, rows[i].out);
        } else {
            assert_int_equal(e.class, ERR_USAGE);
        }
    }
}

static void cpus_format_never_overflows(void **state) {
    cpu_set_t set;
    char text[8];
    (void)state;
    CPU_ZERO(&set);
    for (size_t i = 0; i < 64; i += 2) {
        CPU_SET(i, &set);
    }
    cpus_format(&set, text, sizeof text);
    assert_string_equal(text, "0,2,4,6");
}

static void file_writes_whole_or_not_at_all(void **state) {
    struct err e = {0};
    char dir[] = "build/test-base-XXXXXX";
    char path[256];
    char *data = NULL;
    size_t len = 0;
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a b/c", dir);
    assert_int_equal(file_mkdirs(path, &e), 0);
    snprintf(path, sizeof path, "%s/a b/c/file", dir);
    assert_int_equal(file_write_atomic(path, "one\n", 4, &e), 0);
    assert_int_equal(file_write_atomic(path, "two two\n", 8, &e), 0);
    assert_int_equal(file_read_all(path, 100, &data, &len, &e), 0);
    assert_int_equal(len, 8);
    assert_string_equal(data, "two two\n");
    free(data);
    assert_int_equal(file_read_all(path, 4, &data, &len, &e), -1);
    assert_int_equal(file_read_all(dir, 100, &data, &len, &e), -1);
    assert_int_equal(file_mkdirs(path, &e), -1);
    assert_int_equal(file_write_atomic("/proc/nothing/here", "x", 1, &e), -1);
    assert_int_equal(e.class, ERR_MACHINE);
    unlink(path);
    snprintf(path, sizeof path, "%s/a b/c", dir);
    assert_int_equal(rmdir(path), 0); /* no sibling was left behind */
    snprintf(path, sizeof path, "%s/a b", dir);
    rmdir(path);
    rmdir(dir);
}

static void file_which_finds_programs(void **state) {
    char out[256];
    (void)state;
    assert_int_equal(file_which("sh", out, sizeof out), 0);
    assert_int_equal(file_which("no-such-program-here", out, sizeof out), -1);
    assert_int_equal(file_which("/etc/passwd", out, sizeof out), -1);
    assert_int_equal(file_which("/bin", out, sizeof out), -1);
    assert_int_equal(file_which("", out, sizeof out), -1);
}

struct lines {
    int n;
    char last[64];
};

static void take_line(void *ctx, const char *line) {
    struct lines *l = ctx;
    l->n++;
    snprintf(l->last, sizeof l->last, "%s", line);
}

static struct child *start_shell(struct loop *loop, const char *script, struct lines *lines) {
    struct err e = {0};
    const char *argv[] = {"sh", "-c", script, NULL};
    const char *env[] = {"GREETING=hello there", NULL};
    struct child_spec spec = {
        .argv = argv, .env = env, .on_line = lines ? take_line : NULL, .ctx = lines};
    struct child *c = child_start(loop, &spec, &e);
    if (!c) {
        print_error("%s\n", e.text);
    }
    return c;
}

static void child_runs_and_is_reaped(void **state) {
    struct loop loop;
    struct err e = {0};
    struct lines lines = {0};
    char text[128];
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    struct child *c = start_shell(&loop, "echo one; echo $GREETING; echo oops >&2; exit 3", &lines);
    assert_non_null(c);
    assert_int_equal(child_wait(c, 60 * SECOND), LOOP_DONE);
    assert_int_equal(child_status(c), 3);
    assert_int_equal(lines.n, 2);
    assert_string_equal(lines.last, "hello there");
    assert_non_null(strstr(child_tail(c), "oops"));
    child_describe(c, text, sizeof text);
    assert_string_equal(text, "exited with status 3");
    child_free(c);
    loop_release(&loop);
}

static void child_that_ignores_term_is_killed(void **state) {
    struct loop loop;
    struct err e = {0};
    struct lines lines = {0};
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    struct child *c =
        start_shell(&loop, "trap '' TERM; echo ready; while :; do sleep 1; done", &lines);
    assert_non_null(c);
    int64_t deadline = clock_mono_ns() + 60 * SECOND;
    while (lines.n == 0 && clock_mono_ns() < deadline) {
        loop_wait(&loop, NULL, NULL, SECOND / 100);
    }
    assert_int_equal(lines.n, 1);
    assert_false(child_stop(c, SIGTERM, SECOND / 20));
    assert_true(child_exited(c));
    assert_int_equal(child_signum(c), SIGKILL);
    child_free(c);
    loop_release(&loop);
}

static void child_group_ends_with_its_leader(void **state) {
    struct loop loop;
    struct err e = {0};
    struct lines lines = {0};
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    struct child *c = start_shell(&loop, "sleep 1000 & echo $!", &lines);
    assert_non_null(c);
    assert_int_equal(child_wait(c, 60 * SECOND), LOOP_DONE);
    pid_t left = (pid_t)strtol(lines.last, NULL, 10);
    assert_true(left > 1);
    char path[64];
    char stat[256];
    int64_t deadline = clock_mono_ns() + 60 * SECOND;
    bool gone = false;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)left);
    while (!gone && clock_mono_ns() < deadline) { /* where nobody reaps orphans a zombie stays */
        gone = file_read_small(path, stat, sizeof stat) < 0 || strstr(stat, ") Z ");
    }
    assert_true(gone);
    child_free(c);
    loop_release(&loop);
}

static void child_is_pinned(void **state) {
    struct loop loop;
    struct err e = {0};
    struct lines lines = {0};
    cpu_set_t allowed;
    cpu_set_t one;
    char expected[32];
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    cpus_allowed(&allowed);
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, &allowed)) {
        cpu++;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    const char *argv[] = {"grep", "Cpus_allowed_list", "/proc/self/status", NULL};
    struct child_spec spec = {.argv = argv, .cpus = &one, .on_line = take_line, .ctx = &lines};
    struct child *c = child_start(&loop, &spec, &e);
    assert_non_null(c);
    child_wait(c, 60 * SECOND);
    snprintf(expected, sizeof expected, "Cpus_allowed_list:\t%zu", cpu);
    assert_string_equal(lines.last, expected);
    child_free(c);
    loop_release(&loop);
}

static void child_that_cannot_start_says_so(void **state) {
    struct loop loop;
    struct err e = {0};
    const char *argv[] = {"/no/such/server", NULL};
    struct child_spec spec = {.argv = argv};
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    assert_null(child_start(&loop, &spec, &e));
    assert_int_equal(e.class, ERR_MACHINE);
    assert_non_null(strstr(e.text, "/no/such/server"));
    const char *bad_cwd[] = {"sh", NULL};
    struct child_spec nowhere = {.argv = bad_cwd, .cwd = "/no/such/folder"};
    assert_null(child_start(&loop, &nowhere, &e));
    loop_release(&loop);
}

static void child_tail_keeps_the_end(void **state) {
    struct loop loop;
    struct err e = {0};
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    struct child *c = start_shell(
        &loop, "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; printf 'a\\0b'",
        NULL);
    assert_non_null(c);
    assert_int_equal(child_wait(c, 60 * SECOND), LOOP_DONE);
    assert_non_null(strstr(child_tail(c), "line 1999\na?b"));
    assert_null(strstr(child_tail(c), "line 1\n"));
    child_free(c);
    loop_release(&loop);
}

static void loop_wait_ends_on_interrupt(void **state) {
    struct loop loop;
    struct err e = {0};
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    raise(SIGINT);
    assert_int_equal(loop_wait(&loop, NULL, NULL, 60 * SECOND), LOOP_INTERRUPTED);
    assert_int_equal(loop.interrupted, 1);
    assert_int_equal(loop_wait(&loop, NULL, NULL, 1000), LOOP_TIMEOUT); /* not again for the same */
    loop_release(&loop);
}

static void loop_poll_hears_signals(void **state) {
    struct loop loop;
    struct err e = {0};
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    loop_poll(&loop);
    assert_int_equal(loop.interrupted, 0);
    raise(SIGINT);
    loop_poll(&loop);
    assert_int_equal(loop.interrupted, 1);
    loop_release(&loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(err_is_one_clean_line),
        cmocka_unit_test(hidden_characters_are_replaced),
        cmocka_unit_test(err_says_what_to_do),
        cmocka_unit_test(err_cuts_what_is_too_long),
        cmocka_unit_test(hist_keeps_order_and_sums),
        cmocka_unit_test(cpus_round_trip),
        cmocka_unit_test(cpus_format_never_overflows),
        cmocka_unit_test(file_writes_whole_or_not_at_all),
        cmocka_unit_test(file_which_finds_programs),
        cmocka_unit_test(child_runs_and_is_reaped),
        cmocka_unit_test(child_that_ignores_term_is_killed),
        cmocka_unit_test(child_group_ends_with_its_leader),
        cmocka_unit_test(child_is_pinned),
        cmocka_unit_test(child_that_cannot_start_says_so),
        cmocka_unit_test(child_tail_keeps_the_end),
        cmocka_unit_test(loop_wait_ends_on_interrupt),
        cmocka_unit_test(loop_poll_hears_signals),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
