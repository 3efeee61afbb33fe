/* What the verdicts say in sentences, and how they stand in each format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "base/file.h"
#include "report/findings.h"
#include "report/formats.h"
#include "report/verdicts_formats.h"
#include "synthetic.h"

/* A run without counts. */
static const struct counts none;
static const struct plots no_plots;

static const int one_level[] = {100};
static const int three_levels[] = {10, 100, 500};

/* Without noise the figures of every sentence are known. */
static struct synthetic usual(void) {
    return (struct synthetic){
        .target =
            {
                {"base", NULL, ROLE_TARGET, 8.0, 60000, 900, 4000, 4e6},
                {"lean", NULL, ROLE_TARGET, 7.2, 66000, 900, 4000, 4e6},
                {"base-again", "base", ROLE_CONTROL, 8.0, 60000, 900, 4000, 4e6},
                {"null", NULL, ROLE_NULL, 5.0, 125000, 400, 900, 1e6},
            },
        .rounds = 11,
        .levels = one_level,
        .level_count = 1,
        .samples = 600000,
    };
}

struct concluded {
    struct synthetic *s;
    struct verdicts v;
    struct findings f;
};

static struct concluded conclude_with(struct synthetic *s, const struct verdicts_options *o) {
    struct concluded c = {.s = s};
    struct err e = {0};
    if (cells_build(&s->cells, &s->store, &e) != 0 || verdicts_build(&c.v, &s->cells, o, &e) != 0 ||
        findings_make(&c.f, &c.v, &e) != 0) {
        fail_msg("%s", e.text);
    }
    return c;
}

static struct concluded conclude(struct synthetic *s) {
    const struct verdicts_options as_begun = {0};
    return conclude_with(s, &as_begun);
}

static void end(struct concluded *c) {
    findings_release(&c->f);
    verdicts_release(&c->v);
    synthetic_release(c->s);
}

static const struct finding *find(const struct concluded *c, const char *part) {
    for (size_t i = 0; i < c->f.count; i++) {
        if (strstr(c->f.finding[i].text, part)) {
            return &c->f.finding[i];
        }
    }
    return NULL;
}

static void assert_says(const struct concluded *c, enum finding_kind kind, const char *part) {
    const struct finding *one = find(c, part);
    if (!one) {
        for (size_t i = 0; i < c->f.count; i++) {
            print_error("said: %s\n", c->f.finding[i].text);
        }
        fail_msg("nothing says '%s'", part);
        return;
    }
    assert_int_equal(one->kind, kind);
}

static void assert_reason(const struct concluded *c, enum findings_validity validity,
                          const char *part) {
    if (c->f.validity != validity || !strstr(c->f.validity_reason, part)) {
        fail_msg("%s: '%s' does not say '%s'", findings_validity_name(c->f.validity),
                 c->f.validity_reason, part);
    }
}

/* No sentence without a number behind it. */
static void assert_numbers(const struct concluded *c) {
    for (size_t i = 0; i < c->f.count; i++) {
        assert_non_null(strpbrk(c->f.finding[i].text, "0123456789"));
    }
}

static void differences_are_said_with_their_interval(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_says(
        &c, FINDING_DIFFERENCE,
        "hello, 100 connections: lean used 10.0% less CPU per request than base [10.0, 10.0].");
    assert_says(&c, FINDING_DIFFERENCE,
                "hello, 100 connections: lean served 10.0% more requests per second than base "
                "[10.0, 10.0].");
    assert_says(&c, FINDING_EQUIVALENT,
                "hello: base and lean were equivalent within 3% in p50 at 100 connections");
    assert_reason(&c, FINDINGS_VALIDATED, "shows no difference in CPU per request over 1 cell");
    /* CPU per request comes first. */
    assert_int_equal(c.f.finding[0].about, ABOUT_CPU);
    assert_int_equal(c.f.finding[0].kind, FINDING_DIFFERENCE);
    assert_numbers(&c);
    end(&c);
}

