/* Thresholds of quality, and who set the throughput. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "stats/client.h"
#include "base/machine_rules.h"
#include "base/quality.h"

static bool is_text(const char *s) {
    return s != NULL && s[0] != '\0';
}

static void every_check_is_complete(void **state) {
    (void)state;
    for (unsigned i = 0; i < QUALITY_COUNT; i++) {
        const struct quality_check *c = quality_check((enum quality_id)i);
        assert_non_null(c);
        assert_non_null(c->unit); /* may be empty: a plain number */
        assert_true(is_text(c->name) && is_text(c->what) && is_text(c->why) && is_text(c->fix));
        enum quality_id id = QUALITY_COUNT;
        assert_true(quality_find(c->name, &id)); /* names are unique */
        assert_int_equal(id, i);
        assert_int_equal(quality_judge(id, NAN), QUALITY_UNKNOWN);
    }
    enum quality_id id;
    assert_false(quality_find("no-such-check", &id));
    assert_null(quality_check(QUALITY_COUNT));
    assert_int_equal(quality_judge(QUALITY_COUNT, 1.0), QUALITY_UNKNOWN);
}

static void thresholds_are_those_of_the_method(void **state) {
    (void)state;
    static const struct {
        double value;
        enum quality_id id;
        enum quality_level level;
    } cases[] = {
        {0.0, QUALITY_STEAL, QUALITY_OK},
        {0.5, QUALITY_STEAL, QUALITY_OK},
        {0.51, QUALITY_STEAL, QUALITY_WARN},
        {2.0, QUALITY_STEAL, QUALITY_WARN},
        {2.01, QUALITY_STEAL, QUALITY_INVALID},
        {3.0, QUALITY_FOREIGN_CPU, QUALITY_OK},
        {3.1, QUALITY_FOREIGN_CPU, QUALITY_INVALID},
        {0.0, QUALITY_THROTTLED, QUALITY_OK},
        {1.0, QUALITY_THROTTLED, QUALITY_INVALID},
        {3.0, QUALITY_SPEED_SHIFT, QUALITY_OK},
        {-3.0, QUALITY_SPEED_SHIFT, QUALITY_OK},
        {3.1, QUALITY_SPEED_SHIFT, QUALITY_WARN},
        {-40.0, QUALITY_SPEED_SHIFT, QUALITY_WARN},
        {0.0, QUALITY_LISTEN_OVERFLOWS, QUALITY_OK},
        {1.0, QUALITY_LISTEN_OVERFLOWS, QUALITY_INVALID},
        {1.0, QUALITY_LISTEN_DROPS, QUALITY_WARN},
        {1.0, QUALITY_RETRANSMITS, QUALITY_WARN},
        {0.0, QUALITY_RETRANSMITS, QUALITY_OK},
        {99.0, QUALITY_ACTIVE_SHARE, QUALITY_OK},
        {90.0, QUALITY_ACTIVE_SHARE, QUALITY_OK},
        {89.9, QUALITY_ACTIVE_SHARE, QUALITY_WARN},
        {0.0, QUALITY_REPLY_SIZE, QUALITY_OK},
        {0.1, QUALITY_REPLY_SIZE, QUALITY_WARN},
        {0.0, QUALITY_SILENT, QUALITY_OK},
        {1.0, QUALITY_SILENT, QUALITY_WARN},
        {0.0, QUALITY_ERRORS, QUALITY_OK},
        {0.001, QUALITY_ERRORS, QUALITY_WARN},
        {100.0, QUALITY_STALL, QUALITY_OK},
        {101.0, QUALITY_STALL, QUALITY_WARN},
        {5000.0, QUALITY_STALL, QUALITY_WARN},
        {50.0, QUALITY_CONNTRACK, QUALITY_OK},
        {51.0, QUALITY_CONNTRACK, QUALITY_WARN},
        {90.0, QUALITY_CONNTRACK, QUALITY_WARN},
        {91.0, QUALITY_CONNTRACK, QUALITY_INVALID},
        {50.0, QUALITY_PORTS, QUALITY_OK},
        {51.0, QUALITY_PORTS, QUALITY_WARN},
        {0.0, QUALITY_FILES, QUALITY_OK},
        {-1.0, QUALITY_FILES, QUALITY_INVALID},
        {0.0, QUALITY_BACKLOG, QUALITY_OK},
        {-1.0, QUALITY_BACKLOG, QUALITY_WARN},
        {0.4, QUALITY_LOAD, QUALITY_OK},
        {0.6, QUALITY_LOAD, QUALITY_WARN},
        {1.0, QUALITY_PINNING, QUALITY_WARN},
        {1.0, QUALITY_SMT, QUALITY_WARN},
        {2.0, QUALITY_GOVERNOR, QUALITY_WARN},
        {1.0, QUALITY_BOOST, QUALITY_WARN},
        {1.0, QUALITY_THP, QUALITY_WARN},
        {1.0, QUALITY_ASLR, QUALITY_WARN},
        {1.0, QUALITY_CLOCKSOURCE, QUALITY_WARN},
        {0.0, QUALITY_QUOTA, QUALITY_OK},
        {1.0, QUALITY_QUOTA, QUALITY_WARN},
        {1.1, QUALITY_QUOTA, QUALITY_INVALID},
        {0.0, QUALITY_CPUS, QUALITY_OK},
        {1.0, QUALITY_CPUS, QUALITY_WARN},
        {1.0, QUALITY_VIRTUAL, QUALITY_OK},
        {10.0, QUALITY_STEADINESS, QUALITY_OK},
        {10.1, QUALITY_STEADINESS, QUALITY_WARN},
        {1000.0, QUALITY_STEADINESS, QUALITY_WARN},
    };
    bool seen[QUALITY_COUNT] = {false};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (quality_judge(cases[i].id, cases[i].value) != cases[i].level) {
            fail_msg("%s at %g: %s, wanted %s", quality_check(cases[i].id)->name, cases[i].value,
                     quality_level_name(quality_judge(cases[i].id, cases[i].value)),
                     quality_level_name(cases[i].level));
        }
        seen[cases[i].id] = true;
    }
    for (size_t i = 0; i < QUALITY_COUNT; i++) {
        assert_true(seen[i]);
    }
}

