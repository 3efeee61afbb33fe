/* plan: blocks, balance, seeds, JSON, file limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "plan/limits.h"
#include "plan/plan.h"
#include "plan/plan_json.h"

static void plan_of(struct plan *p, const char *ini) {
    struct config c;
    struct err e = {0};
    if (config_load_text(&c, ini, strlen(ini), "x.ini", NULL, USE_RUN, &e) != 0 ||
        plan_make(p, &c, &e) != 0) {
        fail_msg("%s", e.text);
        abort(); /* not reached: a failed test is left by longjmp */
    }
    config_release(&c);
}

static const char *name_at(const struct plan *p, size_t trial) {
    return p->target[p->trial[trial].target].name;
}

static void block_holds_every_target_once(void **state) {
    struct plan p;
    (void)state;
    plan_of(&p, "seed = 1\n");
    assert_int_equal(p.target_count, 5);
    assert_string_equal(p.target[3].name, "libevent-again");
    assert_string_equal(p.target[3].base, "libevent");
    assert_int_equal(p.target[3].role, PLAN_CONTROL);
    assert_int_equal(p.target[4].role, PLAN_NULL);
    assert_int_equal(p.block_count, 33);
    assert_int_equal(p.trial_count, 165);
    size_t next = 0;
    for (size_t b = 0; b < p.block_count; b++) {
        unsigned seen = 0;
        assert_int_equal(p.block[b].first, next);
        assert_int_equal(p.block[b].count, 5);
        for (size_t i = 0; i < p.block[b].count; i++, next++) {
            assert_int_equal(p.trial[next].seq, next);
            assert_int_equal(p.trial[next].block, b);
            seen |= 1U << p.trial[next].target;
        }
        assert_int_equal(seen, 31);
    }
    assert_int_equal(next, p.trial_count);
    assert_int_equal(plan_max_connections(&p), 500);
    plan_release(&p);
}

static void round_holds_every_cell_once(void **state) {
    struct plan p;
    (void)state;
    plan_of(&p, "seed = 7\nworkloads = hello,json,html\nconnections = 1,2\nrounds = 4\n");
    assert_int_equal(p.block_count, 24);
    for (int round = 0; round < 4; round++) {
        unsigned seen = 0;
        for (size_t b = (size_t)round * 6; b < (size_t)round * 6 + 6; b++) {
            const struct plan_block *block = &p.block[b];
            assert_int_equal(block->round, round);
            unsigned w = strcmp(block->workload, "hello") == 0  ? 0
                         : strcmp(block->workload, "json") == 0 ? 1
                                                                : 2;
            seen |= 1U << (w * 2 + (unsigned)block->connections - 1);
            assert_int_equal(block->count, w == 0 ? 5 : 4); /* the null server says hello only */
        }
        assert_int_equal(seen, 63);
    }
    plan_release(&p);
}

static void targets_stand_only_where_they_serve(void **state) {
    struct plan p;
    (void)state;
    plan_of(&p, "targets = libuv,m\nworkloads = hello,json\nconnections = 4\nrounds = 2\n"
                "aa-control = m\n[target m]\ncommand = a {port}\nworkloads = json\n");
    for (size_t i = 0; i < p.trial_count; i++) {
        const struct plan_block *b = &p.block[p.trial[i].block];
        if (strcmp(p.target[p.trial[i].target].base, "m") == 0) {
            assert_string_equal(b->workload, "json");
        }
    }
    assert_int_equal(p.trial_count, 2 * (2 + 3));
    plan_release(&p);
    plan_of(&p,
            "targets = libuv\nnull-server = no\naa-control = off\nconnections = 4\nrounds = 1\n");
    assert_int_equal(p.trial_count, 1);
    plan_release(&p);
}

static bool plans_equal(const struct plan *a, const struct plan *b) {
    if (a->block_count != b->block_count || a->trial_count != b->trial_count) {
        return false;
    }
    for (size_t i = 0; i < a->block_count; i++) {
        if (a->block[i].connections != b->block[i].connections) {
            return false;
        }
    }
    for (size_t i = 0; i < a->trial_count; i++) {
        if (a->trial[i].target != b->trial[i].target) {
            return false;
        }
    }
    return true;
}