static void what_a_container_costs_is_said(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[0] = (struct synthetic_target){"uv", NULL, ROLE_TARGET, 8.0, 60000, 900, 4000, 4e6};
    s.target[1] =
        (struct synthetic_target){"uv@bridge", NULL, ROLE_TARGET, 10, 50000, 900, 4000, 4e6};
    s.target[2] =
        (struct synthetic_target){"uv@host-network", NULL, ROLE_TARGET, 8.0, 60000, 900, 4000, 4e6};
    s.levels = three_levels;
    s.level_count = 3;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_COST,
                "What the container costs uv in CPU per request, hello: at 10 connections "
                "equivalent within 3%; at 100 connections equivalent within 3%; at 500 connections "
                "equivalent within 3% (uv@host-network against uv).");
    assert_says(&c, FINDING_COST,
                "What the bridge costs uv in CPU per request, hello: at 10 connections heavier by "
                "25.0% [25.0, 25.0]; at 100");
    assert_says(&c, FINDING_COST,
                "What the bridge costs uv in throughput, hello: at 10 connections slower by 16.7% "
                "[16.7, 16.7]; at 100");
    /* The sum of both is not said beside its parts. */
    assert_null(find(&c, "together"));
    end(&c);

    s = usual();
    s.target[0] =
        (struct synthetic_target){"uv@bridge", NULL, ROLE_TARGET, 10, 50000, 900, 4000, 4e6};
    s.target[1] = (struct synthetic_target){"uv", NULL, ROLE_TARGET, 8.0, 60000, 900, 4000, 4e6};
    s.target[2].base = "uv";
    s.target[2].name = "uv-again";
    synthetic_make(&s);
    c = conclude(&s);
    assert_says(&c, FINDING_COST,
                "What container and bridge together costs uv in CPU per request, hello: at 100 "
                "connections heavier by 25.0% [25.0, 25.0] (uv@bridge against uv).");
    end(&c);
}

static void levels_of_a_pair_are_one_sentence(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.levels = three_levels;
    s.level_count = 3;
    s.target[1].rss = 2e6;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_DIFFERENCE,
                "hello: lean used less CPU per request than base: 10.0% [10.0, 10.0] at 10 "
                "connections, 10.0% [10.0, 10.0] at 100, 10.0% [10.0, 10.0] at 500.");
    assert_says(&c, FINDING_DIFFERENCE,
                "hello: lean used less memory at its peak than base: 50.0%");
    assert_says(&c, FINDING_EQUIVALENT,
                "hello: base and lean were equivalent within 3% in p99 at 10, 100 and 500 "
                "connections (all intervals between ");
    end(&c);
}

static void many_levels_are_a_range(void **state) {
    static const int many[] = {1, 10, 50, 100, 500};
    struct synthetic s = usual();
    (void)state;
    s.levels = many;
    s.level_count = 5;
    synthetic_make(&s);
    for (int round = 0; round < 11; round++) {
        synthetic_at(&s, "lean", round, 50)->server.cpu_us_per_request *= 0.9;
        synthetic_at(&s, "lean", round, 500)->server.cpu_us_per_request *= 1.02;
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_DIFFERENCE,
                "hello: lean used less CPU per request than base at 1, 10, 50, 100 and 500 "
                "connections, by 8.2% [8.2, 8.2] at 500 up to 19.0% [19.0, 19.0] at 50.");
    end(&c);
}

/* The baseline is what the others are held against, better or not. */
static void a_baseline_stays_the_object(void **state) {
    struct synthetic s = usual();
    const struct verdicts_options o = {.baseline = "lean"};
    (void)state;
    synthetic_make(&s);
    struct concluded c = conclude_with(&s, &o);
    assert_says(&c, FINDING_DIFFERENCE, "base used 11.1% more CPU per request than lean");
    assert_says(&c, FINDING_DIFFERENCE, "base served 9.1% fewer requests per second than lean");
    assert_says(&c, FINDING_CAUTION, "The baseline lean was chosen for this report");
    end(&c);
}

static void larger_differences_come_first(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[4] = s.target[3];
    s.target[3] = s.target[2];
    s.target[2] = (struct synthetic_target){"heavy", NULL, ROLE_TARGET, 12, 60000, 900, 4000, 4e6};
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_non_null(strstr(c.f.finding[0].text, "lean used 40.0% less CPU per request than heavy"));
    assert_non_null(strstr(c.f.finding[1].text, "base used 33.3% less CPU per request than heavy"));
    assert_non_null(strstr(c.f.finding[2].text, "lean used 10.0% less CPU per request than base"));
    /* All pairs alike in a figure are one sentence. */
    assert_says(&c, FINDING_EQUIVALENT,
                "hello: all 3 pairs of targets were equivalent within 3% in p99");
    for (size_t i = 1; i < c.f.count; i++) {
        assert_true(c.f.finding[i].about >= c.f.finding[i - 1].about);
    }
    end(&c);
}

