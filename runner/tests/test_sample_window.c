/* The window's deltas, and the sampler at work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/sampler.h"
#include "sample/window.h"

#define SECOND INT64_C(1000000000)

/* Two snapshots a second apart on two CPUs: server 0.4, generator 0.5, runner 0.004, in all 1.1. */
static void make_windows(struct window *a, struct window *b) {
    *a = (struct window){
        .at_ns = 5 * SECOND,
        .cpu = {.user = 100,
                .nice = 0,
                .system = 100,
                .idle = 500,
                .iowait = 0,
                .irq = 0,
                .softirq = 10,
                .steal = 7,
                .cpus = 2},
        .tcp = {.listen_overflows = 3, .listen_drops = 4, .retransmits = 5},
        .sockets = {.time_wait = 1},
        .conntrack = {.count = 2, .max = 100},
        .throttled = 2,
        .throttled_whole = true,
        .run_ns = 40 * SECOND,
        .runner_ns = SECOND,
        .server = {.run_ns = SECOND, .user_ticks = 10, .system_ticks = 90},
    };
    *b = *a;
    b->at_ns += SECOND;
    b->cpu.user += 20;
    b->cpu.system += 60;
    b->cpu.softirq += 18;
    b->cpu.steal += 4;
    b->cpu.idle += 90;
    b->tcp.listen_overflows += 6;
    b->tcp.listen_drops += 7;
    b->tcp.retransmits += 1;
    b->sockets.time_wait = 40;
    b->conntrack.count = 45;
    b->throttled += 2;
    b->run_ns += SECOND * 11 / 10;
    b->runner_ns += SECOND * 4 / 1000;
    b->server.run_ns += SECOND * 4 / 10;
    b->server.user_ticks += 10;
    b->server.system_ticks += 30;
}

static bool near(double a, double b) {
    return fabs(a - b) < 1e-9;
}

/* A database's work is its own: neither the server's nor that of others. */
static void counts_a_database_apart(void **unused) {
    (void)unused;
    struct window a, b;
    struct window_delta d;
    make_windows(&a, &b);
    a.database_place = b.database_place = DATABASE_HERE;
    b.database.run_ns = a.database.run_ns + SECOND / 10;
    window_between(&a, &b, SECOND / 2, 100, &d);
    assert_true(near(d.database_cpus, 0.1));
    assert_true(near(d.foreign_cpus, 1.1 - 0.4 - 0.1 - 0.5 - 0.004));
    a.database_place = b.database_place = DATABASE_ELSEWHERE;
    window_between(&a, &b, SECOND / 2, 100, &d);
    assert_true(near(d.database_cpus, 0));
    assert_true(near(d.foreign_cpus, 1.1 - 0.4 - 0.5 - 0.004));
    a.database_place = b.database_place = DATABASE_HIDDEN;
    window_between(&a, &b, SECOND / 2, 100, &d);
    assert_true(isnan(d.database_cpus) && isnan(d.foreign_cpus));
    a.database_place = b.database_place = DATABASE_NONE;
    window_between(&a, &b, SECOND / 2, 100, &d);
    assert_true(isnan(d.database_cpus) && near(d.foreign_cpus, 1.1 - 0.4 - 0.5 - 0.004));
}

static void takes_differences(void **unused) {
    (void)unused;
    struct window a, b;
    struct window_delta d;
    make_windows(&a, &b);
    window_between(&a, &b, SECOND / 2, 100, &d);
    assert_true(near(d.wall_s, 1));
    assert_true(d.foreign_exact);
    assert_true(near(d.foreign_cpus, 1.1 - 0.4 - 0.5 - 0.004));
    assert_true(near(d.foreign_error, 0));
    assert_true(near(d.runner_cpus, 0.004));
    assert_true(near(d.steal_ratio, 0.02)); /* 0.04 s of 2 CPU seconds */
    assert_int_equal(d.throttled, 2);
    assert_int_equal(d.listen_overflows, 6);
    assert_int_equal(d.listen_drops, 7);
    assert_int_equal(d.retransmits, 1);
    assert_int_equal(d.time_wait, 40);
    assert_int_equal(d.conntrack, 45);
    assert_int_equal(d.server.cpu_ns, SECOND * 4 / 10);
    assert_int_equal(d.server.user_ns, SECOND / 10);
}