static void seed_decides_everything(void **state) {
    static const char *const others[] = {"seed = 2\n", "seed = 4294967297\n",
                                         "seed = 9223372036854775809\n"};
    struct plan a;
    struct plan b;
    (void)state;
    plan_of(&a, "seed = 1\n");
    plan_of(&b, "seed = 1\n");
    assert_true(plans_equal(&a, &b));
    plan_release(&b);
    /* All 64 bits count, though the generator takes 32. */
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        plan_of(&b, others[i]);
        assert_false(plans_equal(&a, &b));
        plan_release(&b);
    }
    plan_release(&a);
}

/* A longer run begins as the shorter one did. */
static void more_rounds_leave_the_first_as_they_are(void **state) {
    struct plan a;
    struct plan b;
    (void)state;
    plan_of(&a, "seed = 5\nrounds = 3\n");
    plan_of(&b, "seed = 5\nrounds = 6\n");
    for (size_t i = 0; i < a.trial_count; i++) {
        assert_string_equal(name_at(&a, i), name_at(&b, i));
    }
    plan_release(&a);
    plan_release(&b);
}

/* Would tell a change of GSL, of the shuffling or of the seeding: recorded seeds must keep their
 * meaning. */
static void order_of_a_seed_is_fixed(void **state) {
    static const char *const golden[] = {
        "500 libevent-again null h2o libuv libevent", "100 libuv null libevent-again h2o libevent",
        "10 null libevent-again h2o libuv libevent",  "500 libuv null h2o libevent-again libevent",
        "100 null h2o libevent libuv libevent-again", "10 libevent-again null libuv h2o libevent",
    };
    struct plan p;
    (void)state;
    plan_of(&p, "seed = 20260131\nrounds = 2\n");
    assert_int_equal(p.block_count, sizeof golden / sizeof golden[0]);
    for (size_t b = 0; b < p.block_count; b++) {
        char line[256];
        int n = snprintf(line, sizeof line, "%d", p.block[b].connections);
        for (size_t i = 0; i < p.block[b].count; i++) {
            n += snprintf(line + n, sizeof line - (size_t)n, " %s",
                          name_at(&p, p.block[b].first + i));
        }
        assert_string_equal(line, golden[b]);
    }
    plan_release(&p);
}

static void tells_when_tracked_connections_could_fill(void **state) {
    char text[320];
    struct config c = {.keepalive = false, .requests = 1000};
    (void)state;
    assert_int_equal(limits_connections_made(&c, 30), 30000);
    c.requests = INT64_MAX / 8;
    assert_int_equal(limits_connections_made(&c, 30), 0);
    c = (struct config){.keepalive = true, .requests = 1000};
    assert_int_equal(limits_connections_made(&c, 30), 0);
    c = (struct config){.keepalive = false}; /* for a time: how many, nobody knows */
    assert_int_equal(limits_connections_made(&c, 30), 0);

    assert_false(limits_judge_tracked(90, 0, 100, text, sizeof text));
    assert_string_equal(text, "");
    assert_true(limits_judge_tracked(90, 1, 100, text, sizeof text));
    assert_non_null(
        strstr(text, "90 connections will be made, and the kernel tracks at most 100,"));
    assert_true(limits_judge_tracked(91, -1, 100, text, sizeof text));
    assert_false(limits_judge_tracked(91, -1, -1, text, sizeof text));
    assert_false(limits_judge_tracked(0, 99, 100, text, sizeof text));
}

/* Pearson's chi-squared of counts that should be equal. */
static double chi_squared(const int *count, size_t n, double expected) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (count[i] - expected) * (count[i] - expected) / expected;
    }
    return sum;
}

