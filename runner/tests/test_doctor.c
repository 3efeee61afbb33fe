/* doctor: facts about machines judged, the table at several widths, the whole command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <unistd.h>

#include "base/cpus.h"
#include "fixture.h"
#include "ui/doctor.h"
#include "ui/text.h"

static const struct doctor_options options = {.max_connections = 500, .workers = 1, .threads = 1};

/* Slices that alternate: `percent` apart; NaN = none. */
static void put_slices(struct doctor_watch *w, double percent) {
    for (size_t i = 0; i < DOCTOR_SLICES; i++) {
        w->exchange_us[i] = i % 2 || isnan(percent) ? 10 + 0 * percent : 10 * (1 + percent / 100);
    }
}

/* A quiet, well-set machine. */
static void make_good(struct machine *m, struct doctor_watch *w) {
    memset(m, 0, sizeof *m);
    snprintf(m->cpu.governor, sizeof m->cpu.governor, "performance");
    snprintf(m->memory.thp, sizeof m->memory.thp, "madvise");
    snprintf(m->kernel.clocksource, sizeof m->kernel.clocksource, "tsc");
    m->cpu.threads = 4;
    m->kernel.aslr = 2;
    m->cgroup.cpu_quota = (double)INFINITY;
    m->limits.nofile_hard = 524288;
    m->limits.somaxconn = 4096;
    m->limits.tcp_max_syn_backlog = 4096;
    m->limits.port_first = 32768;
    m->limits.port_last = 60999;
    m->limits.conntrack_max = 262144;
    m->load1 = 0.1;
    doctor_watch_init(w);
    w->window_s = 1;
    w->steal_ratio = 0;
    w->foreign_cpus = 0.01;
    w->speed_spread = 0.01;
    put_slices(w, 1);
    w->throttled = 0;
    w->time_wait = 10;
    w->conntrack = 500;
    w->split_known = true;
    w->cores_known = true;
    w->split.disjoint = true;
}

static const struct doctor_check *find(const struct doctor_report *r, const char *name) {
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->checks[i].name, name) == 0) {
            return &r->checks[i];
        }
    }
    fail_msg("no check '%s'", name);
    return NULL;
}

static void test_good(void **state) {
    (void)state;
    struct machine m;
    struct doctor_watch w;
    struct doctor_report r = {.n = 0};
    make_good(&m, &w);
    doctor_judge(&options, &m, &w, &r);
    assert_true(r.n >= 15);
    for (size_t i = 0; i < r.n; i++) {
        if (r.checks[i].state != DOCTOR_OK) {
            fail_msg("%s: %s", r.checks[i].name, r.checks[i].value);
        }
        assert_string_equal(r.checks[i].fix, "");
        assert_true(r.checks[i].why[0] != '\0');
    }
}