static void an_alarm_makes_the_run_not_validated(void **state) {
    struct synthetic s = usual();
    char *text = NULL;
    size_t len = 0;
    (void)state;
    s.target[2].cpu = 8.8;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_reason(&c, FINDINGS_NOT_VALIDATED,
                  "differs from itself in 1 of 1 cells in CPU per request (hello, 100 connections: "
                  "heavier by 10.0% [10.0, 10.0])");
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    findings_print(f, &c.f, true);
    fclose(f);
    assert_memory_equal(text, "not validated: ", 15);
    free(text);
    end(&c);
}

static void a_control_that_differs_in_latency_is_a_caution(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[2].p99 = 5000;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_int_equal(c.f.validity, FINDINGS_VALIDATED);
    assert_says(&c, FINDING_CAUTION,
                "The A/A control differs from itself in p99 (hello, 100 connections: slower by ");
    end(&c);
}

static void without_control_nothing_is_judged(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[2] = (struct synthetic_target){0};
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_reason(&c, FINDINGS_NOT_JUDGED, "no A/A control");
    assert_true(isnan(c.f.resolution));
    assert_says(&c, FINDING_CAUTION, "Without the null server");
    assert_says(&c, FINDING_DIFFERENCE, "lean used 10.0% less CPU per request than base");
    end(&c);
}

static void a_smoke_run_pretends_nothing(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.rounds = 1;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_int_equal(c.f.count, 1);
    assert_says(&c, FINDING_INSUFFICIENT,
                "Nothing is concluded from 1 round: a verdict needs at least 6.");
    assert_reason(&c, FINDINGS_NOT_JUDGED, "at most 1 of 1 where 6 are needed");
    end(&c);
}

static void invalid_blocks_are_the_reason_given(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (size_t i = 0; i < s.store.count; i++) {
        struct trial_record *r = &s.store.records[i];
        if (r->round < 8 && strcmp(r->target, "lean") == 0) {
            snprintf(r->flags, sizeof r->flags, "steal-invalid");
        }
    }
    struct concluded c = conclude(&s);
    assert_int_equal(c.f.validity, FINDINGS_VALIDATED); /* its own trials are sound */
    assert_says(&c, FINDING_INSUFFICIENT,
                "at most 3 of 11 blocks of any comparison count, and 6 are needed; up to 8 were "
                "left out because a trial was invalid");
    assert_says(&c, FINDING_CAUTION, "5 of 5 verdicts depend on leaving out trials");
    end(&c);
}

static void gating_that_matters_is_said_in_the_sentence(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (int round = 0; round < 5; round++) {
        struct trial_record *r = synthetic_at(&s, "lean", round, 100);
        r->server.cpu_us_per_request *= 1.2;
        snprintf(r->flags, sizeof r->flags, "foreign-cpu-invalid");
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_DIFFERENCE,
                "lean used 10.0% less CPU per request than base [10.0, 10.0] (ungated: no "
                "difference).");
    assert_says(&c, FINDING_CAUTION, "1 of 5 verdicts depends on leaving out trials");
    end(&c);
}

static void a_lower_bound_is_no_finding(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[1].rate = 120000;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_null(find(&c, "requests per second"));
    assert_says(
        &c, FINDING_CAUTION,
        "hello: the load generator limited the throughput of lean at 100 connections. Those "
        "figures are lower bounds and bear no verdict; CPU per request does. They are "
        "96.0% of what the null server reached.");
    assert_says(&c, FINDING_EQUIVALENT, "client-limited");
    assert_says(&c, FINDING_CAUTION, "closed loop");
    end(&c);
}

static void a_ceiling_that_was_exceeded_is_none(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[0].rate = 205000;
    s.target[1].rate = 120000;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_null(find(&c, "requests per second"));
    assert_says(&c, FINDING_CAUTION,
                "hello: the null server was not the ceiling in this run, for base at 100 "
                "connections. They reached 164.0% of its throughput");
    assert_says(&c, FINDING_CAUTION, "Nothing can be concluded about throughput there");
    assert_says(&c, FINDING_CAUTION,
                "the load generator limited the throughput of lean at 100 connections. Those");
    end(&c);
    /* A tie at the ceiling is none of that. */
    s = usual();
    s.target[0].rate = 130000;
    synthetic_make(&s);
    c = conclude(&s);
    assert_null(find(&c, "was not the ceiling"));
    assert_says(&c, FINDING_CAUTION, "They are 104.0% of what the null server reached.");
    end(&c);
}