static void falls_back_on_ticks(void **unused) {
    (void)unused;
    struct window a, b;
    struct window_delta d;
    make_windows(&a, &b);
    a.run_ns = b.run_ns = -1;
    window_between(&a, &b, SECOND / 2, 100, &d);
    assert_false(d.foreign_exact);
    assert_true(near(d.foreign_cpus, 0.98 - 0.904)); /* with interrupt time */
    window_between(&a, &b, SECOND, 100, &d);
    assert_true(near(d.foreign_cpus, 0)); /* a sample can fall short of the truth */
}

/* One tick more or less of each CPU, at either end. */
static void says_how_far_ticks_may_be_off(void **unused) {
    (void)unused;
    struct window a, b;
    struct window_delta d;
    make_windows(&a, &b);
    a.run_ns = b.run_ns = -1;
    window_between(&a, &b, 0, 100, &d);
    assert_true(near(d.foreign_error, 0.04)); /* 2 CPUs, 2 ticks each, of 100 */
    b.at_ns = a.at_ns + SECOND / 4;
    window_between(&a, &b, 0, 100, &d);
    assert_true(near(d.foreign_error, 0.16));
    assert_false(isnan(d.foreign_cpus));
    b.at_ns = a.at_ns + SECOND / 10 - 1;
    window_between(&a, &b, 0, 100, &d);
    assert_true(isnan(d.foreign_cpus) && isnan(d.foreign_error));
    a.run_ns = 40 * SECOND; /* counted: as good in a short one */
    b.run_ns = a.run_ns + SECOND;
    window_between(&a, &b, 0, 100, &d);
    assert_true(near(d.foreign_error, 0));
    assert_false(isnan(d.foreign_cpus));
}

/* What is not known must not look like nothing. */
static void knows_what_it_does_not_know(void **unused) {
    (void)unused;
    struct window a, b;
    struct window_delta d;
    make_windows(&a, &b);
    window_between(&a, &b, -1, 100, &d);
    assert_true(isnan(d.foreign_cpus));
    assert_false(isnan(d.steal_ratio));

    make_windows(&a, &b);
    b.server = (struct proc_cpu){-1, -1, -1, -1, -1};
    window_between(&a, &b, 0, 100, &d);
    assert_true(isnan(d.foreign_cpus));
    assert_int_equal(d.server.cpu_ns, -1);

    make_windows(&a, &b);
    b.cpu.steal = a.cpu.steal = -1;
    a.run_ns = -1;
    b.cpu.softirq = -1;
    b.throttled = -1;
    b.tcp = (struct kernel_tcp){-1, -1, -1};
    b.sockets.time_wait = -1;
    b.conntrack.count = -1;
    window_between(&a, &b, 0, 100, &d);
    assert_true(isnan(d.steal_ratio));
    assert_true(isnan(d.foreign_cpus));
    assert_int_equal(d.throttled, -1);
    assert_int_equal(d.listen_overflows, -1);
    assert_int_equal(d.retransmits, -1);
    assert_int_equal(d.time_wait, -1);
    assert_int_equal(d.conntrack, -1);

    make_windows(&a, &b);
    b.throttled_whole =
        false; /* ours were throttled; had they not been, the server may have been */
    window_between(&a, &b, 0, 100, &d);
    assert_int_equal(d.throttled, 2);
    b.throttled = a.throttled;
    window_between(&a, &b, 0, 100, &d);
    assert_int_equal(d.throttled, -1);
    b.throttled_whole = true;
    window_between(&a, &b, 0, 100, &d);
    assert_int_equal(d.throttled, 0);

    make_windows(&a, &b);
    b.tcp.listen_drops = 0; /* a counter that went backwards: another namespace, or a wrap */
    b.at_ns = a.at_ns;
    window_between(&a, &b, 0, 100, &d);
    assert_int_equal(d.listen_drops, -1);
    assert_true(isnan(d.runner_cpus) && isnan(d.foreign_cpus) && isnan(d.steal_ratio));
}

static void takes_real_snapshots(void **unused) {
    (void)unused;
    struct window a, b;
    struct window_delta d;
    struct timespec t;
    pid_t me = getpid();
    window_take(&a, &me, 1, 0, NULL);
    do {
        clock_gettime(CLOCK_MONOTONIC, &t);
    } while ((int64_t)t.tv_sec * SECOND + t.tv_nsec < a.at_ns + SECOND / 20);
    window_take(&b, &me, 1, 0, NULL);
    window_between(&a, &b, 0, sysconf(_SC_CLK_TCK), &d);
    assert_true(d.wall_s >= 0.05);
    assert_true(d.runner_cpus > 0);
    assert_true(d.server.cpu_ns >= 0);
    assert_int_not_equal(d.listen_overflows, -1);
    window_take(&b, NULL, 0, 0, NULL);
    assert_int_equal(b.server.user_ticks, -1);
}