/* One thing wrong at a time. */
static void test_each_wrong(void **state) {
    (void)state;
    enum {
        STEAL,
        FOREIGN,
        THROTTLE,
        SPEED,
        UNSTEADY,
        SHARE,
        CORE,
        SHORT,
        FILES,
        QUEUE,
        SYN,
        PORTS,
        TRACKED,
        FULL,
        QUOTA,
        LITTLE,
        LOAD,
        GOVERNOR,
        BOOST,
        THP,
        ASLR,
        CLOCK,
        N
    };
    static const struct {
        const char *name;
        enum doctor_state state;
        const char *value;
    } wanted[N] = {
        [STEAL] = {"steal", DOCTOR_BAD, "2.5% over 1.0 s"},
        [FOREIGN] = {"foreign-cpu", DOCTOR_BAD, "4.0% of a CPU over 1.0 s"},
        [THROTTLE] = {"throttled", DOCTOR_BAD, "3 times over 1.0 s"},
        [SPEED] = {"speed-shift", DOCTOR_WARN, "5.0% between spins"},
        [UNSTEADY] = {"steadiness", DOCTOR_WARN, "about 31% with 11 rounds"},
        [SHARE] = {"pinning", DOCTOR_WARN, "server 0, generator 0"},
        [CORE] = {"smt", DOCTOR_WARN, "one core on both sides"},
        [SHORT] = {"cpus", DOCTOR_WARN, "fewer than server workers"},
        [FILES] = {"files", DOCTOR_BAD, "1063, 1064 needed"},
        [QUEUE] = {"backlog", DOCTOR_WARN, "128 for 500 connections"},
        [SYN] = {"backlog", DOCTOR_WARN, "256 for 500 connections"},
        [PORTS] = {"ports", DOCTOR_WARN, "51% of 28232 (14000 waiting)"},
        [TRACKED] = {"conntrack", DOCTOR_WARN, "51% of 262144 (134000 tracked)"},
        [FULL] = {"conntrack", DOCTOR_BAD, "92% of 262144 (240000 tracked)"},
        [QUOTA] = {"quota", DOCTOR_WARN, "2.00 CPUs, a run uses 2"},
        [LITTLE] = {"quota", DOCTOR_BAD, "0.30 CPUs, a run uses 2"},
        [LOAD] = {"load", DOCTOR_WARN, "2.10 on 4 CPUs"},
        [GOVERNOR] = {"governor", DOCTOR_WARN, "performance,powersave"},
        [BOOST] = {"boost", DOCTOR_WARN, "on"},
        [THP] = {"thp", DOCTOR_WARN, "always"},
        [ASLR] = {"aslr", DOCTOR_WARN, "off"},
        [CLOCK] = {"clocksource", DOCTOR_WARN, "hpet"},
    };
    for (int i = 0; i < N; i++) {
        struct machine m;
        struct doctor_watch w;
        struct doctor_report r = {.n = 0};
        make_good(&m, &w);
        w.steal_ratio = i == STEAL ? 0.025 : w.steal_ratio;
        w.foreign_cpus = i == FOREIGN ? 0.04 : w.foreign_cpus;
        w.throttled = i == THROTTLE ? 3 : w.throttled;
        w.speed_spread = i == SPEED ? 0.05 : w.speed_spread;
        w.time_wait = i == PORTS ? 14000 : w.time_wait;
        w.conntrack = i == TRACKED ? 134000 : i == FULL ? 240000 : w.conntrack;
        put_slices(&w, i == UNSTEADY ? 10 : 1);
        if (i == QUOTA || i == LITTLE) {
            CPU_SET(0, &w.split.server);
            CPU_SET(1, &w.split.generator);
        }
        w.split.disjoint = i != SHARE;
        w.split.shares_core = i == CORE;
        w.split.server_short = i == SHORT;
        if (i == SHARE) {
            CPU_SET(0, &w.split.server);
            CPU_SET(0, &w.split.generator);
        }
        m.limits.nofile_hard = i == FILES ? 1063 : m.limits.nofile_hard;
        m.limits.somaxconn = i == QUEUE ? 128 : m.limits.somaxconn;
        m.limits.tcp_max_syn_backlog = i == SYN ? 256 : m.limits.tcp_max_syn_backlog;
        m.cgroup.cpu_quota = i == QUOTA ? 2 : i == LITTLE ? 0.3 : m.cgroup.cpu_quota;
        m.load1 = i == LOAD ? 2.1 : m.load1;
        m.cpu.boost = i == BOOST;
        m.kernel.aslr = i == ASLR ? 0 : 2;
        if (i == GOVERNOR) {
            snprintf(m.cpu.governor, sizeof m.cpu.governor, "performance,powersave");
        }
        if (i == THP) {
            snprintf(m.memory.thp, sizeof m.memory.thp, "always");
        }
        if (i == CLOCK) {
            snprintf(m.kernel.clocksource, sizeof m.kernel.clocksource, "hpet");
        }
        doctor_judge(&options, &m, &w, &r);
        const struct doctor_check *c = find(&r, wanted[i].name);
        if (c->state != wanted[i].state || strcmp(c->value, wanted[i].value) != 0) {
            fail_msg("%s: state %d, '%s'", c->name, c->state, c->value);
        }
        assert_true(c->fix[0] != '\0');
        assert_int_equal(doctor_count(&r, DOCTOR_OK), r.n - 1);
    }
}

