/* ui/progress, ui/plan_print, ui/ending: what a person sees while a run goes on. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/caller.h"
#include "ui/ending.h"
#include "ui/plan_print.h"
#include "ui/progress.h"
#include "ui/text.h"

#define CLEAR "\r\033[K"

struct screen {
    char *text;
    size_t size;
    FILE *out;
};

static void screen_open(struct screen *s) {
    *s = (struct screen){0};
    s->out = open_memstream(&s->text, &s->size);
    assert_non_null(s->out);
}

static void screen_close(struct screen *s) {
    fclose(s->out);
    free(s->text);
}

static struct trial_record record_of(const char *target, double rate) {
    struct trial_record r;
    record_init(&r);
    snprintf(r.target, sizeof r.target, "%s", target);
    snprintf(r.workload, sizeof r.workload, "hello");
    r.connections = 100;
    r.round = 3;
    r.wall_s = 1.5;
    r.rate = rate;
    r.server.cpu_us_per_request = 7.123;
    r.raw.p99_us = 1534;
    return r;
}

static struct progress_style style(enum progress_mode mode, int width, bool utf8, bool color) {
    return (struct progress_style){mode, width, utf8, color};
}

/* What the bar shows last, after the last clearing. */
static const char *last_drawn(struct screen *s) {
    fflush(s->out);
    const char *at = s->text;
    for (const char *next = at; (next = strstr(next, CLEAR)) != NULL;) {
        next += strlen(CLEAR);
        at = next;
    }
    return at;
}

static void bar_shows_cell_figures_and_time(void **state) {
    struct screen s;
    struct trial_record r = record_of("libuv", 98123.4);
    (void)state;
    screen_open(&s);
    struct progress *p =
        progress_begin(s.out, style(PROGRESS_BAR, 120, true, false), 100, 49, 150LL * 1000000000);
    assert_non_null(p);
    progress_trial_start(p, "libuv", "hello", 100, 3, 0);
    const char *drawn = last_drawn(&s);
    assert_non_null(strstr(drawn, "50/100  libuv hello c=100 round 4"));
    assert_non_null(strstr(drawn, "left"));
    progress_trial_end(p, &r);
    drawn = last_drawn(&s);
    assert_non_null(strstr(drawn, "last: 98123 req/s 7.12 \u00b5s/req p99 1534 \u00b5s"));
    assert_non_null(strstr(drawn, "1 min 15 s left")); /* 50 trials of 1.5 s */
    assert_non_null(strstr(drawn, "\u2588\u2591"));    /* half full somewhere */
    assert_null(strstr(drawn, "\033[32m"));
    progress_end(p);
    assert_string_equal(last_drawn(&s), ""); /* nothing is left behind */
    screen_close(&s);
}

/* Whatever the width, one line within it; what matters most stays longest. */
static void bar_fits_every_width(void **state) {
    (void)state;
    for (int width = 1; width <= 200; width++) {
        struct screen s;
        struct trial_record r = record_of("libevent-again", 123456);
        screen_open(&s);
        struct progress *p =
            progress_begin(s.out, style(PROGRESS_BAR, width, width % 2, false), 165, 0, 1000);
        progress_trial_start(p, "libevent-again", "hello", 100, 3, 1);
        progress_trial_end(p, &r);
        const char *drawn = last_drawn(&s);
        size_t columns = text_columns(drawn);
        if (columns >= (size_t)width && columns > 0) {
            fail_msg("%zu columns of %d: '%s'", columns, width, drawn);
        }
        assert_null(strchr(drawn, '\n'));
        if (width > 10) {
            assert_non_null(strstr(drawn, "1/165"));
        }
        if (width > 63) {
            assert_non_null(strstr(drawn, "libevent-again hello c=100 round 4 again"));
        }
        if (width > 140) {
            assert_non_null(strstr(drawn, "123k req/s"));
        }
        progress_end(p);
        screen_close(&s);
    }
}

static void bar_is_ascii_where_the_locale_is(void **state) {
    struct screen s;
    struct trial_record r = record_of("libuv", 98123.4);
    (void)state;
    screen_open(&s);
    struct progress *p = progress_begin(s.out, style(PROGRESS_BAR, 120, false, true), 2, 0, 1000);
    progress_trial_start(p, "libuv", "hello", 100, 3, 0);
    progress_trial_end(p, &r);
    fflush(s.out);
    for (const char *c = s.text; *c; c++) {
        assert_true((unsigned char)*c < 0x80);
    }
    assert_non_null(strstr(last_drawn(&s), "\033[32m########........\033[0m"));
    assert_non_null(strstr(last_drawn(&s), "7.12 us/req p99 1534 us"));
    progress_end(p);
    screen_close(&s);
}