/* 3,000 blocks of a fixed seed: each target in each position 600 times, each level first in its
 * round 333 times. Bounds are the 99.99% quantiles (25 cells with both margins fixed: 16 degrees of
 * freedom, 44.9; 3 cells: 2, 18.4): a biased shuffle gives hundreds. */
static void positions_are_balanced(void **state) {
    struct plan p;
    int position[25] = {0};
    int first[3] = {0};
    (void)state;
    plan_of(&p, "seed = 99\nrounds = 1000\n");
    for (size_t b = 0; b < p.block_count; b++) {
        for (size_t i = 0; i < 5; i++) {
            position[p.trial[p.block[b].first + i].target * 5 + i]++;
        }
        if (b % 3 == 0) {
            first[p.block[b].connections == 10 ? 0 : p.block[b].connections == 100 ? 1 : 2]++;
        }
    }
    assert_true(chi_squared(position, 25, 600) < 44.9);
    assert_true(chi_squared(first, 3, 1000.0 / 3) < 18.4);
    plan_release(&p);
}

/* Who follows whom matters too (a hot neighbour): each ordered pair about equally often. */
static void successions_are_balanced(void **state) {
    struct plan p;
    int follows[20] = {0};
    (void)state;
    plan_of(&p, "seed = 3\nrounds = 1000\n");
    for (size_t b = 0; b < p.block_count; b++) {
        for (size_t i = 1; i < 5; i++) {
            size_t before = p.trial[p.block[b].first + i - 1].target;
            size_t after = p.trial[p.block[b].first + i].target;
            follows[before * 4 + after - (after > before)]++;
        }
    }
    assert_true(chi_squared(follows, 20, 600) < 51.0);
    plan_release(&p);
}

static void estimate_counts_every_trial(void **state) {
    static const char ini[] = "seed = 1\nrounds = 2\nconnections = 4\nwarmup = 1s\nduration = 3s\n";
    struct config c;
    struct plan p;
    struct err e;
    (void)state;
    assert_int_equal(config_load_text(&c, ini, strlen(ini), "x", NULL, USE_RUN, &e), 0);
    assert_int_equal(plan_make(&p, &c, &e), 0);
    assert_int_equal(plan_estimate_ns(&p, &c), 10 * (4000000000LL + PLAN_TRIAL_OVERHEAD_NS));
    plan_release(&p);
    config_release(&c);
}

static void too_many_trials_are_refused(void **state) {
    static const char ini[] = "rounds = 10000\nworkloads = all\nprofile = publish\n";
    struct config c;
    struct plan p;
    struct err e;
    (void)state;
    assert_int_equal(config_load_text(&c, ini, strlen(ini), "x", NULL, USE_RUN, &e), 0);
    assert_int_equal(plan_make(&p, &c, &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "more than 1000000 trials"));
    assert_null(p.trial);
    config_release(&c);
}

/* Each target by each load generator, and nothing else: they are what is compared. */
static void generators_multiply_targets(void **state) {
    (void)state;
    struct plan p;
    struct plan back;
    struct err e = {0};
    plan_of(&p, "targets = libuv,h2o\ngenerators = wrk,ab\nrounds = 2\nconnections = 8\n");
    assert_int_equal(p.target_count, 4);
    assert_int_equal(p.trial_count, 8);
    assert_string_equal(p.target[3].name, "h2o-by-ab");
    assert_string_equal(p.target[3].base, "h2o");
    assert_string_equal(p.target[3].generator, "ab");
    assert_int_equal(p.target[0].role, PLAN_TARGET);
    char *text = plan_to_json(&p);
    assert_non_null(text);
    assert_int_equal(plan_from_json(&back, text, strlen(text), "plan", &e), 0);
    assert_string_equal(back.target[3].generator, "ab");
    free(text);
    plan_release(&back);
    plan_release(&p);
}

