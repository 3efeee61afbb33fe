/* report/compare*: limits, likeness of runs, two runs held against each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "golden/golden.h"
#include "report/compare.h"
#include "report/compare_parts.h"
#include "synthetic.h"

/* ---- limits */

static void limits_are_read(void **state) {
    (void)state;
    struct gate g;
    struct err e = {0};
    assert_int_equal(gate_parse(&g, "cpu>5%, p99 > 12.5 %,throughput>0%", &e), 0);
    assert_int_equal(g.count, 3);
    assert_int_equal(g.limit[0].about, ABOUT_CPU);
    assert_true(g.limit[0].percent == 5 && g.limit[1].percent == 12.5);
    assert_string_equal(g.limit[1].text, "p99>12.5%");
    assert_int_equal(g.limit[2].about, ABOUT_RATE);
}

static void bad_limits_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "no metric is called ''"},
        {"cpu", "write cpu>5%"},
        {"cpu<5%", "write cpu>5%"},
        {"cpu>=5%", "not a percentage"},
        {"cpu>5", "not a percentage"},
        {"cpu>-5%", "not a percentage"},
        {"cpu>%", "not a percentage"},
        {"cpu>5.%", "not a percentage"},
        {"cpu>.5%", "not a percentage"},
        {"cpu>1e1%", "not a percentage"},
        {"cpu>12345678%", "not a percentage"},
        {"cpu>1001%", "at most 1000%"},
        {"throughput>100%", "cannot fall by 100%"},
        {"cpu>5%,", "no metric is called ''"},
        {"cpu>5%,cpu>6%", "two limits"},
        {"cpu>5%p99>1%", "separate limits by commas"},
        {"cpus>5%", "no metric is called 'cpus'"},
        {"CPU>5%", "no metric is called 'CPU'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gate g;
        struct err e = {0};
        assert_int_equal(gate_parse(&g, bad[i].text, &e), -1);
        assert_int_equal(e.class, ERR_USAGE);
        if (!strstr(e.text, bad[i].says)) {
            fail_msg("'%s': %s", bad[i].text, e.text);
        }
    }
}

static enum gate_state judged(enum verdict_about about, double percent, double lo, double hi,
                              enum verdict_kind kind) {
    const struct gate_limit limit = {.about = about, .percent = percent};
    const struct unpaired u = {
        .change = {.kind = kind, .log_lo = log1p(lo / 100), .log_hi = log1p(hi / 100)}};
    return gate_judge(&limit, &u);
}

static void a_limit_is_crossed_kept_or_not_decided(void **state) {
    (void)state;
    const enum verdict_kind h = VERDICT_HIGHER;
    assert_int_equal(judged(ABOUT_CPU, 5, 5.1, 9, h), GATE_CROSSED);
    assert_int_equal(judged(ABOUT_CPU, 5, 4.9, 9, h), GATE_UNDECIDED);
    assert_int_equal(judged(ABOUT_CPU, 5, 1, 4.9, h), GATE_KEPT);
    assert_int_equal(judged(ABOUT_CPU, 5, -20, -10, VERDICT_LOWER), GATE_KEPT);
    /* Throughput is worse when it falls. */
    assert_int_equal(judged(ABOUT_RATE, 5, 10, 20, h), GATE_KEPT);
    assert_int_equal(judged(ABOUT_RATE, 5, -9, -5.1, VERDICT_LOWER), GATE_CROSSED);
    assert_int_equal(judged(ABOUT_RATE, 5, -9, -4.9, VERDICT_LOWER), GATE_UNDECIDED);
    assert_int_equal(judged(ABOUT_RATE, 5, -4.9, 0, VERDICT_NO_DIFFERENCE), GATE_KEPT);
    /* Never a pass by silence. */
    assert_int_equal(judged(ABOUT_CPU, 5, 0, 1, VERDICT_INSUFFICIENT), GATE_UNDECIDED);
    assert_int_equal(judged(ABOUT_RATE, 5, 0, 1, VERDICT_CLIENT_LIMITED), GATE_UNDECIDED);
}

/* ---- likeness */

static const char *wrk_default(const char *name) {
    return strcmp(name, "think-time") == 0 ? "0" : NULL;
}

static struct alike alike_of(const char *first, const char *second) {
    struct alike a;
    json_t *x = json_loads(first, 0, NULL);
    json_t *y = json_loads(second, 0, NULL);
    assert_true(x && y);
    alike_judge(&a, x, y, wrk_default);
    json_decref(x);
    json_decref(y);
    return a;
}