/* A process that holds `mib` MiB and burns CPU; ready once it says so. */
static pid_t start_burner(size_t mib) {
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char *memory = malloc(mib << 20);
        if (!memory || write(ready[1], memset(memory, 'x', mib << 20), 1) != 1) {
            _exit(1);
        }
        for (;;) {
            __asm__ volatile("" ::: "memory");
        }
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void samples_memory_and_threads(void **unused) {
    (void)unused;
    struct loop loop;
    struct err e = {0};
    struct sampler_result r;
    assert_int_equal(loop_init(&loop, &e), 0);
    pid_t burner = start_burner(8);
    struct sampler *s = sampler_start(&loop, &burner, 1, burner, &e);
    assert_non_null(s);
    int64_t before = proc_self_cpu_ns();
    loop_wait(&loop, NULL, NULL, SECOND / 2);
    int64_t used = proc_self_cpu_ns() - before;
    sampler_take(s);
    sampler_stop(s, &r);
    kill(burner, SIGKILL);
    waitpid(burner, NULL, 0);
    assert_true(r.samples >= 3);
    assert_true(r.last.rss >= 8 << 20);
    assert_true(r.loaded.rss >= r.last.rss);
    assert_true(r.loaded.anon >= 8 << 20);
    assert_int_equal(r.threads, 1);
    assert_true(r.thread_busy > 0.01 && r.thread_busy <= 1);
    assert_true(r.socket_memory >= 0);
    assert_true(used < SECOND / 2 / 10); /* CPU, not wall: far above what it should be */
    loop_release(&loop);
}

static void samples_nothing(void **unused) {
    (void)unused;
    struct loop loop;
    struct err e = {0};
    struct sampler_result r;
    assert_int_equal(loop_init(&loop, &e), 0);
    struct sampler *s = sampler_start(&loop, NULL, 0, 0, &e);
    assert_non_null(s);
    sampler_stop(s, &r);
    assert_int_equal(r.samples, 0);
    assert_int_equal(r.series.n, 0);
    assert_int_equal(r.loaded.rss, -1);
    assert_int_equal(r.last.pss, -1);
    assert_true(isnan(r.thread_busy));
    assert_int_equal(r.threads, 0);
    r.thread_busy = 0;
    sampler_stop(NULL, &r);
    assert_true(isnan(r.thread_busy));
    assert_int_equal(r.socket_memory, -1);
    sampler_stop(NULL, NULL);
    loop_release(&loop);
}

/* More readings than fit: what is kept covers the whole time, evenly. */
static void keeps_a_series_of_memory(void **unused) {
    (void)unused;
    struct loop loop;
    struct err e = {0};
    struct sampler_result r;
    const pid_t self = getpid();
    assert_int_equal(loop_init(&loop, &e), 0);
    for (int readings = 1; readings <= 5 * SAMPLER_SERIES; readings += SAMPLER_SERIES / 2 - 1) {
        struct sampler *s = sampler_start(&loop, &self, 1, 0, &e);
        assert_non_null(s);
        for (int i = 1; i < readings; i++) {
            sampler_take(s);
        }
        sampler_stop(s, &r);
        int stride = 1;
        while ((readings - 1) / stride >= SAMPLER_SERIES) {
            stride *= 2;
        }
        assert_int_equal(r.samples, readings);
        assert_int_equal(r.series.n, (readings - 1) / stride + 1);
        assert_true(r.series.ms[0] <= r.series.ms[r.series.n - 1]);
        for (int i = 0; i < r.series.n; i++) {
            assert_true(r.series.rss[i] > 0);
            assert_true(i == 0 || r.series.ms[i] >= r.series.ms[i - 1]);
        }
    }
    loop_release(&loop);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_a_database_apart),
        cmocka_unit_test(takes_differences),
        cmocka_unit_test(falls_back_on_ticks),
        cmocka_unit_test(says_how_far_ticks_may_be_off),
        cmocka_unit_test(knows_what_it_does_not_know),
        cmocka_unit_test(takes_real_snapshots),
        cmocka_unit_test(samples_memory_and_threads),
        cmocka_unit_test(samples_nothing),
        cmocka_unit_test(keeps_a_series_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
