/* config/replay_read, config/replay_part, report/replay_judge: what a replay's file may say, what
 * is made of it, and the rules that decide a claim. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "config/replay_check.h"
#include "config/replay_part.h"
#include "config/replay_read.h"
#include "report/replay_judge.h"

#define HEAD  "[replay]\ntitle = t\nsource = s\nsummary = u\n"
#define PART  "[part p]\ntargets = libuv,h2o\nworkloads = hello\nconnections = 5,50\n"
#define CLAIM "[claim c]\ntitle = t\nfigures = f\nwhy = w\n"
#define RATIO CLAIM "target = libuv\nagainst-target = h2o\nmetric = cpu\nexpect = 1..\n"

static int read_text(struct replay *r, const char *text, struct err *e) {
    *e = (struct err){0};
    return replay_read(r, text, strlen(text), "x/odd.ini", e);
}

static void read_ok(struct replay *r, const char *text) {
    struct err e;
    if (read_text(r, text, &e) != 0) {
        fail_msg("%s", e.text);
    }
}

static void every_error_names_its_line(void **state) {
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "x/odd.ini: [replay] needs a title"},
        {"title = t\n", "x/odd.ini:1: 'title' stands before any section"},
        {"[replay]\ntitle = t\n[replay]\n", "x/odd.ini:3: [replay] is there already"},
        {"[replays]\n", "x/odd.ini:1: unknown section [replays]; there are [replay], [part NAME]"},
        {"[part]\n", "x/odd.ini:1: unknown section [part]"},
        {"[part a/b]\n", "x/odd.ini:1: [part]: "},
        {"[part ..]\n", "x/odd.ini:1: [part ..]: its folder cannot be called so"},
        {"[replay]\ntitel = t\n", "x/odd.ini:2: unknown name 'titel'; did you mean 'title'?"},
        {"[replay]\nyear = soon\n", "x/odd.ini:2: year: "},
        {"[replay]\nyear = 2011\nyear = 2012\n", "x/odd.ini:3: 'year' is set a second time"},
        {HEAD, "x/odd.ini: there is no [part NAME]"},
        {HEAD PART PART, "x/odd.ini:9: part 'p' is there already"},
        {HEAD "[part p]\ntargts = libuv\n", "x/odd.ini:6: unknown name 'targts'; did you mean"},
        {HEAD "[part p]\nwrk = wrk2\n", "x/odd.ini:6: 'wrk' is for this machine to choose"},
        {HEAD "[part p]\ntargets = libuv\n", "x/odd.ini:5: part 'p' does not say its workloads"},
        {HEAD PART "[claim c]\ntitle =\n", "x/odd.ini:10: title: "},
        {HEAD PART "[claim c]\n", "x/odd.ini:9: claim 'c' needs a title, figures and a why"},
        {HEAD PART CLAIM, "x/odd.ini:9: metric is missing"},
        {HEAD PART CLAIM "metric = cpus\n", "x/odd.ini:13: metric: there is no 'cpus'; did you"},
        {HEAD PART CLAIM "metric = cpu\n", "x/odd.ini:9: expect is missing"},
        {HEAD PART CLAIM "expect = 3\n", "x/odd.ini:13: expect: '3' is no range"},
        {HEAD PART CLAIM "expect = 2..1\n", "x/odd.ini:13: expect: '2..1' is no range"},
        {HEAD PART CLAIM "expect = ..\n", "x/odd.ini:13: expect: '..' is no range"},
        {HEAD PART CLAIM "expect = 1..x\n", "x/odd.ini:13: expect: "},
        {HEAD PART CLAIM "metric = cpu\nexpect = 1..\n", "x/odd.ini:9: target is missing"},
        {HEAD PART CLAIM "metric = cpu\nexpect = 1..\ntarget = node\n",
         "x/odd.ini:9: target 'node' is none of those of part 'p'"},
        {HEAD PART CLAIM "metric = cpu\nexpect = 1..\ntarget = libuv\npart = q\n",
         "x/odd.ini:9: there is no part 'q'"},
        {HEAD PART CLAIM "metric = cpu\nexpect = 1..\ntarget = libuv\nat = 7\n",
         "x/odd.ini:9: part 'p' is not measured at 7 connections"},
        {HEAD PART CLAIM "metric = cpu\nexpect = 1..\ntarget = libuv\nagainst-at = 7\nat = 5\n",
         "x/odd.ini:9: part 'p' is not measured at 7 connections"},
        {HEAD PART CLAIM "metric = cpu\nexpect = 1..\ntarget = libuv\nagainst-at = 50\n",
         "x/odd.ini:9: it compares a cell with itself"},
        {HEAD PART CLAIM "metric = cpu\nexpect = 1..\ntarget = libuv\nworkload = json\n",
         "x/odd.ini:9: workload 'json' is none of those"},
        {HEAD PART CLAIM "metric = cpu\nlimit = 2\nexpect = 1..\ntarget = libuv\n",
         "x/odd.ini:9: limit: metric cpu has none"},
        {HEAD PART CLAIM "metric = slow\nexpect = 0.5..\ntarget = libuv\n",
         "x/odd.ini:9: limit is missing; metric slow needs one"},
        {HEAD PART CLAIM "metric = failed\nexpect = 1.5..\ntarget = libuv\n",
         "x/odd.ini:9: expect: a share of trials is never above 1"},
        {HEAD PART CLAIM "metric = failed\nexpect = 0.5..\ntarget = libuv\nagainst-at = 5\n",
         "x/odd.ini:9: metric failed has no ratio"},
        {HEAD PART RATIO RATIO, "x/odd.ini:17: claim 'c' is there already"},
        {HEAD PART RATIO "metric = cpu\n", "x/odd.ini:17: 'metric' is set a second time"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct replay r;
        struct err e;
        if (read_text(&r, rows[i].text, &e) == 0) {
            fail_msg("accepted: %s", rows[i].text);
        }
        assert_int_equal(e.class, ERR_USAGE);
        if (strncmp(e.text, rows[i].says, strlen(rows[i].says)) != 0) {
            fail_msg("row %zu says '%s', not '%s'", i, e.text, rows[i].says);
        }
        assert_null(r.id);
        assert_int_equal(r.parts, 0);
    }
}

static void what_a_claim_leaves_out_is_filled_in(void **state) {
    struct replay r;
    (void)state;
    read_ok(&r, HEAD PART RATIO);
    const struct replay_claim *c = &r.claim[0];
    assert_string_equal(r.id, "odd");
    assert_int_equal(c->check, REPLAY_RATIO);
    assert_int_equal(c->levels, 2);
    assert_int_equal(c->level[1], 50);
    assert_string_equal(c->a.part, "p");
    assert_string_equal(c->b.workload, "hello");
    assert_string_equal(c->b.target, "h2o");
    assert_true(c->lo == 1 && isinf(c->hi) && c->anchor);
    assert_int_equal(replay_comparisons(&r), 2);
    replay_release(&r);
}

static void ranges_are_read_whole(void **state) {
    double lo;
    double hi;
    struct err e;
    (void)state;
    assert_int_equal(replay_range("0.97..1.03", &lo, &hi, &e), 0);
    assert_true(lo == 0.97 && hi == 1.03);
    assert_int_equal(replay_range("..0.5", &lo, &hi, &e), 0);
    assert_true(isinf(lo) && lo < 0 && hi == 0.5);
    assert_int_equal(replay_range("2..2", &lo, &hi, &e), 0);
    assert_int_equal(replay_range("1...2", &lo, &hi, &e), -1);
    assert_int_equal(replay_range("-1..2", &lo, &hi, &e), -1);
    assert_int_equal(replay_range("1..nan", &lo, &hi, &e), -1);
}

static void only_targets_are_left_for_the_configuration(void **state) {
    static const char text[] =
        "[replay]\ntitle = a\n[target x]\ncommand = y {port}\n  z\n[part p]\n"
        "about = [target no]\n[target w]\nurl = http://h:1\n";
    (void)state;
    char *left = replay_targets_text(text, sizeof text - 1);
    assert_non_null(left);
    assert_int_equal(strlen(left), sizeof text - 1);
    assert_null(strstr(left, "replay"));
    assert_null(strstr(left, "about"));
    assert_non_null(strstr(left, "\n[target x]\ncommand = y {port}\n  z\n"));
    assert_non_null(strstr(left, "\n[target w]\nurl = http://h:1\n"));
    free(left);
}

/* ---- parts */