static void options_decide_likeness(void **state) {
    (void)state;
    struct alike a = alike_of("{\"options\":{\"duration\":\"1s\",\"seed\":\"1\"}}",
                              "{\"options\":{\"duration\":\"1s\",\"seed\":\"2\"}}");
    assert_string_equal(a.unlike, "");
    a = alike_of("{\"options\":{\"duration\":\"1s\"}}", "{\"options\":{\"duration\":\"2s\"}}");
    assert_string_equal(a.unlike, "--duration: 1s, and 2s");
    /* An option from after the first run: its default is what that run had. */
    a = alike_of("{\"options\":{}}", "{\"options\":{\"think-time\":\"0\"}}");
    assert_string_equal(a.unlike, "");
    a = alike_of("{\"options\":{\"think-time\":\"5ms\"}}", "{\"options\":{}}");
    assert_string_equal(a.unlike, "--think-time: 5ms, and 0");
    /* One that this version does not know matters until somebody says otherwise. */
    a = alike_of("{\"options\":{}}", "{\"options\":{\"mode\":\"rate\"}}");
    assert_string_equal(a.unlike, "--mode: unset, and rate");
    a = alike_of("{\"options\":{\"db\":\"postgresql://u:secret@h/d\"}}", "{\"options\":{}}");
    assert_string_equal(a.unlike, "--db: a URL of PostgreSQL, and unset");
    a = alike_of("{\"options\":{\"db\":\"postgresql://h/d\"}}",
                 "{\"options\":{\"db\":\"postgresql://u:secret@h/d\"}}");
    assert_string_equal(a.unlike, "--db: a URL of PostgreSQL, and another: a URL of PostgreSQL");
    /* Files are emptied at start. */
    a = alike_of("{\"options\":{\"db\":\"sqlite:/a\"}}", "{\"options\":{\"db\":\"sqlite:/b\"}}");
    assert_string_equal(a.unlike, "");
    a = alike_of("{\"plan\":{\"window_us\":1000000}}", "{\"plan\":{\"window_us\":null}}");
    assert_string_equal(a.unlike, "--requests: the second run counts requests, the first is timed");
}

static void machine_and_the_rest(void **state) {
    (void)state;
    struct alike a =
        alike_of("{\"machine\":{\"cpu\":{\"model\":\"x\"}},\"cpus\":{\"server\":\"0\"}}",
                 "{\"machine\":{\"cpu\":{\"model\":\"y\"}},\"cpus\":{\"server\":\"1\"}}");
    assert_string_equal(a.machine, "processor: x, and y");
    assert_string_equal(a.unlike, "");
    a = alike_of("{\"cpus\":{\"server\":\"0\"}}", "{\"cpus\":{\"server\":\"1\"}}");
    assert_string_equal(a.unlike, "the servers' CPUs: 0, and 1");
    a = alike_of("{\"machine\":{\"memory\":{\"total\":1000000000}}}",
                 "{\"machine\":{\"memory\":{\"total\":1001000000}}}");
    assert_string_equal(a.machine, "");
    a = alike_of("{\"plan\":{\"connections\":[1]}}", "{\"plan\":{\"connections\":[1,2]}}");
    assert_string_equal(a.unlike, "connections: [1], and [1,2]");
    a = alike_of("{\"targets\":[{\"name\":\"a\",\"versions\":{\"libuv\":\"1\"}}]}",
                 "{\"targets\":[{\"name\":\"a\",\"versions\":{\"libuv\":\"2\"}}]}");
    assert_int_equal(a.notes, 1);
    assert_string_equal(a.note[0], "a, libuv: 1, and 2");
}

static bool anchor_is_same(const char *first, const char *second) {
    json_t *x = json_pack("{s:[{s:s, s:o}]}", "targets", "name", "null", "command",
                          json_loads(first, 0, NULL));
    json_t *y = json_pack("{s:[{s:s, s:o}]}", "targets", "name", "null", "command",
                          json_loads(second, 0, NULL));
    assert_true(x && y);
    const bool same = alike_target(x, y, "null");
    assert_false(alike_target(x, y, "zebra"));
    json_decref(x);
    json_decref(y);
    return same;
}