static void requests_that_failed_are_a_caution(void **state) {
    struct synthetic s = usual();
    (void)state;
    synthetic_make(&s);
    for (size_t i = 0; i < s.store.count; i++) {
        struct trial_record *r = &s.store.records[i];
        const bool lean = strcmp(r->target, "lean") == 0;
        r->load.errors_connect = r->load.errors_write = r->load.errors_timeout = 0;
        r->load.errors_read = lean ? s.samples : 0; /* half of all that was tried */
        r->load.errors_status = lean ? 0 : 1;       /* nothing to speak of */
    }
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_CAUTION,
                "hello, 100 connections: failed or answered with an error: 50% of what lean was "
                "asked.");
    assert_null(find(&c, "of what base"));
    end(&c);
}

static void no_difference_is_summarised(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.noise = 0.05;
    s.levels = three_levels;
    s.level_count = 3;
    s.target[1].cpu = 8.0;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_says(&c, FINDING_NO_DIFFERENCE,
                "CPU per request: in 3 of 3 comparisons no difference was shown; one of up to ");
    assert_says(&c, FINDING_NO_DIFFERENCE, "% could hide (base against lean, hello, ");
    end(&c);
}

static void an_unfinished_run_and_a_late_margin_are_cautions(void **state) {
    struct synthetic s = usual();
    const struct verdicts_options o = {.margin = 0.2};
    (void)state;
    synthetic_make(&s);
    s.store.state = STORE_INTERRUPTED;
    struct concluded c = conclude_with(&s, &o);
    assert_says(&c, FINDING_CAUTION, "The run is not complete: 11 blocks were measured");
    assert_says(&c, FINDING_CAUTION,
                "The margin of 20% was chosen for this report; the run was begun with 3%.");
    assert_says(&c, FINDING_EQUIVALENT, "equivalent within 20% in CPU per request");
    end(&c);
}

static const char hostile_a[] = "<script>x</script>|[a](b)\n`c`";
static const char hostile_b[] = "=1+1,\"q\"\x1b[31m";

static struct synthetic hostile(void) {
    struct synthetic s = usual();
    s.target[0].name = hostile_a;
    s.target[1].name = hostile_b;
    s.target[2].base = hostile_a;
    return s;
}

static void names_are_inert_on_a_terminal(void **state) {
    struct synthetic s = hostile();
    char *text = NULL;
    size_t len = 0;
    (void)state;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    for (int utf8 = 0; utf8 < 2; utf8++) {
        FILE *f = open_memstream(&text, &len);
        assert_non_null(f);
        findings_print(f, &c.f, utf8);
        fclose(f);
        assert_null(strchr(text, '\x1b'));
        assert_null(strstr(text, "\n`c`"));
        for (const char *line = text; *line;) {
            const size_t n = strcspn(line, "\n");
            assert_true(n <= 100);
            line += n + 1;
        }
        free(text);
    }
    end(&c);
}

static void at_most_eight_sentences_are_printed(void **state) {
    struct synthetic s = usual();
    char *text = NULL;
    size_t len = 0;
    size_t bullets = 0;
    (void)state;
    s.target[5] = s.target[3];
    s.target[4] = s.target[2];
    s.target[2] = (struct synthetic_target){"c", NULL, ROLE_TARGET, 12, 50000, 700, 3000, 3e6};
    s.target[3] = (struct synthetic_target){"d", NULL, ROLE_TARGET, 16, 40000, 500, 2000, 2e6};
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    findings_print(f, &c.f, true);
    fclose(f);
    for (const char *at = text; (at = strstr(at, "\n- ")); at++) {
        bullets++;
    }
    assert_int_equal(bullets, 8);
    assert_non_null(strstr(text, " more findings in report.md"));
    free(text);
    end(&c);
}

static char *read_back(const char *dir, const char *name) {
    char path[256];
    char *text = NULL;
    size_t len;
    struct err e = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (file_read_all(path, 1 << 22, &text, &len, &e) != 0) {
        fail_msg("%s", e.text);
    }
    unlink(path);
    return text;
}

