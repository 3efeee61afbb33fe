/* What the verdicts say in sentences. Cautions: test_findings_cautions.c; how they stand on a
 * terminal and in files: test_findings_output.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "concluded.h"

static const int three_levels[] = {10, 100, 500};

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_said_with_their_interval),
        cmocka_unit_test(what_a_container_costs_is_said),
        cmocka_unit_test(levels_of_a_pair_are_one_sentence),
        cmocka_unit_test(many_levels_are_a_range),
        cmocka_unit_test(a_baseline_stays_the_object),
        cmocka_unit_test(larger_differences_come_first),
        cmocka_unit_test(no_difference_is_summarised),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