static void a_program_is_the_same_in_another_folder(void **state) {
    (void)state;
    assert_true(anchor_is_same("[\"/a/server-null\",\"-x\"]", "[\"/b/c/server-null\",\"-x\"]"));
    assert_false(anchor_is_same("[\"/a/server-null\",\"-x\"]", "[\"/a/server-null\",\"-y\"]"));
    assert_false(anchor_is_same("[\"/a/server-null\"]", "[\"/a/server-null\",\"-y\"]"));
    assert_false(anchor_is_same("[\"/a/server-null\"]", "[\"/a/server-full\"]"));
    assert_true(anchor_is_same("[]", "[]"));
}

static void hostile_manifests_are_survived(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{}", "[]", "{\"options\":7,\"targets\":{},\"machine\":[1],\"plan\":\"x\"}",
        "{\"options\":{\"a\":{\"b\":[]}},\"targets\":[1,{\"name\":3},{\"name\":\"x\"}]}",
        "{\"machine\":{\"memory\":{\"total\":\"much\"},\"cpu\":7}}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            const struct alike a = alike_of(texts[i], texts[k]);
            assert_true(i != k || (!a.unlike[0] && !a.machine[0] && a.notes == 0));
        }
    }
}

/* ---- two runs */

struct both {
    struct synthetic run[2];
    struct verdicts verdicts[2];
    struct findings findings[2];
    struct compare_side side[2];
};

static const int levels[] = {10, 100};

static void both_make(struct both *b, double slow, double heavier) {
    for (size_t i = 0; i < 2; i++) {
        struct synthetic *s = &b->run[i];
        const double k = i ? slow : 1;
        const double own = i ? heavier : 1;
        *s = (struct synthetic){.target = {{.name = "a",
                                            .cpu = 7 * k,
                                            .rate = 50000 / k,
                                            .p50 = 500 * k,
                                            .p99 = 2000 * k,
                                            .rss = 4e6},
                                           {.name = "b",
                                            .cpu = 8 * k * own,
                                            .rate = 45000 / k / own,
                                            .p50 = 550 * k * own,
                                            .p99 = 2100 * k * own,
                                            .rss = 5e6 * own},
                                           {.name = "null",
                                            .role = ROLE_NULL,
                                            .cpu = 5 * k,
                                            .rate = 90000 / k,
                                            .p50 = 300 * k,
                                            .p99 = 900 * k,
                                            .rss = 1e6}},
                                .rounds = 11,
                                .levels = levels,
                                .level_count = 2,
                                .noise = 0.005,
                                .samples = 100000};
        synthetic_make(s);
    }
}

static void both_read(struct both *b) {
    static const char *const labels[] = {"A", "B"};
    const struct verdicts_options as_begun = {0};
    struct err e = {0};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(cells_build(&b->run[i].cells, &b->run[i].store, &e), 0);
        assert_int_equal(verdicts_build(&b->verdicts[i], &b->run[i].cells, &as_begun, &e), 0);
        assert_int_equal(findings_make(&b->findings[i], &b->verdicts[i], &e), 0);
        b->side[i] =
            (struct compare_side){labels[i], &b->run[i].cells, &b->verdicts[i], &b->findings[i]};
    }
}

static void both_release(struct both *b) {
    for (size_t i = 0; i < 2; i++) {
        findings_release(&b->findings[i]);
        verdicts_release(&b->verdicts[i]);
        synthetic_release(&b->run[i]);
    }
}

static const struct compare_row *row_of(const struct compare *c, const char *target, int level,
                                        enum verdict_about about) {
    for (size_t i = 0; i < c->count; i++) {
        const struct compare_row *r = &c->row[i];
        if (r->about == about && r->base->connections == level &&
            strcmp(c->side[0].cells->targets[r->base->target].name, target) == 0) {
            return r;
        }
    }
    fail_msg("no row of %s", target);
    return NULL;
}