static void lines_are_one_a_trial(void **state) {
    struct screen s;
    struct trial_record r = record_of("libuv", 98123.4);
    (void)state;
    screen_open(&s);
    struct progress *p = progress_begin(s.out, style(PROGRESS_LINES, 0, false, false), 2, 0, 1000);
    progress_trial_start(p, "libuv", "hello", 100, 3, 0);
    progress_tick(p);
    progress_trial_end(p, &r);
    progress_more(p, 3);
    r.raw.p99_us = 25000;
    r.server.cpu_us_per_request = UNKNOWN_REAL;
    r.rate = 9.5;
    r.attempt = 1;
    progress_trial_start(p, "libuv", "hello", 100, 3, 1);
    progress_trial_end(p, &r);
    progress_end(p);
    fflush(s.out);
    assert_string_equal(s.text,
                        "1/2  libuv hello c=100 round 4: 98123 req/s 7.12 us/req p99 1534 us\n"
                        "2/5  libuv hello c=100 round 4 again: 9.50 req/s ? us/req p99 25.0 ms\n");
    screen_close(&s);
}

static void failures_and_notes_stand_above_the_bar(void **state) {
    struct screen s;
    struct trial_record r = record_of("h2o", UNKNOWN_REAL);
    (void)state;
    r.status = TRIAL_FAILED;
    r.failure = FAIL_CRASHED;
    snprintf(r.reason, sizeof r.reason, "was ended by signal 11\n\033[2Jforged");
    screen_open(&s);
    struct progress *p = progress_begin(s.out, style(PROGRESS_BAR, 100, false, false), 4, 0, 1000);
    progress_trial_start(p, "h2o", "hello", 100, 3, 0);
    progress_trial_end(p, &r);
    progress_note(p, "note %d", 5);
    fflush(s.out);
    assert_non_null(strstr(s.text, CLEAR "h2o hello c=100 round 4: failed (crashed): was ended by "
                                         "signal 11??[2Jforged\n" CLEAR));
    assert_non_null(strstr(s.text, CLEAR "note 5\n" CLEAR));
    assert_non_null(strstr(last_drawn(&s), "1/4  h2o hello c=100 round 4  last: failed"));
    progress_end(p);
    screen_close(&s);
}

static void quiet_tells_failures_only(void **state) {
    struct screen s;
    struct trial_record r = record_of("h2o", 5);
    (void)state;
    screen_open(&s);
    struct progress *p = progress_begin(s.out, style(PROGRESS_QUIET, 0, true, true), 4, 0, 1000);
    progress_trial_start(p, "h2o", "hello", 100, 3, 0);
    progress_tick(p);
    progress_trial_end(p, &r);
    fflush(s.out);
    assert_string_equal(s.text, "");
    r.status = TRIAL_FAILED;
    r.failure = FAIL_HUNG;
    snprintf(r.reason, sizeof r.reason, "no reply");
    progress_trial_end(p, &r);
    fflush(s.out);
    assert_string_equal(s.text, "h2o hello c=100 round 4: failed (hung): no reply\n");
    progress_end(p);
    progress_end(NULL);
    screen_close(&s);
}

static void style_follows_the_surroundings(void **state) {
    FILE *f = tmpfile();
    (void)state;
    assert_non_null(f);
    assert_int_equal(setenv("LC_ALL", "C", 1), 0);
    struct progress_style s = progress_style_for(f, false);
    assert_int_equal(s.mode, PROGRESS_LINES);
    assert_false(s.utf8);
    assert_false(s.color);
    assert_int_equal(progress_style_for(f, true).mode, PROGRESS_QUIET);
    /* C.UTF-8 is part of every Debian since 8. */
    assert_int_equal(setenv("LC_ALL", "C.UTF-8", 1), 0);
    assert_true(progress_style_for(f, false).utf8);
    fclose(f);
}