static void files_needed_are_two_a_connection_and_some(void **state) {
    (void)state;
    assert_true(quality_files_needed(500) == 1064.0);
}

static void facts_that_are_unknown_decide_nothing(void **state) {
    struct machine_facts f;
    (void)state;
    machine_facts_init(&f);
    for (unsigned i = 0; i < QUALITY_COUNT; i++) {
        assert_true(isnan(machine_rule((enum quality_id)i, &f)));
    }
}

/* The doctor and the report of a run judge by the same. */
static void facts_become_the_values_judged(void **state) {
    struct machine_facts f;
    (void)state;
    machine_facts_init(&f);
    f.connections = 500;
    f.backlog = 0; /* as much as there is */
    f.syn_backlog = 1024;
    assert_true(isnan(machine_rule(QUALITY_BACKLOG, &f))); /* somaxconn may be less */
    f.syn_backlog = 128;
    assert_true(machine_rule(QUALITY_BACKLOG, &f) == -372);
    f.somaxconn = 4096;
    f.syn_backlog = 1024;
    assert_true(machine_rule(QUALITY_BACKLOG, &f) == 524);
    f.backlog = 100;
    assert_true(machine_queue(&f) == 100 && machine_rule(QUALITY_BACKLOG, &f) == -400);
    f.load1 = 3;
    f.cpus = 2;
    assert_true(machine_rule(QUALITY_LOAD, &f) == 1.5);
    f.cpus = 0;
    assert_true(isnan(machine_rule(QUALITY_LOAD, &f)));
    f.quota = (double)INFINITY;
    assert_true(machine_rule(QUALITY_QUOTA, &f) == 0);
    f.quota = 1.5;
    assert_true(machine_rule(QUALITY_QUOTA, &f) == 1);
    f.used = 3;
    assert_true(machine_rule(QUALITY_QUOTA, &f) == 2);
    f.disjoint = 1;
    assert_true(machine_rule(QUALITY_PINNING, &f) == 0);
    f.aslr = 2;
    assert_true(machine_rule(QUALITY_ASLR, &f) == 0);
    f.aslr = 0;
    assert_true(machine_rule(QUALITY_ASLR, &f) == 1);
    f.governor = "performance";
    assert_true(machine_rule(QUALITY_GOVERNOR, &f) == 0);
    f.governor = "schedutil";
    assert_true(machine_rule(QUALITY_GOVERNOR, &f) == 1);
    f.clocksource = "acpi_pm";
    assert_true(machine_rule(QUALITY_CLOCKSOURCE, &f) == 1);
    f.clocksource = "tsc";
    assert_true(machine_rule(QUALITY_CLOCKSOURCE, &f) == 0);
}

static void the_worse_level_wins(void **state) {
    (void)state;
    static const enum quality_level growing[] = {QUALITY_OK, QUALITY_UNKNOWN, QUALITY_WARN,
                                                 QUALITY_INVALID};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            assert_int_equal(quality_worse(growing[i], growing[j]), growing[i > j ? i : j]);
        }
    }
    assert_string_equal(quality_level_name(QUALITY_OK), "ok");
    assert_string_equal(quality_level_name(QUALITY_WARN), "warn");
    assert_string_equal(quality_level_name(QUALITY_INVALID), "invalid");
    assert_string_equal(quality_level_name(QUALITY_UNKNOWN), "unknown");
}

static enum client_state state_of(double rate, double ceiling, double thread, double used,
                                  double cpus) {
    return client_judge(&(struct client_block){rate, ceiling, thread, used, cpus}).state;
}

