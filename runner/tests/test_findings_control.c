/* Whether a run is validated, in which of its cells, and what it resolves there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "concluded.h"

static const int three_levels[] = {10, 100, 500};
static const int many_levels[] = {1, 2, 4, 8, 16, 32, 64, 128};

static struct synthetic at_three_levels(void) {
    struct synthetic s = usual();
    s.levels = three_levels;
    s.level_count = 3;
    return s;
}

/* The first of the control's trials at that level are disturbed. */
static void disturb_control(struct synthetic *s, int rounds, int connections) {
    for (int round = 0; round < rounds; round++) {
        struct trial_record *r = synthetic_at(s, "base-again", round, connections);
        snprintf(r->flags, sizeof r->flags, "foreign-cpu-invalid");
    }
}

static char *printed(const struct findings *f) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    findings_print_validity(out, f, true);
    fclose(out);
    return text;
}

static void an_alarm_makes_the_run_not_validated(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[2].cpu = 8.8;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_reason(&c, FINDINGS_NOT_VALIDATED,
                  "differs from itself in 1 of 1 cell in CPU per request (hello, 100 connections: "
                  "heavier by 10.0% [10.0, 10.0])");
    char *text = printed(&c.f);
    assert_memory_equal(text, "not validated: ", 15);
    free(text);
    end(&c);
}