/* What the spread of the exchange lets a run see, and how many rounds make up for it. */
static void test_steadiness(void **state) {
    (void)state;
    static const struct {
        double apart; /* the slices, in percent */
        enum doctor_state state;
        const char *value, *fix;
    } cases[] = {
        {0, DOCTOR_OK, "about 1% with 11 rounds", ""},
        {2, DOCTOR_OK, "about 6% with 11 rounds", ""},
        {4, DOCTOR_WARN, "about 12% with 11 rounds", "17 rounds would show 10%"},
        {6, DOCTOR_WARN, "about 18% with 11 rounds", "31 rounds would show 10%"},
        {20, DOCTOR_WARN, "about 69% with 11 rounds", "not even 31 rounds would show 10%"},
        {(double)NAN, DOCTOR_UNKNOWN, "unknown", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct machine m;
        struct doctor_watch w;
        struct doctor_report r = {.n = 0};
        make_good(&m, &w);
        put_slices(&w, cases[i].apart);
        doctor_judge(&options, &m, &w, &r);
        const struct doctor_check *c = find(&r, "steadiness");
        if (c->state != cases[i].state || strcmp(c->value, cases[i].value) != 0 ||
            !strstr(c->fix, cases[i].fix)) {
            fail_msg("%g: state %d, '%s', '%s'", cases[i].apart, (int)c->state, c->value, c->fix);
        }
        assert_int_equal(doctor_sees_little(&r), cases[i].state == DOCTOR_WARN);
    }
}

static void test_unknown(void **state) {
    (void)state;
    char root[] = FIXTURE_TEMPLATE;
    struct machine m;
    struct doctor_watch w;
    struct doctor_report r = {.n = 0};
    assert_non_null(mkdtemp(root));
    machine_read(root, &m);
    fixture_remove(root);
    doctor_watch_init(&w);
    doctor_judge(&options, &m, &w, &r);
    for (size_t i = 0; i < r.n; i++) {
        if (r.checks[i].state != DOCTOR_UNKNOWN || strcmp(r.checks[i].value, "unknown") != 0) {
            fail_msg("%s: %s", r.checks[i].name, r.checks[i].value);
        }
        /* A reason to fear what is not known is no fact. */
        if (strncmp(r.checks[i].why, "cannot be told; if bad: ", 24) != 0) {
            fail_msg("%s: %s", r.checks[i].name, r.checks[i].why);
        }
    }
    machine_release(&m);
}

static void test_own_backlog_and_no_limit(void **state) {
    (void)state;
    struct machine m;
    struct doctor_watch w;
    struct doctor_report r = {.n = 0};
    struct doctor_options o = options;
    make_good(&m, &w);
    o.backlog = 100;
    m.limits.nofile_hard = MACHINE_UNLIMITED;
    doctor_judge(&o, &m, &w, &r);
    assert_string_equal(find(&r, "backlog")->value, "100 for 500 connections");
    assert_int_equal(find(&r, "backlog")->state, DOCTOR_WARN);
    assert_string_equal(find(&r, "files")->value, "no limit, 1064 needed");
    assert_int_equal(find(&r, "files")->state, DOCTOR_OK);
}

/* The table as text; free it. */
static char *table(const struct doctor_report *r, int width) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    doctor_print(r, width, out);
    fclose(out);
    return text;
}

static void test_table(void **state) {
    (void)state;
    struct machine m;
    struct doctor_watch w;
    struct doctor_report r = {.n = 0};
    make_good(&m, &w);
    w.steal_ratio = 0.5;
    m.cpu.boost = 1;
    doctor_judge(&options, &m, &w, &r);
    for (int width = 60; width <= 240; width++) {
        char *text = table(&r, width);
        size_t lines = 0;
        for (char *at = text; *at; lines++) {
            char *end = strchr(at, '\n');
            assert_non_null(end);
            *end = '\0';
            if (text_columns(at) > (size_t)width && !strstr(at, " checks: ")) {
                fail_msg("width %d: '%s'", width, at);
            }
            at = end + 1;
        }
        assert_true(width < 240 || lines == r.n + 2); /* one row each, head and verdict */
        assert_true(lines >= r.n + 2);
        free(text);
    }
    char *text = table(&r, 240);
    assert_non_null(strstr(text, "A run now would be invalid: steal\n"));
    assert_non_null(strstr(text, " 1 warn, 1 bad, 0 unknown."));
    free(text);
}