static void load_part(struct replay_part_config *c, const char *text, const struct settings *flags,
                      bool smoke) {
    struct replay_file f = {.text = strdup(text), .name = strdup("odd.ini")};
    struct err e;
    read_ok(&f.replay, text);
    f.targets = replay_targets_text(text, strlen(text));
    if (replay_part_load(c, &f, 0, flags, smoke, &e) != 0) {
        fail_msg("%s", e.text);
    }
    replay_file_release(&f);
}

static void a_part_is_a_run(void **state) {
    static const char text[] = HEAD "[part p]\ntargets = libuv,zebra,h2o\nworkloads = json\n"
                                    "connections = 5,200\nrequests = 10000\nbaseline = zebra\n"
                                    "keepalive = no\n";
    const struct settings none = {0};
    struct replay_part_config c;
    (void)state;
    load_part(&c, text, &none, false);
    assert_int_equal(c.config.targets.n, 2);
    assert_string_equal(c.config.targets.name[1], "h2o");
    assert_null(c.config.baseline);
    assert_int_equal(c.config.rounds, 11);
    assert_int_equal(c.config.requests, 10000);
    assert_false(c.config.keepalive);
    assert_string_equal(c.config.aa_control, "on");
    assert_int_equal(c.lefts, 1);
    assert_string_equal(c.left[0].target, "zebra");
    assert_non_null(strstr(c.left[0].reason, "odd.ini:5: part p: no target is called 'zebra'"));
    replay_part_release(&c);
}

