/* What /proc says about processes: odd texts, and this very process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/proc.h"

static void parses_schedstat(void **unused) {
    (void)unused;
    assert_int_equal(proc_parse_schedstat("507106 44987 2\n"), 507106);
    assert_int_equal(proc_parse_schedstat("0 0 0\n"), 0);
    assert_int_equal(proc_parse_schedstat("9223372036854775807 0 0\n"), INT64_MAX);
    assert_int_equal(proc_parse_schedstat("9223372036854775808 0 0\n"), -1);
    assert_int_equal(proc_parse_schedstat("-1 0 0\n"), -1);
    assert_int_equal(proc_parse_schedstat("12x 0 0\n"), -1);
    assert_int_equal(proc_parse_schedstat(""), -1);
}

static void parses_stat(void **unused) {
    (void)unused;
    static const char *const names[] = {"server", "a b", "x) R 1 (y", ")", "(", ") (", "))) S 9 9"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[512];
        int64_t user;
        int64_t system;
        snprintf(text, sizeof text,
                 "4242 (%s) S 1 4242 4242 0 -1 4194560 100 0 0 0 123 45 6 7 20 0 1 0 1000 1 1\n",
                 names[i]);
        assert_int_equal(proc_parse_stat(text, &user, &system), 0);
        assert_int_equal(user, 123);
        assert_int_equal(system, 45);
    }
    static const char *const bad[] = {"",
                                      "1 (a",
                                      "1 (a)",
                                      "1 (a) S 1 2 3",
                                      "1 (a) S 1 2 3 4 5 6 7 8 9 10 x y\n",
                                      "1 (a) S 1 2 3 4 5 6 7 8 9 10 11"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t user;
        int64_t system;
        assert_int_equal(proc_parse_stat(bad[i], &user, &system), -1);
    }
}

static const char status[] =
    "Name:\tVmRSS:\t999 kB\nUmask:\t0022\nVmHWM:\t    1708 kB\nVmRSS:\t    1700 kB\n"
    "RssAnon:\t     112 kB\nRssFile:\t    1588 kB\nRssShmem:\t       0 kB\n"
    "Threads:\t1\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
static const char rollup[] =
    "558fc74f4000-7fff54e45000 ---p 00000000 00:00 0      [rollup]\n"
    "Rss:                1696 kB\nPss:                 326 kB\nPss_Dirty:  108 kB\n";

static void parses_fields(void **unused) {
    (void)unused;
    assert_int_equal(proc_parse_field(status, "VmRSS"), 1700 * 1024); /* not the name's */
    assert_int_equal(proc_parse_field(status, "voluntary_ctxt_switches"), 12);
    assert_int_equal(proc_parse_field(status, "nonvoluntary_ctxt_switches"), 3);
    assert_int_equal(proc_parse_field(status, "RssShmem"), 0);
    assert_int_equal(proc_parse_field(status, "VmSwap"), -1);
    assert_int_equal(proc_parse_field(status, "Vm"), -1);
    assert_int_equal(proc_parse_field("VmRSS:\n", "VmRSS"), -1);
    assert_int_equal(proc_parse_field("VmRSS: 9223372036854775807 kB\n", "VmRSS"), -1);
    assert_int_equal(proc_parse_field("", "VmRSS"), -1);
    assert_int_equal(proc_parse_field("\n\n\nA: 1", "A"), 1);
}

static void parses_memory(void **unused) {
    (void)unused;
    struct proc_memory m;
    proc_parse_memory(status, rollup, &m);
    assert_int_equal(m.rss, 1696 * 1024); /* the rollup's: status may lag */
    assert_int_equal(m.anon, 112 * 1024);
    assert_int_equal(m.file, 1588 * 1024);
    assert_int_equal(m.shmem, 0);
    assert_int_equal(m.pss, 326 * 1024);
    assert_int_equal(m.peak_rss, 1708 * 1024);
    proc_parse_memory(status, NULL, &m); /* somebody else's process, or a kernel before 4.14 */
    assert_int_equal(m.rss, 1700 * 1024);
    assert_int_equal(m.pss, -1);
    proc_parse_memory("VmRSS: 5 kB\n", "Rss: 4 kB\n", &m); /* a kernel before 4.5 */
    assert_int_equal(m.rss, 4 * 1024);
    assert_int_equal(m.anon, -1);
    assert_int_equal(m.pss, -1);
    assert_int_equal(m.peak_rss, -1);
    proc_parse_memory(NULL, NULL, &m);
    assert_int_equal(m.rss, -1);
}

static void parses_children(void **unused) {
    (void)unused;
    pid_t pids[3];
    assert_int_equal(proc_parse_children("12 345 6789 ", pids, 3), 3);
    assert_int_equal(pids[2], 6789);
    assert_int_equal(proc_parse_children("12 345 6789 ", pids, 2), 2);
    assert_int_equal(proc_parse_children("", pids, 3), 0);
    assert_int_equal(proc_parse_children("0 1", pids, 3), 0);
    assert_int_equal(proc_parse_children("99999999999 1", pids, 3), 0);
}