static void an_anchor_cancels_what_the_machine_did(void **state) {
    (void)state;
    struct both b;
    struct compare c;
    struct err e = {0};
    const struct compare_options o = {0};
    both_make(&b, 1.2, 1.1);
    both_read(&b);
    assert_int_equal(compare_make(&c, &b.side[0], &b.side[1], &o, &e), 0);
    assert_string_equal(c.anchor, "null");
    assert_int_equal(c.count, 2 * 2 * ABOUT_COUNT);
    assert_true(c.rule.alpha == verdict_alpha(c.count));
    const struct compare_row *same = row_of(&c, "a", 10, ABOUT_CPU);
    assert_true(same->anchored);
    assert_int_equal(same->u.change.kind, VERDICT_EQUIVALENT);
    assert_within(same->measured, 1.2, 0.02);
    const struct compare_row *more = row_of(&c, "b", 100, ABOUT_CPU);
    assert_int_equal(more->u.change.kind, VERDICT_HIGHER);
    assert_within(more->u.change.ratio, 1.1, 0.01);
    /* Memory is not held against the null server's. */
    const struct compare_row *memory = row_of(&c, "b", 10, ABOUT_MEMORY);
    assert_true(!memory->anchored);
    assert_within(memory->u.change.ratio, 1.1, 0.01);
    compare_release(&c);
    both_release(&b);
}

