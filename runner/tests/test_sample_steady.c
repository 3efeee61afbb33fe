/* The exchange over loopback: what it returns, and that whatever happens to it, it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "sample/proc.h"
#include "sample/steady.h"

#define SLICES 6
#define LONG   INT64_C(100000000000) /* a slice that no test waits for */

struct fixture {
    struct loop loop;
    struct cpusplit split;
    struct steady_spec spec;
    double us[SLICES];
};

static void make(struct fixture *f, int64_t slice_ns) {
    int core[CPU_SETSIZE];
    cpu_set_t allowed;
    struct err e = {0};
    memset(f, 0, sizeof *f);
    assert_int_equal(loop_init(&f->loop, &e), 0);
    assert_true(cpus_allowed(&allowed) > 0);
    cpusplit_read_cores("", &allowed, core);
    cpusplit_choose(&allowed, core, 1, 1, &f->split);
    f->spec = (struct steady_spec){&f->split, slice_ns, SLICES, 60000000000};
}

/* Nothing may be left of it: neither a process nor a handle that keeps the loop. */
static void end(struct fixture *f) {
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(uv_loop_alive(&f->loop.uv), 0);
    loop_release(&f->loop);
}

static void assert_unknown(const struct fixture *f) {
    for (size_t i = 0; i < SLICES; i++) {
        assert_true(isnan(f->us[i]));
    }
}

static void test_costs(void **state) {
    (void)state;
    struct fixture f;
    make(&f, 5000000);
    assert_int_equal(steady_measure(&f.loop, &f.spec, f.us), LOOP_DONE);
    for (size_t i = 0; i < SLICES; i++) {
        /* Two system calls cost more than 0.1 µs, and even under valgrind no second. */
        if (!(f.us[i] > 0.1 && f.us[i] < 1e6)) {
            fail_msg("slice %zu: %g us", i, f.us[i]);
        }
    }
    end(&f);
}

/* No CPU for one side: known at once, though the other side is well. */
static void test_no_cpu(void **state) {
    (void)state;
    for (int side = 0; side < 2; side++) {
        struct fixture f;
        make(&f, LONG);
        CPU_ZERO(side == 0 ? &f.split.server : &f.split.generator);
        assert_int_equal(steady_measure(&f.loop, &f.spec, f.us), LOOP_TIMEOUT);
        assert_unknown(&f);
        end(&f);
    }
}

/* Something happens to the sides as soon as both are there. */
struct accident {
    uv_timer_t timer;
    int signum;
    size_t victim; /* 0 = this process, 1 and 2 = its children */
};

static void strike(uv_timer_t *timer) {
    struct accident *a = timer->data;
    pid_t pids[8];
    if (proc_tree(getpid(), pids, 8) == 3) {
        kill(pids[a->victim], a->signum);
        uv_timer_stop(timer);
    }
}

static enum loop_wait struck(struct fixture *f, int signum, size_t victim) {
    struct accident a = {.signum = signum, .victim = victim};
    uv_timer_init(&f->loop.uv, &a.timer);
    a.timer.data = &a;
    uv_timer_start(&a.timer, strike, 1, 1);
    const enum loop_wait result = steady_measure(&f->loop, &f->spec, f->us);
    uv_close((uv_handle_t *)&a.timer, NULL);
    loop_poll(&f->loop);
    if (result != LOOP_DONE) {
        assert_unknown(f);
    }
    return result;
}

static void test_killed(void **state) {
    (void)state;
    for (size_t victim = 1; victim <= 2; victim++) {
        struct fixture f;
        make(&f, LONG);
        assert_int_equal(struck(&f, SIGKILL, victim), LOOP_TIMEOUT);
        end(&f);
    }
}

static void test_stopped(void **state) {
    (void)state;
    for (size_t victim = 1; victim <= 2; victim++) {
        enum loop_wait result = LOOP_DONE;
        /* Until there is time enough to strike before all slices are there. */
        for (int64_t slice = 40000000; result == LOOP_DONE && slice < LONG; slice *= 4) {
            struct fixture f;
            make(&f, slice);
            f.spec.patience_ns = 0;
            result = struck(&f, SIGSTOP, victim);
            end(&f);
        }
        assert_int_equal(result, LOOP_TIMEOUT);
    }
}

static void test_interrupted(void **state) {
    (void)state;
    static const int signums[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signums / sizeof *signums; i++) {
        struct fixture f;
        make(&f, LONG);
        assert_int_equal(struck(&f, signums[i], 0), LOOP_INTERRUPTED);
        assert_int_equal(f.loop.signum, signums[i]);
        end(&f);
    }
}

/* The runner is killed outright: both sides go with it. Each holds the pipe's other end. */
static void test_runner_killed(void **state) {
    (void)state;
    int alive[2];
    pid_t pids[8];
    assert_int_equal(pipe(alive), 0);
    const pid_t runner = fork();
    if (runner == 0) {
        struct fixture f;
        make(&f, LONG);
        close(alive[0]);
        steady_measure(&f.loop, &f.spec, f.us);
        _exit(0);
    }
    assert_true(runner > 0);
    close(alive[1]);
    const int64_t patience = clock_mono_ns() + 60000000000;
    while (proc_tree(runner, pids, 8) != 3 && clock_mono_ns() < patience) {
        sched_yield();
    }
    assert_int_equal(proc_tree(runner, pids, 8), 3);
    kill(runner, SIGKILL);
    assert_int_equal(waitpid(runner, NULL, 0), runner);
    struct pollfd gone = {.fd = alive[0], .events = POLLIN};
    assert_int_equal(poll(&gone, 1, 60000), 1);
    assert_true(gone.revents & POLLHUP);
    close(alive[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),       cmocka_unit_test(test_no_cpu),
        cmocka_unit_test(test_killed),      cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_runner_killed),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("sample/steady", tests, NULL, NULL);
}