static void an_alarm_in_any_figure_makes_the_run_not_validated(void **state) {
    static const struct {
        double rate, p50, p99, rss;
        const char *title, *text;
    } cases[] = {
        {66000, 900, 4000, 4e6, "throughput", "faster by 10.0%"},
        {60000, 1080, 4000, 4e6, "p50", "slower by 20.0%"},
        {60000, 900, 5000, 4e6, "p99", "slower by 25.0%"},
        {60000, 900, 4000, 4.8e6, "peak memory", "heavier by 20.0%"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct synthetic s = usual();
        char part[128];
        s.target[2].rate = cases[i].rate;
        s.target[2].p50 = cases[i].p50;
        s.target[2].p99 = cases[i].p99;
        s.target[2].rss = cases[i].rss;
        synthetic_make(&s);
        struct concluded c = conclude(&s);
        snprintf(part, sizeof part,
                 "differs from itself in 1 of 1 cell in %s (hello, 100 "
                 "connections: %s",
                 cases[i].title, cases[i].text);
        assert_reason(&c, FINDINGS_NOT_VALIDATED, part);
        end(&c);
    }
}

/* Of what bears no claim a whisker in all cells together is no alarm; of what does it is a bias. */
static void the_pooled_interval_decides_over_cpu_and_throughput_alone(void **state) {
    struct synthetic s = usual();
    (void)state;
    s.target[2].rss = 4.02e6;
    s.target[2].p99 = 4010;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_int_equal(c.f.validity, FINDINGS_VALIDATED);
    assert_true(c.v.aa[ABOUT_MEMORY].gated.log_lo > 0);
    end(&c);
    s = usual();
    s.target[2].cpu = 8.04;
    synthetic_make(&s);
    c = conclude(&s);
    assert_reason(&c, FINDINGS_NOT_VALIDATED, "which excludes 0");
    end(&c);
}

static void every_cell_that_alarms_is_named_as_far_as_there_is_room(void **state) {
    struct synthetic s = at_three_levels();
    (void)state;
    s.target[2].p50 = 1080;
    s.target[2].rss = 4.8e6;
    synthetic_make(&s);
    struct concluded c = conclude(&s);
    assert_reason(&c, FINDINGS_NOT_VALIDATED, "in 3 of 3 cells in p50 (hello, 10 connections: ");
    assert_reason(&c, FINDINGS_NOT_VALIDATED, "; hello, 100 connections: ");
    assert_reason(&c, FINDINGS_NOT_VALIDATED, " and in 3 of 3 cells in peak memory (hello, 10 ");
    assert_reason(&c, FINDINGS_NOT_VALIDATED, "; hello, 500 connections: ");
    end(&c);
    s.levels = many_levels;
    s.level_count = 8;
    synthetic_make(&s);
    c = conclude(&s);
    assert_reason(&c, FINDINGS_NOT_VALIDATED, "in 8 of 8 cells in p50 (hello, 1 connection: ");
    assert_reason(&c, FINDINGS_NOT_VALIDATED, "; and 2 more cells) and in 8 of 8 cells in peak");
    assert_null(strstr(c.f.validity_reason, "64 connections"));
    end(&c);
}

static void the_header_says_in_how_many_cells_the_control_was_judged(void **state) {
    struct synthetic s = at_three_levels();
    (void)state;
    synthetic_make(&s);
    disturb_control(&s, 8, 10);
    disturb_control(&s, 8, 500);
    struct concluded c = conclude(&s);
    assert_reason(&c, FINDINGS_VALIDATED, "no difference in CPU per request over 1 of 3 cells (");
    assert_reason(&c, FINDINGS_VALIDATED, "in throughput over 1 of 3 cells (");
    assert_int_equal(c.f.cells_judged, 1);
    assert_int_equal(c.f.cells_measured, 3);
    char *text = printed(&c.f);
    assert_memory_equal(text, "validated in 1 of 3 cells: ", 27);
    free(text);
    /* For programs the word stays. */
    assert_string_equal(findings_validity_name(c.f.validity), "validated");
    assert_says(&c, FINDING_DIFFERENCE, "lean used less CPU per request than base");
    assert_says(&c, FINDING_CAUTION,
                "The A/A control was not judged in CPU per request, throughput, p50, p99 and peak "
                "memory in hello at 10 and 500 connections (too few of its blocks count): findings "
                "there rest on no control.");
    assert_non_null(strstr(c.f.resolution_text, "% of CPU per request in the 1 of 3 cells whose "
                                                "control was judged (hello at 100 connections); "));
    end(&c);
}

static void where_all_cells_are_judged_nothing_is_missing(void **state) {
    struct synthetic s = at_three_levels();
    (void)state;
    synthetic_make(&s);
    for (int round = 0; round < 11; round++) {
        synthetic_at(&s, "base-again", round, 100)->server.cpu_us_per_request *=
            round % 2 ? 1.02 : 1 / 1.02;
    }
    struct concluded c = conclude(&s);
    assert_reason(&c, FINDINGS_VALIDATED, "in CPU per request over 3 cells (");
    assert_string_equal(c.f.validity_word, "validated");
    assert_null(find(&c, "rest on no control"));
    assert_non_null(strstr(c.f.resolution_text, "% of CPU per request in the worst cell (hello, "
                                                "100 connections), "));
    assert_non_null(strstr(c.f.resolution_text, "% in the median one of 3; "));
    end(&c);
}

/* Each figure by its own reason. */
static void a_control_that_is_limited_or_missing_in_a_cell_is_named_with_why(void **state) {
    struct synthetic s = at_three_levels();
    (void)state;
    s.target[4] = s.target[3];
    s.target[3] = s.target[2];
    s.target[2] = (struct synthetic_target){"slow", NULL, ROLE_TARGET, 9, 50000, 900, 4000, 4e6};
    synthetic_make(&s);
    for (int round = 0; round < 11; round++) {
        synthetic_at(&s, "base", round, 500)->rate = 123000;
        synthetic_at(&s, "base-again", round, 500)->rate = 123000;
        synthetic_at(&s, "base-again", round, 10)->server.cpu_us_per_request = NAN;
    }
    struct concluded c = conclude(&s);
    assert_string_equal(c.f.validity_word, "validated in 2 of 3 cells");
    assert_says(&c, FINDING_CAUTION,
                "The A/A control was not judged in CPU per request in hello at 10 connections (it "
                "was not measured): findings there rest on no control.");
    assert_says(&c, FINDING_CAUTION,
                "The A/A control was not judged in throughput in hello at 500 connections (the "
                "load generator limited it): findings there rest on no control.");
    assert_non_null(strstr(c.f.resolution_text, "in the median one of the 2 of 3 cells whose "
                                                "control was judged (hello at 100 and 500 "
                                                "connections)"));
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
    assert_null(c.f.resolution_text);
    assert_null(find(&c, "rest on no control"));
    assert_says(&c, FINDING_CAUTION, "Without the null server");
    assert_says(&c, FINDING_DIFFERENCE, "lean used 10.0% less CPU per request than base");
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alarm_makes_the_run_not_validated),
        cmocka_unit_test(an_alarm_in_any_figure_makes_the_run_not_validated),
        cmocka_unit_test(the_pooled_interval_decides_over_cpu_and_throughput_alone),
        cmocka_unit_test(every_cell_that_alarms_is_named_as_far_as_there_is_room),
        cmocka_unit_test(the_header_says_in_how_many_cells_the_control_was_judged),
        cmocka_unit_test(where_all_cells_are_judged_nothing_is_missing),
        cmocka_unit_test(a_control_that_is_limited_or_missing_in_a_cell_is_named_with_why),
        cmocka_unit_test(without_control_nothing_is_judged),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("findings/control", tests, NULL, NULL);
}
