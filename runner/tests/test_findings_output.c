/* How findings stand on a terminal and in each file: inert, whatever targets are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "base/file.h"
#include "concluded.h"
#include "report/formats.h"
#include "report/summary.h"
#include "report/verdicts_formats.h"

/* A run without counts. */
static const struct counts none;
static const struct plots no_plots;

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

/* The table on the screen says who set a throughput, where it was not the server. */
static void marks_say_who_set_a_throughput(void **state) {
    static const struct {
        double rate, cpu, busy;
        const char *row, *legend;
    } cases[] = {
        {60000, 8, 0.7, " 6", "memory is the peak.\n"},
        {106000, 8, 0.7, " ~10", "~: near what the load generator can do"},
        {120000, 8, 0.7, " ≥1", "≥: set by the load generator, a lower bound; CPU/req compares."},
        {120000, NAN, 0.7, " ≥1", "a lower bound; nothing compares, CPU/req being n/a."},
        {60000, 8, NAN, " ?6", "?: it is not known whether the load generator set it."},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct synthetic s = usual();
        char *text = NULL;
        size_t len = 0;
        s.target[0].rate = s.target[1].rate = s.target[2].rate = cases[i].rate;
        s.target[0].cpu = s.target[1].cpu = s.target[2].cpu = cases[i].cpu;
        s.target[isnan(cases[i].busy) ? 3 : 4] = (struct synthetic_target){0};
        synthetic_make(&s);
        for (size_t k = 0; k < s.store.count; k++) {
            s.store.records[k].load.thread_busy = cases[i].busy;
        }
        struct concluded c = conclude(&s);
        FILE *f = open_memstream(&text, &len);
        assert_non_null(f);
        summary_print(f, &s.cells, true);
        fclose(f);
        if (!strstr(text, cases[i].row) || !strstr(text, cases[i].legend)) {
            fail_msg("%s\nnot '%s' and '%s'", text, cases[i].row, cases[i].legend);
        }
        assert_int_equal(i > 0, strstr(text, "load generator") != NULL);
        free(text);
        end(&c);
    }
}

/* Whether the run is to be believed stands before its figures, and those before what they say. */
static void the_screen_says_validity_first(void **state) {
    struct synthetic s = usual();
    struct err e = {0};
    char *text = NULL;
    size_t len = 0;
    (void)state;
    s.target[2].cpu = 9;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    assert_int_equal(findings_print_run(f, &s.cells, true, &e), 0);
    fclose(f);
    assert_memory_equal(text, "not validated: ", 15);
    const char *table = strstr(text, "\nhello, 100 connections\n");
    const char *sentence = strstr(text, "\n- hello: ");
    assert_true(table && sentence && table < sentence);
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
    assert_int_equal(json_array_size(json_object_get(verdicts, "control")), ABOUT_COUNT);
    const json_t *findings = json_object_get(report, "findings");
    const json_t *judged = json_object_get(findings, "control_cells");
    assert_int_equal(json_integer_value(json_object_get(judged, "judged")), 1);
    assert_int_equal(json_integer_value(json_object_get(judged, "measured")), 1);
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

static void one_is_singular_and_counts_have_no_unit(void **state) {
    struct synthetic s = usual();
    struct plots plots = {0};
    struct err e = {0};
    char dir[] = "/tmp/loopbench-findings-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(dir));
    synthetic_make(&s);
    snprintf(s.store.records[0].flags, sizeof s.store.records[0].flags,
             "retransmits-warn steal-warn");
    synthetic_repeat(&s, 0, 100);
    snprintf(synthetic_at(&s, "base", 0, 100)->flags, sizeof s.store.records[0].flags,
             "foreign-cpu-invalid");
    snprintf(s.store.dir, sizeof s.store.dir, "%s", dir);
    struct concluded c = conclude(&s);
    const struct report_parts parts = {&s.cells, &c.v, &c.f, &plots, &none, &no_plots, NULL, NULL};
    assert_int_equal(markdown_write(&parts, &e), 0);
    char *md = read_back(dir, "report.md");
    assert_non_null(strstr(md, "TCP segments sent again: above 0 |"));
    assert_non_null(strstr(md, "of all CPUs: above 0.5% |"));
    assert_non_null(strstr(md, "1 block was disturbed and run again; the last attempt counts."));
    assert_non_null(strstr(md, "1 of 11 blocks run again, 1 with an invalid trial left"));
    free(md);
    end(&c);
    assert_int_equal(rmdir(dir), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_inert_on_a_terminal),
        cmocka_unit_test(at_most_eight_sentences_are_printed),
        cmocka_unit_test(marks_say_who_set_a_throughput),
        cmocka_unit_test(the_screen_says_validity_first),
        cmocka_unit_test(names_are_inert_in_files),
        cmocka_unit_test(the_report_begins_with_not_validated),
        cmocka_unit_test(one_is_singular_and_counts_have_no_unit),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("findings/output", tests, NULL, NULL);
}