static void splits_usage(void **unused) {
    (void)unused;
    struct proc_usage u;
    struct proc_cpu a = {.run_ns = 1000000000,
                         .user_ticks = 60,
                         .system_ticks = 40,
                         .voluntary = 5,
                         .involuntary = 1};
    struct proc_cpu b = {.run_ns = 1404000000,
                         .user_ticks = 70,
                         .system_ticks = 70,
                         .voluntary = 9,
                         .involuntary = 1};
    proc_usage_between(&a, &b, 100, &u);
    assert_int_equal(u.cpu_ns, 404000000);  /* exact */
    assert_int_equal(u.user_ns, 101000000); /* 10 of 40 ticks */
    assert_int_equal(u.system_ns, 303000000);
    assert_int_equal(u.voluntary, 4);
    assert_int_equal(u.involuntary, 0);

    b.run_ns = 1100000000; /* a thread ended and took 300 ms with it */
    proc_usage_between(&a, &b, 100, &u);
    assert_int_equal(u.cpu_ns, 400000000);
    b.run_ns = 900000000; /* more than it ran meanwhile */
    proc_usage_between(&a, &b, 100, &u);
    assert_int_equal(u.cpu_ns, 400000000);
    b.run_ns = -1; /* a kernel without schedstat */
    proc_usage_between(&a, &b, 100, &u);
    assert_int_equal(u.cpu_ns, 400000000);

    b = a; /* nothing used: known to be nothing; its split is not known */
    proc_usage_between(&a, &b, 100, &u);
    assert_int_equal(u.cpu_ns, 0);
    assert_int_equal(u.user_ns, -1);

    b = (struct proc_cpu){-1, -1, -1, -1, -1};
    proc_usage_between(&a, &b, 100, &u);
    assert_int_equal(u.cpu_ns, -1);
    assert_int_equal(u.system_ns, -1);
    assert_int_equal(u.voluntary, -1);
}

static pthread_barrier_t counted;

/* Uses 150 ms of CPU: well above what ticks can be off. */
static void burn(void) {
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 150);
}

static void *burn_then_wait(void *arg) {
    burn();
    pthread_barrier_wait(&counted);
    return arg;
}

/* Every thread counts, also one that is over: its ticks remain. */
static void reads_itself(void **unused) {
    (void)unused;
    pid_t me = getpid();
    struct proc_cpu before, after;
    struct proc_usage u;
    struct proc_memory m;
    pthread_t thread;
    pid_t tids[8];
    pthread_barrier_init(&counted, NULL, 2);
    assert_int_equal(proc_cpu_read(&me, 1, &before), 0);
    int64_t mine = proc_self_cpu_ns();
    burn();
    assert_int_equal(pthread_create(&thread, NULL, burn_then_wait, NULL), 0);
    assert_int_equal(proc_threads(me, tids, 8), 2);
    assert_int_equal(proc_threads(me, tids, 1), 1);
    pthread_barrier_wait(&counted);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&counted);
    mine = proc_self_cpu_ns() - mine;
    assert_int_equal(proc_cpu_read(&me, 1, &after), 0);
    proc_usage_between(&before, &after, sysconf(_SC_CLK_TCK), &u);
    assert_true(mine > 0);
    assert_true(u.cpu_ns > mine * 3 / 4 && u.cpu_ns < mine * 3 / 2);
    assert_int_equal(proc_memory_read(&me, 1, &m), 0);
    assert_true(m.rss > 100000 && m.peak_rss >= m.anon && m.anon > 0);
}

#define SHORT_LIVED 8
#define SHORT_LIFE  2000000 /* ns: all of them together take less than ticks can prove */

static void *burn_briefly(void *arg) {
    struct timespec now;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec == 0 && now.tv_nsec < SHORT_LIFE);
    return arg;
}

/* As in a server with a thread for each connection: a child's threads come and go between two
 * readings, and what they used is counted to the nanosecond. */
static void be_short_lived(int go, int done) {
    char byte = 0;
    ssize_t n = read(go, &byte, 1);
    for (int i = 0; i < SHORT_LIVED; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, burn_briefly, NULL) == 0) {
            pthread_join(thread, NULL);
        }
    }
    n = write(done, &byte, 1);
    pause();
    _exit((int)n);
}