static void durations_read_well(void **state) {
    static const struct {
        int64_t ns;
        const char *text;
    } rows[] = {{0, "0 ms"},
                {850400000, "850 ms"},
                {999600000, "1 s"},
                {42499000000, "42 s"},
                {59900000000, "1 min 0 s"},
                {291000000000, "4 min 51 s"},
                {8640000000000, "2 h 24 min"},
                {3599700000000, "1 h 0 min"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[48];
        ending_duration_text(rows[i].ns, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

static void ending_says_what_to_do_next(void **state) {
    struct screen s;
    struct run_ending done = {165, 165, 0, 0, 291000000000, false, "results/x", NULL};
    struct run_ending cut = {165, 20, 2, 5, 30000000000, true, "out/a 'run'", NULL};
    struct run_ending inside = {165, 20, 0, 0, 30000000000, true, "./results/x", "do report"};
    (void)state;
    screen_open(&s);
    ending_print(s.out, &done);
    fflush(s.out);
    assert_non_null(strstr(s.text, "165 of 165 trials in 4 min 51 s, none failed\n"));
    assert_non_null(strstr(s.text, "results/x"));
    screen_close(&s);
    screen_open(&s);
    ending_print(s.out, &cut);
    fflush(s.out);
    assert_non_null(
        strstr(s.text, "interrupted: 20 of 165 trials in 30 s, 2 failed, 5 blocks run again\n"));
    assert_non_null(strstr(s.text, "loopbench run --resume 'out/a '\\''run'\\'''\n"));
    screen_close(&s);
    screen_open(&s);
    ending_print(s.out, &inside);
    fflush(s.out);
    assert_non_null(strstr(s.text, "in ./results/x\nreport and plots: do report x\n"));
    assert_null(strstr(s.text, "--resume"));
    screen_close(&s);
}

static void ending_calls_a_folder_as_the_caller_does(void **state) {
    static const struct {
        const char *pair, *folder, *shown;
    } rows[] = {
        {NULL, "/results/x", "/results/x"},        {"/results=./r", "/results/x", "./r/x"},
        {"/results=./r", "/results", "./r"},       {"/results=./r", "/results2/x", "/results2/x"},
        {"/results=/a=b", "/results/x", "/a=b/x"}, {"=./r", "/results/x", "/results/x"},
        {"/results", "/results/x", "/results/x"},
    };
    char shown[64];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].pair) {
            setenv("LOOPBENCH_RESULTS_SHOWN", rows[i].pair, 1);
        }
        caller_shown(rows[i].folder, shown, sizeof shown);
        assert_string_equal(shown, rows[i].shown);
    }
    unsetenv("LOOPBENCH_RESULTS_SHOWN");
}

static void plan_is_printed(void **state) {
    static const char ini[] = "seed = 20260131\nrounds = 2\nworkloads = hello,json\n"
                              "connections = 8\nthreads = 2\n";
    struct screen s;
    struct config c;
    struct plan p;
    struct err e;
    (void)state;
    assert_int_equal(config_load_text(&c, ini, strlen(ini), "x", NULL, USE_RUN, &e), 0);
    assert_int_equal(plan_make(&p, &c, &e), 0);
    screen_open(&s);
    plan_print(s.out, &p, &c, "0", "");
    fflush(s.out);
    static const char *const lines[] = {
        "18 trials in 4 blocks, 2 rounds, about 32 s\n",
        "  profile      quick\n",
        "  targets      libevent, libuv, h2o, libevent-again (A/A control), null (ceiling)\n",
        "  workloads    hello, json\n",
        "  connections  8\n",
        "  trial        a fresh process, 500ms warm-up, 1s measured\n",
        "  server       pinned to CPU 0, 1 worker\n",
        "  generator    not pinned, 2 threads\n",
        "  verify       replies are checked first\n",
        "  seed         20260131\n",
        "\nThe first round, in this order:\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (!strstr(s.text, lines[i])) {
            fail_msg("no '%s' in\n%s", lines[i], s.text);
        }
    }
    for (size_t i = 0; i < 9; i++) { /* the first round's trials, in their order */
        char block[160];
        const struct plan_block *b = &p.block[p.trial[i].block];
        int n = snprintf(block, sizeof block, "  %-10s %5d  ", b->workload, b->connections);
        for (size_t t = 0; t < b->count; t++) {
            n += snprintf(block + n, sizeof block - (size_t)n, " %s",
                          p.target[p.trial[b->first + t].target].name);
        }
        assert_non_null(strstr(s.text, block));
    }
    screen_close(&s);
    plan_release(&p);
    config_release(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar_shows_cell_figures_and_time),
        cmocka_unit_test(bar_fits_every_width),
        cmocka_unit_test(bar_is_ascii_where_the_locale_is),
        cmocka_unit_test(lines_are_one_a_trial),
        cmocka_unit_test(failures_and_notes_stand_above_the_bar),
        cmocka_unit_test(quiet_tells_failures_only),
        cmocka_unit_test(style_follows_the_surroundings),
        cmocka_unit_test(durations_read_well),
        cmocka_unit_test(ending_says_what_to_do_next),
        cmocka_unit_test(ending_calls_a_folder_as_the_caller_does),
        cmocka_unit_test(plan_is_printed),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("ui progress", tests, NULL, NULL);
}