/* The whole command against a folder that stands for a machine. */
static void put_machine(const char *root, const char *nofile) {
    char limits[128];
    snprintf(limits, sizeof limits, "Max open files   %s   %s   files\n", nofile, nofile);
    fixture_put(root, "/proc/sys/kernel/osrelease", "6.1.0\n");
    fixture_put(root, "/proc/self/status", "Cpus_allowed_list:\t0-1\n");
    fixture_put(root, "/proc/self/limits", limits);
    fixture_put(root, "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n");
    fixture_put(root, "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
    fixture_put(root, "/bin/wrk", "#!/bin/sh\necho 'wrk 4.2.0 [epoll] Copyright'\n");
}

static void test_command(void **state) {
    (void)state;
    static const char *const names[] = {"libevent", "libuv", "h2o", "null"};
    static const struct {
        const char *nofile;
        bool wrk, servers, results;
        int status;
        const char *said;
    } cases[] = {
        {"2000", true, true, true, 0, "A run now would be valid"},
        {"1000", true, true, true, 1, "invalid: files\n"},
        {"2000", false, true, true, 1, "invalid: wrk\n"},
        {"2000", true, false, true, 1, "invalid: servers\n"},
        {"2000", true, true, false, 1, "invalid: results\n"},
        {"", false, false, false, 1, "invalid: wrk servers results\n"},
    };
    struct loop loop;
    struct err e = {0};
    assert_int_equal(loop_init(&loop, &e), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char root[] = FIXTURE_TEMPLATE;
        char wrk[64];
        char servers[64];
        char results[64];
        char *text = NULL;
        size_t len = 0;
        assert_non_null(mkdtemp(root));
        put_machine(root, cases[i].nofile);
        snprintf(wrk, sizeof wrk, "%s/bin/wrk", root);
        snprintf(servers, sizeof servers, "%s/servers", root);
        /* A file cannot hold a folder, whoever asks: root may write anywhere else. */
        snprintf(results, sizeof results, "%s/%s", root,
                 cases[i].results ? "not/yet/there" : "bin/wrk/results");
        assert_int_equal(chmod(wrk, cases[i].wrk ? 0755 : 0644), 0);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            char path[64];
            snprintf(path, sizeof path, "/servers/server-%s", names[k]);
            fixture_put(root, path, "#!/bin/sh\n");
            snprintf(path, sizeof path, "%s/servers/server-%s", root, names[k]);
            assert_int_equal(chmod(path, cases[i].servers || k != 2 ? 0755 : 0644), 0);
        }
        struct doctor_options o = options;
        o.root = root;
        o.wrk = wrk;
        o.gnuplot = "/nonexistent/gnuplot";
        o.servers = servers;
        o.results = results;
        o.width = 200;
        FILE *out = open_memstream(&text, &len);
        assert_non_null(out);
        int status = doctor_run(&loop, &o, out, &e);
        fclose(out);
        if (status != cases[i].status || !strstr(text, cases[i].said)) {
            fail_msg("case %zu: status %d\n%s", i, status, text);
        }
        assert_non_null(strstr(text, "one core on both sides"));
        assert_int_equal(strstr(text, "missing: h2o") == NULL, cases[i].servers);
        free(text);
        fixture_remove(root);
    }
    loop_release(&loop);
}

static const struct doctor_check *check_of(const struct doctor_report *r, const char *name) {
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->checks[i].name, name) == 0) {
            return &r->checks[i];
        }
    }
    fail_msg("no check %s", name);
    return NULL;
}

/* Something else of that name is not missing; and /proc takes no folder, whoever asks. */
static void test_files_are_what_they_seem(void **state) {
    (void)state;
    char root[] = FIXTURE_TEMPLATE;
    const struct machine_programs none = {.wrk = "", .gnuplot = "gnuplot 5.4"};
    struct doctor_options o = options;
    struct doctor_report r = {.n = 0};
    assert_non_null(mkdtemp(root));
    o.wrk = "/bin/true";
    o.servers = NULL;
    o.results = "/proc/x";
    doctor_judge_files(&o, &none, &r);
    assert_string_equal(check_of(&r, "wrk")->value, "/bin/true does not answer as wrk");
    assert_int_equal(check_of(&r, "wrk")->state, DOCTOR_BAD);
    assert_string_equal(check_of(&r, "results")->value, "/proc/x is not writable");
    assert_int_equal(check_of(&r, "results")->state, DOCTOR_BAD);
    r.n = 0;
    o.wrk = "/nonexistent/wrk";
    o.results = root;
    doctor_judge_files(&o, &none, &r);
    assert_string_equal(check_of(&r, "wrk")->value, "missing");
    assert_int_equal(check_of(&r, "results")->state, DOCTOR_OK);
    assert_int_equal(rmdir(root), 0); /* nothing was left in it */
}

static void test_nothing_to_see(void **state) {
    (void)state;
    char root[] = FIXTURE_TEMPLATE;
    struct loop loop;
    struct err e = {0};
    struct doctor_options o = options;
    assert_non_null(mkdtemp(root));
    assert_int_equal(loop_init(&loop, &e), 0);
    o.root = root;
    assert_int_equal(doctor_run(&loop, &o, stdout, &e), -1);
    assert_int_equal(e.class, ERR_MACHINE);
    loop_release(&loop);
    fixture_remove(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_each_wrong),
        cmocka_unit_test(test_steadiness),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_own_backlog_and_no_limit),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_files_are_what_they_seem),
        cmocka_unit_test(test_nothing_to_see),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