static void names_are_inert_in_files(void **state) {
    struct synthetic s = hostile();
    struct plots plots = {0};
    struct err e = {0};
    char dir[] = "/tmp/loopbench-findings-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(dir));
    synthetic_make(&s);
    snprintf(s.store.dir, sizeof s.store.dir, "%s", dir);
    snprintf(s.store.records[0].flags, sizeof s.store.records[0].flags, "steal-invalid");
    struct concluded c = conclude(&s);
    assert_int_equal(verdicts_csv_write(&c.v, &e), 0);
    const struct report_parts parts = {&s.cells, &c.v, &c.f, &plots, &none, &no_plots, NULL, NULL};
    assert_int_equal(markdown_write(&parts, &e), 0);
    assert_int_equal(html_write(&parts, &e), 0);
    assert_int_equal(json_write(&s.cells, &c.v, &c.f, &none, &e), 0);

    char *csv = read_back(dir, "verdicts.csv");
    size_t lines = 0;
    for (const char *at = csv; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    assert_int_equal(lines, 1 + c.v.count);
    assert_non_null(strstr(csv, "\"=1+1,\"\"q\"\" [31m\""));
    free(csv);

    char *md = read_back(dir, "report.md");
    assert_null(strstr(md, "<script>"));
    assert_null(strstr(md, "[a](b)"));
    assert_null(strchr(md, '\x1b'));
    assert_non_null(strstr(md, "# loopbench report\n\n**Validated**: "));
    assert_non_null(strstr(md, "| steal-invalid | 1 | "));
    free(md);

    char *html = read_back(dir, "report.html");
    assert_null(strstr(html, "<script"));
    assert_null(strchr(html, '\x1b'));
    assert_non_null(strstr(html, "<strong>Validated</strong>: "));
    free(html);

    char *text = read_back(dir, "report.json");
    json_t *report = json_loads(text, 0, NULL);
    assert_non_null(report);
    const json_t *verdicts = json_object_get(report, "verdicts");
    const json_t *rows = json_object_get(verdicts, "rows");
    assert_int_equal(json_array_size(rows), c.v.count);
    const json_t *first = json_array_get(rows, 0);
    assert_string_equal(json_string_value(json_object_get(first, "a")), hostile_a);
    assert_string_equal(json_string_value(json_object_get(first, "verdict")), "higher");
    assert_true(fabs(json_real_value(json_object_get(first, "ratio")) - 8.0 / 7.2) < 1e-9);
    assert_non_null(json_object_get(json_object_get(first, "ungated"), "ratio"));
    assert_int_equal(json_integer_value(json_object_get(verdicts, "ratios")), 5);
    const json_t *findings = json_object_get(report, "findings");
    assert_int_equal(json_array_size(json_object_get(findings, "findings")), c.f.count);
    json_decref(report);
    free(text);
    end(&c);
    assert_int_equal(rmdir(dir), 0);
}

/* The worst news stands above everything else. */
static void the_report_begins_with_not_validated(void **state) {
    struct synthetic s = usual();
    struct plots plots = {0};
    struct err e = {0};
    char dir[] = "/tmp/loopbench-findings-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(dir));
    s.target[2].cpu = 9;
    synthetic_make(&s);
    s.store.state = STORE_INTERRUPTED;
    snprintf(s.store.dir, sizeof s.store.dir, "%s", dir);
    struct concluded c = conclude(&s);
    const struct report_parts parts = {&s.cells, &c.v, &c.f, &plots, &none, &no_plots, NULL, NULL};
    assert_int_equal(markdown_write(&parts, &e), 0);
    char *md = read_back(dir, "report.md");
    assert_memory_equal(md, "# loopbench report\n\n> **Not validated**: ", 41);
    assert_true(strstr(md, "is not complete") > md);
    free(md);
    end(&c);
    assert_int_equal(rmdir(dir), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_said_with_their_interval),
        cmocka_unit_test(what_a_container_costs_is_said),
        cmocka_unit_test(levels_of_a_pair_are_one_sentence),
        cmocka_unit_test(many_levels_are_a_range),
        cmocka_unit_test(a_baseline_stays_the_object),
        cmocka_unit_test(larger_differences_come_first),
        cmocka_unit_test(an_alarm_makes_the_run_not_validated),
        cmocka_unit_test(a_control_that_differs_in_latency_is_a_caution),
        cmocka_unit_test(without_control_nothing_is_judged),
        cmocka_unit_test(a_smoke_run_pretends_nothing),
        cmocka_unit_test(invalid_blocks_are_the_reason_given),
        cmocka_unit_test(gating_that_matters_is_said_in_the_sentence),
        cmocka_unit_test(a_lower_bound_is_no_finding),
        cmocka_unit_test(a_ceiling_that_was_exceeded_is_none),
        cmocka_unit_test(requests_that_failed_are_a_caution),
        cmocka_unit_test(no_difference_is_summarised),
        cmocka_unit_test(an_unfinished_run_and_a_late_margin_are_cautions),
        cmocka_unit_test(names_are_inert_on_a_terminal),
        cmocka_unit_test(at_most_eight_sentences_are_printed),
        cmocka_unit_test(names_are_inert_in_files),
        cmocka_unit_test(the_report_begins_with_not_validated),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
