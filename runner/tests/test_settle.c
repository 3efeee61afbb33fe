/* run/settle: between warm-up and window the target comes to rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "run/settle.h"
#include "sample/proc.h"
#include "skipped.h"

#define WORK_NS INT64_C(300000000)

static int64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* A process that works for so long, and then sleeps. */
static pid_t start(int64_t work_ns) {
    pid_t pid = fork();
    if (pid == 0) {
        while (cpu_ns() < work_ns) {
        }
        for (;;) {
            pause();
        }
    }
    assert_true(pid > 0);
    return pid;
}

static void end(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Whether what works gets less than half of a CPU here: settle_wait() cannot tell it from rest. */
static bool others_take_the_cpu(struct loop *loop) {
    struct proc_cpu used;
    const int64_t begun = clock_mono_ns();
    const pid_t pid = start(INT64_MAX);
    loop_wait(loop, NULL, NULL, WORK_NS);
    assert_int_equal(proc_cpu_read(&pid, 1, &used), 0);
    const int64_t passed = clock_mono_ns() - begun;
    end(pid);
    const int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
    const int64_t ns =
        used.run_ns >= 0 ? used.run_ns : (used.user_ticks + used.system_ticks) * tick;
    return ns < passed / 2;
}

static void waits_for_work_that_is_left(void **state) {
    bool waited = false;
    struct loop loop;
    struct err e;
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    /* Where others take the CPU, what works may look at rest. */
    for (int i = 0; !waited && i < 5; i++) {
        struct proc_cpu used;
        pid_t pid = start(WORK_NS);
        enum loop_wait ended = settle_wait(&loop, &pid, 1, SETTLE_MAX_NS);
        assert_int_equal(proc_cpu_read(&pid, 1, &used), 0);
        waited = ended == LOOP_TIMEOUT || used.run_ns >= WORK_NS * 9 / 10 ||
                 used.user_ticks + used.system_ticks >= 27;
        end(pid);
    }
    const bool busy = !waited && others_take_the_cpu(&loop);
    loop_release(&loop);
    if (busy) {
        SKIP_CASE("the machine is too busy to tell");
    }
    assert_true(waited);
}

static void who_cannot_be_seen_is_not_waited_for(void **state) {
    struct loop loop;
    struct err e;
    pid_t pid = start(0);
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    assert_int_equal(settle_wait(&loop, &pid, 0, SETTLE_MAX_NS), LOOP_DONE);
    end(pid);
    assert_int_equal(settle_wait(&loop, &pid, 1, SETTLE_MAX_NS), LOOP_DONE);
    loop_release(&loop);
}

static void an_interrupt_ends_it(void **state) {
    struct loop loop;
    struct err e;
    pid_t pid = start(INT64_MAX);
    (void)state;
    assert_int_equal(loop_init(&loop, &e), 0);
    raise(SIGINT);
    assert_int_equal(settle_wait(&loop, &pid, 1, SETTLE_MAX_NS), LOOP_INTERRUPTED);
    loop_release(&loop);
    end(pid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_work_that_is_left),
        cmocka_unit_test(who_cannot_be_seen_is_not_waited_for),
        cmocka_unit_test(an_interrupt_ends_it),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