static void a_short_replay_is_one_round_at_the_lowest_level(void **state) {
    static const char text[] = HEAD "[part p]\ntargets = libuv\nworkloads = json\n"
                                    "connections = 500,400\nrequests = 10000\n";
    struct settings flags = {0};
    struct replay_part_config c;
    (void)state;
    assert_int_equal(settings_add(&flags, option_find("profile", USE_RUN), "smoke", "--profile"),
                     0);
    assert_int_equal(settings_add(&flags, option_find("rounds", USE_RUN), "2", "--rounds"), 0);
    load_part(&c, text, &flags, true);
    assert_int_equal(c.config.connections.n, 1);
    assert_int_equal(c.config.connections.value[0], 400);
    assert_int_equal(c.config.requests, 400);
    assert_int_equal(c.config.rounds, 2); /* flags come last */
    assert_int_equal(c.config.warmup_ns, 0);
    assert_string_equal(c.config.aa_control, "off");
    assert_false(c.config.null_server);
    replay_part_release(&c);
    settings_release(&flags);
}

static void an_option_that_is_wrong_names_its_line(void **state) {
    static const char text[] = HEAD "[part p]\ntargets = libuv\nworkloads = json\n"
                                    "connections = 5\nrounds = many\n";
    struct replay_file f = {.text = strdup(text), .name = strdup("odd.ini")};
    const struct settings none = {0};
    struct replay_part_config c;
    struct err e = {0};
    (void)state;
    read_ok(&f.replay, text);
    f.targets = replay_targets_text(text, strlen(text));
    assert_int_equal(replay_part_load(&c, &f, 0, &none, false, &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    assert_int_equal(strncmp(e.text, "odd.ini:9: rounds: ", 19), 0);
    replay_file_release(&f);
}

static void the_replays_that_ship_can_be_read(void **state) {
    static const char *const paths[] = {"replays/r1.ini", "replays/r2.ini", "replays/r3.ini",
                                        "replays/r4.ini"};
    struct settings flags = {0};
    (void)state;
    assert_int_equal(
        settings_add(&flags, option_find("guests", USE_RUN), "servers/guests", "--guests"), 0);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct replay_file f;
        struct err e;
        if (replay_file_read(&f, paths[i], &e) != 0) {
            fail_msg("%s", e.text);
        }
        for (size_t p = 0; p < f.replay.parts; p++) {
            struct replay_part_config c;
            if (replay_part_load(&c, &f, p, &flags, false, &e) != 0) {
                fail_msg("%s", e.text);
            }
            replay_part_release(&c);
            size_t k = 0;
            while (k < f.replay.claims && strcmp(f.replay.claim[k].a.part, f.replay.part[p].name)) {
                k++;
            }
            /* What was measured then is in the table of claims; a page was announced only. */
            if (k == f.replay.claims && strcmp(f.replay.part[p].name, "render") != 0) {
                fail_msg("%s: part %s bears no claim", paths[i], f.replay.part[p].name);
            }
        }
        /* 11 of 11 trials must still be able to show that something happens in most. */
        double lo;
        double hi;
        replay_share_interval(11, 11, verdict_alpha(replay_comparisons(&f.replay)), &lo, &hi);
        assert_true(lo >= 0.5);
        replay_file_release(&f);
    }
    settings_release(&flags);
}

/* ---- rules */

static void an_interval_decides_only_as_a_whole(void **state) {
    (void)state;
    assert_int_equal(replay_decide(1.1, 1.2, 1.03, INFINITY), REPLAY_HOLDS);
    assert_int_equal(replay_decide(1.03, 1.2, 1.03, INFINITY), REPLAY_HOLDS);
    assert_int_equal(replay_decide(1.0, 1.2, 1.03, INFINITY), REPLAY_CANNOT_BE_TOLD);
    assert_int_equal(replay_decide(0.9, 1.0, 1.03, INFINITY), REPLAY_DOES_NOT_HOLD);
    assert_int_equal(replay_decide(0.9, 1.1, 0.97, 1.03), REPLAY_CANNOT_BE_TOLD);
    assert_int_equal(replay_decide(0.98, 1.01, 0.97, 1.03), REPLAY_HOLDS);
    assert_int_equal(replay_decide(1.04, 1.1, -INFINITY, 1.03), REPLAY_DOES_NOT_HOLD);
    assert_int_equal(replay_decide(NAN, NAN, 0.97, 1.03), REPLAY_CANNOT_BE_TOLD);
    assert_int_equal(replay_decide(0.98, NAN, 0.97, 1.03), REPLAY_CANNOT_BE_TOLD);
}

/* Against sums of binomial probabilities, solved by bisection in another language. */
static void shares_have_exact_intervals(void **state) {
    static const struct {
        size_t k, n;
        double alpha, lo, hi;
    } rows[] = {
        {0, 11, 0.05, 0.0, 0.2849141529},
        {11, 11, 0.05, 0.7150858471, 1.0},
        {6, 11, 0.05, 0.2337935977, 0.8325119059},
        {3, 10, 0.01, 0.0370072211, 0.7351139853},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double lo;
        double hi;
        replay_share_interval(rows[i].k, rows[i].n, rows[i].alpha, &lo, &hi);
        assert_true(fabs(lo - rows[i].lo) < 1e-8);
        assert_true(fabs(hi - rows[i].hi) < 1e-8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_names_its_line),
        cmocka_unit_test(what_a_claim_leaves_out_is_filled_in),
        cmocka_unit_test(ranges_are_read_whole),
        cmocka_unit_test(only_targets_are_left_for_the_configuration),
        cmocka_unit_test(a_part_is_a_run),
        cmocka_unit_test(a_short_replay_is_one_round_at_the_lowest_level),
        cmocka_unit_test(an_option_that_is_wrong_names_its_line),
        cmocka_unit_test(the_replays_that_ship_can_be_read),
        cmocka_unit_test(an_interval_decides_only_as_a_whole),
        cmocka_unit_test(shares_have_exact_intervals),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