static void ended_threads_are_counted(void **unused) {
    (void)unused;
    int go[2], done[2];
    char byte = 0;
    struct proc_cpu before, after;
    struct proc_usage used;
    assert_int_equal(pipe(go) | pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        be_short_lived(go[0], done[1]);
    }
    assert_int_equal(proc_cpu_read(&child, 1, &before), 0);
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(read(done[0], &byte, 1), 1);
    assert_int_equal(proc_cpu_read(&child, 1, &after), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    proc_usage_between(&before, &after, sysconf(_SC_CLK_TCK), &used);
    assert_true(used.cpu_ns >= (int64_t)SHORT_LIVED * SHORT_LIFE);
    for (size_t i = 0; i < 2; i++) {
        close(go[i]);
        close(done[i]);
    }
}

static void knows_when_nobody_is_there(void **unused) {
    (void)unused;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(0);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    struct proc_memory m;
    struct proc_cpu c;
    assert_int_equal(proc_memory_read(&child, 1, &m), -1); /* a zombie */
    assert_int_equal(m.rss, -1);
    waitpid(child, NULL, 0);
    pid_t tree[4];
    assert_int_equal(proc_cpu_read(&child, 1, &c), -1);
    assert_int_equal(c.user_ticks, -1);
    assert_int_equal(c.voluntary, -1);
    assert_int_equal(proc_tree(child, tree, 4), 0);
    assert_int_equal(proc_thread_cpu_ns(child, child), -1);
    assert_int_equal(proc_memory_read(NULL, 0, &m), -1);
}

static void finds_descendants(void **unused) {
    (void)unused;
    int ready[2];
    pid_t seen[8];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0) {
            if (write(ready[1], "x", 1) != 1) {
                _exit(1);
            }
            pause();
        }
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(proc_tree(child, seen, 8), 2);
    assert_int_equal(seen[0], child);
    pid_t grandchild = seen[1];
    assert_int_equal(proc_tree(child, seen, 1), 1);
    kill(grandchild, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

/* Field 14 and 15 are a process's own, 16 and 17 those of the children it waited for. */
static void reaped_ticks_are_apart(void **state) {
    (void)state;
    static const char stat[] = "7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 11 12 13 14 20 0 1 0 99\n";
    int64_t user = -1;
    int64_t system = -1;
    assert_int_equal(proc_parse_stat(stat, &user, &system), 0);
    assert_int_equal(user, 11);
    assert_int_equal(system, 12);
    assert_int_equal(proc_parse_stat_reaped(stat, &user, &system), 0);
    assert_int_equal(user, 13);
    assert_int_equal(system, 14);
    assert_int_equal(
        proc_parse_stat_reaped("7 (a) S 1 7 7 0 -1 1 1 2 3 4 11 12 13", &user, &system), -1);
}

static void burn_for(int64_t ns) {
    struct timespec now;
    do {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    } while ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec < ns);
}

/* Forks a process that burns 120 ms and ends, and waits for it; then waits to be killed. */
static void have_a_child_burn(int go, int done) {
    char byte = 0;
    ssize_t n = read(go, &byte, 1);
    pid_t child = n == 1 ? fork() : -1;
    if (child == 0) {
        burn_for(120000000);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    n = write(done, &byte, 1);
    pause();
    _exit((int)n);
}

/* A child that came and went between two readings is counted with the one that waited for it. */
static void ended_children_are_counted(void **state) {
    (void)state;
    int go[2];
    int done[2];
    char byte = 0;
    struct proc_cpu before;
    struct proc_cpu after;
    struct proc_usage used;
    assert_int_equal(pipe(go) | pipe(done), 0);
    pid_t parent = fork();
    if (parent == 0) {
        have_a_child_burn(go[0], done[1]);
    }
    assert_int_equal(proc_cpu_read(&parent, 1, &before), 0);
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(read(done[0], &byte, 1), 1);
    assert_int_equal(proc_cpu_read(&parent, 1, &after), 0);
    proc_usage_between(&before, &after, sysconf(_SC_CLK_TCK), &used);
    assert_true(used.cpu_ns >= 90000000); /* ticks are counted up to one short */
    /* The test is the parent's reaper: only what ended and was waited for is added. */
    struct proc_cpu sum = {0};
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    proc_cpu_add_reaped(getpid(), &sum);
    assert_true((sum.user_ticks + sum.system_ticks) * (1000000000 / sysconf(_SC_CLK_TCK)) >=
                90000000);
    proc_cpu_add_reaped(0, &sum);
    for (size_t i = 0; i < 2; i++) {
        close(go[i]);
        close(done[i]);
    }
}

static void reads_the_limit_of_files(void **state) {
    (void)state;
    struct rlimit limit;
    const pid_t both[] = {INT32_MAX, getpid()}; /* the first is not there */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int64_t soft = limit.rlim_cur == RLIM_INFINITY ? INT64_MAX : (int64_t)limit.rlim_cur;
    assert_int_equal(proc_files_limit(both, 2), soft);
    assert_int_equal(proc_files_limit(both, 1), -1);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaped_ticks_are_apart),
        cmocka_unit_test(ended_children_are_counted),
        cmocka_unit_test(parses_schedstat),
        cmocka_unit_test(parses_stat),
        cmocka_unit_test(parses_fields),
        cmocka_unit_test(parses_memory),
        cmocka_unit_test(parses_children),
        cmocka_unit_test(splits_usage),
        cmocka_unit_test(reads_itself),
        cmocka_unit_test(ended_threads_are_counted),
        cmocka_unit_test(knows_when_nobody_is_there),
        cmocka_unit_test(finds_descendants),
        cmocka_unit_test(reads_the_limit_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