static void json_reads_back(void **state) {
    struct plan p;
    struct plan again;
    struct err e = {0};
    (void)state;
    plan_of(&p, "seed = 18446744073709551615\nworkloads = hello,json\n");
    char *text = plan_to_json(&p);
    assert_non_null(text);
    if (plan_from_json(&again, text, strlen(text), "plan.json", &e) != 0) {
        fail_msg("%s", e.text);
    }
    assert_true(plans_equal(&p, &again));
    assert_true(again.seed == UINT64_MAX);
    assert_int_equal(again.rounds, 11);
    for (size_t i = 0; i < p.block_count; i++) {
        assert_string_equal(p.block[i].workload, again.block[i].workload);
        assert_int_equal(p.block[i].round, again.block[i].round);
        assert_int_equal(p.block[i].first, again.block[i].first);
        assert_int_equal(p.block[i].count, again.block[i].count);
    }
    for (size_t i = 0; i < p.target_count; i++) {
        assert_string_equal(p.target[i].name, again.target[i].name);
        assert_string_equal(p.target[i].base, again.target[i].base);
        assert_int_equal(p.target[i].role, again.target[i].role);
    }
    char *twice = plan_to_json(&again);
    assert_string_equal(text, twice);
    free(twice);
    free(text);
    plan_release(&again);
    plan_release(&p);
}

#define HEAD    "{\"format\":1,\"seed\":\"5\",\"rounds\":2,"
#define TARGETS "\"targets\":[{\"name\":\"a\",\"base\":\"a\",\"role\":\"target\"}],"
#define BLOCK(round, c, order)                                                                     \
    "{\"round\":" round ",\"workload\":\"hello\",\"connections\":" c ",\"order\":[" order "]}"

static void json_is_read_strictly(void **state) {
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "null",
        "{\"format\":2}",
        HEAD TARGETS "\"blocks\":[]}",
        HEAD "\"targets\":[],\"blocks\":[" BLOCK("0", "1", "\"a\"") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "1", "\"b\"") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "1", "\"a\",\"a\"") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "1", "") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("2", "1", "\"a\"") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("-1", "1", "\"a\"") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "0", "\"a\"") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "1.5", "\"a\"") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "1", "5") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("1", "1", "\"a\"") "," BLOCK("0", "1", "\"a\"") "]}",
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "1", "\"a\"") "],\"more\":1}",
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "1", "\"a\"") "]} x",
        HEAD TARGETS "\"blocks\":[5]}",
        HEAD "\"targets\":[{\"name\":\"a\",\"base\":\"a\",\"role\":\"king\"}],\"blocks\":[" BLOCK(
            "0", "1", "\"a\"") "]}",
        HEAD "\"targets\":[{\"name\":\"\",\"base\":\"a\",\"role\":\"null\"}],\"blocks\":[" BLOCK(
            "0", "1", "\"\"") "]}",
        HEAD "\"targets\":[{\"name\":\"a\",\"base\":\"a\",\"role\":\"null\"},{\"name\":\"a\","
             "\"base\":\"a\",\"role\":\"null\"}],\"blocks\":[" BLOCK("0", "1", "\"a\"") "]}",
        "{\"format\":1,\"seed\":5,\"rounds\":2," TARGETS
        "\"blocks\":[" BLOCK("0", "1", "\"a\"") "]}",
        "{\"format\":1,\"seed\":\"x\",\"rounds\":2," TARGETS
        "\"blocks\":[" BLOCK("0", "1", "\"a\"") "]}",
    };
    static const char good[] =
        HEAD TARGETS "\"blocks\":[" BLOCK("0", "1", "\"a\"") "," BLOCK("1", "1", "\"a\"") "]}";
    struct plan p;
    struct err e;
    (void)state;
    assert_int_equal(plan_from_json(&p, good, strlen(good), "plan.json", &e), 0);
    assert_int_equal(p.trial_count, 2);
    plan_release(&p);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (plan_from_json(&p, bad[i], strlen(bad[i]), "plan.json", &e) == 0) {
            fail_msg("taken: %s", bad[i]);
        }
        assert_int_equal(e.class, ERR_USAGE);
        assert_memory_equal(e.text, "plan.json", 9);
        assert_null(p.trial);
    }
}