static void the_ceiling_limits(void **state) {
    (void)state;
    assert_int_equal(state_of(79.9e3, 100e3, 0.5, 0.5, 1), CLIENT_FREE);
    assert_int_equal(state_of(80e3, 100e3, 0.5, 0.5, 1), CLIENT_NEAR);
    assert_int_equal(state_of(89.9e3, 100e3, 0.5, 0.5, 1), CLIENT_NEAR);
    assert_int_equal(state_of(90e3, 100e3, 0.5, 0.5, 1), CLIENT_LIMITED);
    /* Also where the server was busy: it got the last the generator could give. */
    assert_int_equal(state_of(120e3, 100e3, 0.5, 1.0, 1), CLIENT_LIMITED);
    const struct client_result r = client_judge(&(struct client_block){90e3, 100e3, 0.5, 0.5, 1});
    assert_true(r.by_ceiling && !r.by_thread);
    assert_true(fabs(r.ceiling_share - 0.9) < 1e-12);
}

static void a_busy_generator_limits_unless_the_server_is_too(void **state) {
    (void)state;
    assert_int_equal(state_of(50e3, 100e3, 0.95, 0.89, 1), CLIENT_LIMITED);
    assert_int_equal(state_of(50e3, 100e3, 0.94, 0.5, 1), CLIENT_FREE);
    assert_int_equal(state_of(50e3, 100e3, 1.0, 0.9, 1), CLIENT_FREE);
    /* Of four CPUs, 1.5 used are not 90%. */
    assert_int_equal(state_of(50e3, 100e3, 1.0, 1.5, 4), CLIENT_LIMITED);
    const struct client_result r = client_judge(&(struct client_block){85e3, 100e3, 1.0, 0.5, 1});
    assert_int_equal(r.state, CLIENT_LIMITED);
    assert_true(r.by_thread && !r.by_ceiling);
}

static void the_unknown_decides_nothing(void **state) {
    (void)state;
    assert_int_equal(state_of(50e3, NAN, NAN, NAN, NAN), CLIENT_UNKNOWN);
    assert_int_equal(state_of(50e3, 0.0, NAN, 0.5, 1), CLIENT_UNKNOWN);
    assert_int_equal(state_of(NAN, 100e3, 0.99, NAN, 1), CLIENT_UNKNOWN);
    assert_int_equal(state_of(NAN, 100e3, 0.99, 0.5, 1), CLIENT_LIMITED);
    assert_int_equal(state_of(95e3, 100e3, NAN, NAN, NAN), CLIENT_LIMITED);
    assert_int_equal(state_of(50e3, 100e3, NAN, NAN, NAN), CLIENT_FREE);
    assert_int_equal(state_of(50e3, NAN, 0.5, NAN, 1), CLIENT_FREE);
}

static void cells_follow_half_of_their_blocks(void **state) {
    (void)state;
    static const struct {
        const char *blocks; /* f free, n near, l limited, u unknown */
        enum client_state cell;
    } cases[] = {
        {"fffff", CLIENT_FREE},    {"fffnu", CLIENT_NEAR},    {"fffll", CLIENT_NEAR},
        {"ffllu", CLIENT_LIMITED}, {"fnlll", CLIENT_LIMITED}, {"uuuuu", CLIENT_UNKNOWN},
        {"uuuul", CLIENT_LIMITED}, {"uuuuf", CLIENT_UNKNOWN}, {"uuuff", CLIENT_UNKNOWN},
        {"uufff", CLIENT_FREE},    {"uuufn", CLIENT_UNKNOWN}, {"uuffl", CLIENT_NEAR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum client_state blocks[5];
        for (size_t j = 0; j < 5; j++) {
            const char c = cases[i].blocks[j];
            blocks[j] = c == 'f'   ? CLIENT_FREE
                        : c == 'n' ? CLIENT_NEAR
                        : c == 'l' ? CLIENT_LIMITED
                                   : CLIENT_UNKNOWN;
        }
        assert_int_equal(client_judge_cell(blocks, 5), cases[i].cell);
    }
    assert_int_equal(client_judge_cell(NULL, 0), CLIENT_UNKNOWN);
    assert_string_equal(client_state_name(CLIENT_FREE), "free");
    assert_string_equal(client_state_name(CLIENT_NEAR), "near");
    assert_string_equal(client_state_name(CLIENT_LIMITED), "limited");
    assert_string_equal(client_state_name(CLIENT_UNKNOWN), "unknown");
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_check_is_complete),
        cmocka_unit_test(thresholds_are_those_of_the_method),
        cmocka_unit_test(files_needed_are_two_a_connection_and_some),
        cmocka_unit_test(facts_that_are_unknown_decide_nothing),
        cmocka_unit_test(facts_become_the_values_judged),
        cmocka_unit_test(the_worse_level_wins),
        cmocka_unit_test(the_ceiling_limits),
        cmocka_unit_test(a_busy_generator_limits_unless_the_server_is_too),
        cmocka_unit_test(the_unknown_decides_nothing),
        cmocka_unit_test(cells_follow_half_of_their_blocks),
    };
    return cmocka_run_group_tests_name("stats quality", tests, NULL, NULL);
}