static void without_an_anchor_the_machine_shows(void **state) {
    (void)state;
    struct both b;
    struct compare c;
    struct err e = {0};
    char text[COMPARE_SENTENCE_MAX];
    const struct compare_options none = {.anchor = "none", .about = {[ABOUT_CPU] = true}};
    const struct compare_options a = {.anchor = "a"};
    const struct compare_options strange = {.anchor = "zebra"};
    both_make(&b, 1.2, 1.0);
    both_read(&b);
    assert_int_equal(compare_make(&c, &b.side[0], &b.side[1], &none, &e), 0);
    assert_int_equal(c.count, 4);
    assert_int_equal(row_of(&c, "a", 10, ABOUT_CPU)->u.change.kind, VERDICT_HIGHER);
    compare_method_text(&c, text, sizeof text);
    assert_non_null(strstr(text, "would look like a change of the targets"));
    compare_release(&c);
    /* A target as the anchor is not compared itself. */
    assert_int_equal(compare_make(&c, &b.side[0], &b.side[1], &a, &e), 0);
    assert_int_equal(c.count, 2 * ABOUT_COUNT);
    assert_int_equal(row_of(&c, "b", 10, ABOUT_CPU)->u.change.kind, VERDICT_EQUIVALENT);
    compare_release(&c);
    assert_int_equal(compare_make(&c, &b.side[0], &b.side[1], &strange, &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    both_release(&b);
}

static void invalid_and_failed_trials_do_not_count(void **state) {
    (void)state;
    struct both b;
    struct compare c;
    struct err e = {0};
    const struct compare_options o = {.about = {[ABOUT_CPU] = true}};
    struct gate gate;
    assert_int_equal(gate_parse(&gate, "cpu>50%", &e), 0);
    struct compare_options gated = o;
    gated.gate = &gate;
    both_make(&b, 1, 1);
    for (int round = 0; round < 6; round++) {
        struct trial_record *r = synthetic_at(&b.run[1], "b", round, 10);
        if (round % 2) {
            r->status = TRIAL_FAILED;
        } else {
            snprintf(r->flags, sizeof r->flags, "steal-invalid");
        }
    }
    both_read(&b);
    assert_int_equal(compare_make(&c, &b.side[0], &b.side[1], &gated, &e), 0);
    const struct compare_row *r = row_of(&c, "b", 10, ABOUT_CPU);
    assert_int_equal(r->u.change.kind, VERDICT_INSUFFICIENT);
    assert_true(r->u.valid[0] == 11 && r->u.valid[1] == 5);
    assert_true(c.crossed == 0 && c.undecided == 1);
    assert_true(c.limit[0].undecided == 1 && c.limit[0].worst == r);
    compare_release(&c);
    both_release(&b);
}

static void client_limited_throughput_has_no_verdict(void **state) {
    (void)state;
    struct both b;
    struct compare c;
    struct err e = {0};
    const struct compare_options o = {0};
    both_make(&b, 1, 1);
    for (size_t i = 0; i < b.run[0].store.count; i++) {
        if (b.run[0].store.records[i].role == ROLE_TARGET) {
            b.run[0].store.records[i].rate = 89000;
        }
    }
    both_read(&b);
    assert_int_equal(compare_make(&c, &b.side[0], &b.side[1], &o, &e), 0);
    assert_int_equal(row_of(&c, "b", 10, ABOUT_RATE)->u.change.kind, VERDICT_CLIENT_LIMITED);
    assert_int_equal(row_of(&c, "b", 10, ABOUT_CPU)->u.change.kind, VERDICT_EQUIVALENT);
    compare_release(&c);
    both_release(&b);
}

static void two_machines_are_judged_by_direction(void **state) {
    (void)state;
    struct both b;
    struct compare c;
    struct err e = {0};
    struct gate gate;
    assert_int_equal(gate_parse(&gate, "cpu>50%", &e), 0);
    const struct compare_options o = {.gate = &gate};
    both_make(&b, 3, 1);
    json_object_set_new(b.run[0].store.manifest, "machine",
                        json_pack("{s:{s:s}}", "cpu", "model", "x"));
    json_object_set_new(b.run[1].store.manifest, "machine",
                        json_pack("{s:{s:s}}", "cpu", "model", "y"));
    both_read(&b);
    assert_int_equal(compare_make(&c, &b.side[0], &b.side[1], &o, &e), 0);
    assert_int_equal(c.count, 0);
    assert_int_equal(c.ratios.count, 2 * ABOUT_COUNT);
    assert_true(c.ratios.by_direction && c.ratios.holds);
    assert_int_equal(c.ratios.overall, REPRODUCE_CONFIRMED);
    assert_true(c.undecided == 1);
    compare_release(&c);
    both_release(&b);
}

static void ratios_of_two_runs(void **state) {
    (void)state;
    struct both b;
    struct ratios r;
    struct err e = {0};
    char text[256];
    both_make(&b, 1.5, 1);
    both_read(&b);
    /* A slower machine, the same ratios. */
    assert_int_equal(ratios_make(&r, &b.verdicts[0], &b.verdicts[1], false, NULL, &e), 0);
    assert_int_equal(r.count, 2 * ABOUT_COUNT);
    assert_int_equal(r.overall, REPRODUCE_SAME);
    assert_true(r.holds);
    ratios_text(&r, text, sizeof text);
    assert_string_equal(text, "reproduced: 10 of 10 ratios reproduced");
    ratios_release(&r);
    both_release(&b);

    both_make(&b, 1, 1.4);
    both_read(&b);
    assert_int_equal(ratios_make(&r, &b.verdicts[0], &b.verdicts[1], false, NULL, &e), 0);
    assert_int_equal(r.overall, REPRODUCE_CHANGED);
    assert_false(r.holds);
    ratios_release(&r);
    both_release(&b);

    both_make(&b, 1, 0.7);
    both_read(&b);
    assert_int_equal(ratios_make(&r, &b.verdicts[0], &b.verdicts[1], false, NULL, &e), 0);
    assert_int_equal(r.overall, REPRODUCE_REVERSED);
    ratios_release(&r);
    assert_int_equal(ratios_make(&r, &b.verdicts[0], &b.verdicts[1], true, NULL, &e), 0);
    assert_int_equal(r.overall, REPRODUCE_CONTRADICTED);
    assert_false(r.holds);
    ratios_release(&r);
    both_release(&b);
}

static void nothing_in_common_is_said(void **state) {
    (void)state;
    struct both b;
    struct compare c;
    struct err e = {0};
    const struct compare_options o = {0};
    both_make(&b, 1, 1);
    for (size_t i = 0; i < b.run[1].store.count; i++) {
        struct trial_record *r = &b.run[1].store.records[i];
        if (r->role == ROLE_TARGET) {
            r->target[0] = (char)(r->target[0] + 10);
            r->base[0] = r->target[0];
        }
    }
    json_object_del(b.run[1].store.manifest, "targets");
    both_read(&b);
    assert_int_equal(compare_make(&c, &b.side[0], &b.side[1], &o, &e), -1);
    assert_non_null(strstr(e.text, "no target to compare in common"));
    both_release(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_read),
        cmocka_unit_test(bad_limits_are_refused),
        cmocka_unit_test(a_limit_is_crossed_kept_or_not_decided),
        cmocka_unit_test(options_decide_likeness),
        cmocka_unit_test(machine_and_the_rest),
        cmocka_unit_test(a_program_is_the_same_in_another_folder),
        cmocka_unit_test(hostile_manifests_are_survived),
        cmocka_unit_test(an_anchor_cancels_what_the_machine_did),
        cmocka_unit_test(without_an_anchor_the_machine_shows),
        cmocka_unit_test(invalid_and_failed_trials_do_not_count),
        cmocka_unit_test(client_limited_throughput_has_no_verdict),
        cmocka_unit_test(two_machines_are_judged_by_direction),
        cmocka_unit_test(ratios_of_two_runs),
        cmocka_unit_test(nothing_in_common_is_said),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