static void file_limit_names_its_remedy(void **state) {
    struct err e = {0};
    (void)state;
    assert_int_equal(limits_files_needed(500), 1064);
    assert_int_equal(limits_judge_files(500, 1064, &e), 0);
    assert_int_equal(limits_judge_files(500, -1, &e), 0);
    assert_int_equal(limits_judge_files(500, 1063, &e), -1);
    assert_int_equal(e.class, ERR_MACHINE);
    assert_string_equal(e.text, "500 connections need 1064 open files, the limit is 1063; raise it "
                                "(ulimit -Hn 1064 as root, or nofile in "
                                "/etc/security/limits.conf), or choose at most 499 connections");
    e = (struct err){0};
    struct limits_target t = {.name = "t", .processes = 1, .files = 564};
    assert_int_equal(limits_judge_target(&t, 500, &e), 0);
    t.files = -1;
    assert_int_equal(limits_judge_target(&t, 500, &e), 0);
    t.files = 563;
    assert_int_equal(limits_judge_target(&t, 500, &e), -1);
    assert_int_equal(e.class, ERR_MACHINE);
    assert_non_null(strstr(e.text, "at most 499 connections"));
    t.files = 40;
    assert_int_equal(limits_judge_target(&t, 500, &e), -1);
    assert_non_null(strstr(e.text, "at most 1 connections"));
}

/* Which of them takes how many is not known before. */
static void files_of_several_processes(void **state) {
    struct err e = {0};
    char text[256];
    struct limits_target t = {.name = "t", .processes = 4, .files = 300};
    (void)state;
    assert_int_equal(limits_judge_target(&t, 400, &e), 0);
    assert_true(limits_judge_shares(&t, 400, text, sizeof text));
    assert_string_equal(text, "t may open 300 files in each of 4 processes: 400 connections fit "
                              "only where they share them evenly, else trials fail");
    assert_false(limits_judge_shares(&t, 236, text, sizeof text));
    t.files = 163;
    assert_int_equal(limits_judge_target(&t, 400, &e), -1);
    assert_non_null(strstr(e.text, "t may open 163 files in each of 4 processes, and 400 "
                                   "connections need 164"));
    assert_non_null(strstr(e.text, "at most 396 connections"));
    t.files = -1;
    assert_false(limits_judge_shares(&t, 400, text, sizeof text));
    t = (struct limits_target){.name = "t", .processes = 1, .files = 100};
    assert_false(limits_judge_shares(&t, 400, text, sizeof text)); /* it is refused */
}

/* In a child, because a hard limit once lowered stays low. */
static void soft_limit_is_raised(void **state) {
    (void)state;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit limit = {100, 400};
        struct err e;
        int bad = setrlimit(RLIMIT_NOFILE, &limit) != 0;
        bad |= limits_raise_files(10, &e) != 0;
        bad |= getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur != 100;
        bad |= limits_raise_files(150, &e) != 0;
        bad |= getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur != 400;
        bad |= limits_raise_files(169, &e) != -1 || e.class != ERR_MACHINE;
        _exit(bad);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_holds_every_target_once),
        cmocka_unit_test(round_holds_every_cell_once),
        cmocka_unit_test(targets_stand_only_where_they_serve),
        cmocka_unit_test(seed_decides_everything),
        cmocka_unit_test(more_rounds_leave_the_first_as_they_are),
        cmocka_unit_test(order_of_a_seed_is_fixed),
        cmocka_unit_test(positions_are_balanced),
        cmocka_unit_test(successions_are_balanced),
        cmocka_unit_test(estimate_counts_every_trial),
        cmocka_unit_test(too_many_trials_are_refused),
        cmocka_unit_test(generators_multiply_targets),
        cmocka_unit_test(json_reads_back),
        cmocka_unit_test(json_is_read_strictly),
        cmocka_unit_test(file_limit_names_its_remedy),
        cmocka_unit_test(files_of_several_processes),
        cmocka_unit_test(tells_when_tracked_connections_could_fill),
        cmocka_unit_test(soft_limit_is_raised),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
