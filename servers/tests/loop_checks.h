/* What every implementation of common/loop.h must do. Each test_loop_NAME.c brings the loop: */
#ifndef LOOPBENCH_SERVERS_TESTS_LOOP_CHECKS_H
#define LOOPBENCH_SERVERS_TESTS_LOOP_CHECKS_H

#include "common/loop.h"
#include "common/random.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct loop *driver_open(void);
void driver_turn(void); /* one turn; waits until something happens */
void driver_close(void);

static struct loop *loop;

static int set_up(void **state) {
    (void)state;
    loop = driver_open();
    return loop != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    driver_close();
    return 0;
}

#define NS_PER_MS ((uint64_t)1000000)

static inline uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 * NS_PER_MS + (uint64_t)t.tv_nsec;
}

/* --- timers -------------------------------------------------------------------------------------
 */

static unsigned fired;

static void count_fire(struct loop_timer *timer) {
    assert_null(timer->impl); /* it does not run any more, and may be started */
    fired++;
}

static void turn_until_fired(unsigned count) {
    while (fired < count) {
        driver_turn();
    }
}

/* Turns of the loop for a while: what was to come has come, and what was not has not. */
static void turn_for(uint64_t ms) {
    struct loop_timer timer = {.on_fire = count_fire};
    unsigned before = fired;
    assert_int_equal(loop_timer_start(loop, &timer, ms), 0);
    while (fired == before) {
        driver_turn();
    }
}

static void test_timer(void **state) {
    struct loop_timer timer = {.on_fire = count_fire};
    (void)state;
    fired = 0;
    uint64_t start = now_ns();
    assert_int_equal(loop_timer_start(loop, &timer, 30), 0);
    assert_non_null(timer.impl);
    turn_until_fired(1);
    assert_true(now_ns() - start >= 30 * NS_PER_MS); /* never early */
    assert_int_equal(loop_timer_start(loop, &timer, 0), 0);
    assert_int_equal(fired, 1); /* not from inside start */
    turn_until_fired(2);
    loop_timer_cancel(loop, &timer); /* no harm where it does not run */
}

static void test_timer_cancel(void **state) {
    struct loop_timer first = {.on_fire = count_fire};
    struct loop_timer second = {.on_fire = count_fire};
    (void)state;
    fired = 0;
    assert_int_equal(loop_timer_start(loop, &first, 1), 0);
    assert_int_equal(loop_timer_start(loop, &second, 20), 0);
    loop_timer_cancel(loop, &first);
    assert_null(first.impl);
    turn_until_fired(1);
    assert_null(second.impl);
    assert_int_equal(fired, 1);
}

static void test_timer_anew(void **state) {
    struct loop_timer timer = {.on_fire = count_fire};
    struct loop_timer later = {.on_fire = count_fire};
    (void)state;
    fired = 0;
    assert_int_equal(loop_timer_start(loop, &timer, 1), 0);
    assert_int_equal(loop_timer_start(loop, &later, 10), 0);
    assert_int_equal(loop_timer_start(loop, &timer, 60), 0);
    turn_until_fired(1);
    assert_null(later.impl);
    assert_non_null(timer.impl); /* the 1 ms are forgotten */
    assert_int_equal(loop_timer_start(loop, &timer, 0), 0);
    turn_until_fired(2);
}

static void fire_and_start(struct loop_timer *timer) {
    unsigned *left = timer->data;
    fired++;
    if (--*left != 0) {
        assert_int_equal(loop_timer_start(loop, timer, *left % 2), 0);
    }
}

static void test_timer_in_callback(void **state) {
    unsigned left = 6;
    struct loop_timer timer = {.on_fire = fire_and_start, .data = &left};
    (void)state;
    fired = 0;
    assert_int_equal(loop_timer_start(loop, &timer, 0), 0);
    turn_until_fired(6);
}

enum { MANY = 1000 };
struct many {
    struct loop_timer timer;
    uint64_t least, most; /* its deadline is between these */
};
static uint64_t last_least;
static struct many many[MANY];

static void check_order(struct loop_timer *timer) {
    const struct many *own = timer->data;
    assert_true(own->most >= last_least);
    assert_true(now_ns() >= own->least);
    last_least = own->least > last_least ? own->least : last_least;
    fired++;
}

static void test_many_timers(void **state) {
    struct random random = {.state = 7};
    unsigned expected = MANY;
    (void)state;
    memset(many, 0, sizeof many);
    turn_for(1); /* so that the loop's idea of now is now */
    fired = 0;
    last_least = 0;
    for (unsigned i = 0; i < MANY; i++) {
        uint64_t ms = random_next(&random) % 100;
        many[i].timer.on_fire = check_order;
        many[i].timer.data = &many[i];
        many[i].least = now_ns() + ms * NS_PER_MS;
        assert_int_equal(loop_timer_start(loop, &many[i].timer, ms), 0);
        many[i].most = now_ns() + ms * NS_PER_MS;
    }
    for (unsigned i = 0; i < MANY; i += 3) { /* from anywhere among them */
        loop_timer_cancel(loop, &many[i].timer);
        expected--;
    }
    turn_until_fired(expected);
    for (unsigned i = 0; i < MANY; i++) {
        assert_null(many[i].timer.impl);
    }
    assert_int_equal(fired, expected);
}

/* --- descriptors --------------------------------------------------------------------------------
 */

struct seen {
    struct loop_watch watch;
    unsigned events, calls;
    bool unwatch, read;
};

static void see(struct loop_watch *watch, unsigned events) {
    struct seen *seen = watch->data;
    char byte;
    seen->events |= events;
    seen->calls++;
    if (seen->read) {
        assert_int_equal(read(watch->fd, &byte, 1), 1);
    }
    if (seen->unwatch) {
        loop_unwatch(loop, watch);
    }
}

static void seen_init(struct seen *seen, int fd) {
    memset(seen, 0, sizeof *seen);
    seen->watch.fd = fd;
    seen->watch.on_event = see;
    seen->watch.data = seen;
}

static void open_pair(int fds[2]) {
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
}

static void close_pair(const int fds[2]) {
    close(fds[0]);
    close(fds[1]);
}

static void test_watch_read(void **state) {
    int fds[2];
    struct seen seen;
    (void)state;
    open_pair(fds);
    seen_init(&seen, fds[0]);
    seen.read = true;
    assert_int_equal(loop_watch(loop, &seen.watch, LOOP_READ), 0);
    turn_for(5);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(write(fds[1], "abc", 3), 3);
    while (seen.calls < 3) { /* level-triggered: one byte is read each time */
        driver_turn();
    }
    turn_for(5);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.events, LOOP_READ);
    loop_unwatch(loop, &seen.watch);
    assert_null(seen.watch.impl);
    loop_unwatch(loop, &seen.watch);
    assert_int_equal(write(fds[1], "d", 1), 1);
    turn_for(5);
    assert_int_equal(seen.calls, 3);
    close_pair(fds);
}

/* Many timers due at once do not keep the loop from its descriptors, nor it from them. */
static void test_many_due(void **state) {
    int fds[2];
    struct seen seen;
    (void)state;
    open_pair(fds);
    seen_init(&seen, fds[0]);
    memset(many, 0, sizeof many);
    fired = 0;
    for (unsigned i = 0; i < MANY; i++) {
        many[i].timer.on_fire = count_fire;
        assert_int_equal(loop_timer_start(loop, &many[i].timer, 0), 0);
    }
    assert_int_equal(write(fds[1], "a", 1), 1); /* and nobody reads it: readable in every turn */
    assert_int_equal(loop_watch(loop, &seen.watch, LOOP_READ), 0);
    turn_until_fired(MANY);
    assert_int_equal(fired, MANY);
    assert_true(seen.calls >= 10);
    loop_unwatch(loop, &seen.watch);
    close_pair(fds);
}

/* Those that are due may be cancelled, by one of them too, and others be started meanwhile. */
static void cancel_next(struct loop_timer *timer) {
    struct many *own = timer->data;
    fired++;
    if (own + 1 < many + MANY) {
        loop_timer_cancel(loop, &own[1].timer);
    }
}

static void test_many_due_cancel(void **state) {
    struct loop_timer late = {.on_fire = count_fire};
    (void)state;
    memset(many, 0, sizeof many);
    fired = 0;
    for (unsigned i = 0; i < MANY; i++) {
        many[i].timer.on_fire = cancel_next;
        many[i].timer.data = &many[i];
        assert_int_equal(loop_timer_start(loop, &many[i].timer, 0), 0);
    }
    driver_turn();
    for (unsigned i = 0; i < MANY; i++) {
        loop_timer_cancel(loop, &many[i].timer);
    }
    assert_true(fired < MANY / 2);
    fired = 0;
    assert_int_equal(loop_timer_start(loop, &late, 3), 0); /* what was due is forgotten */
    turn_until_fired(1);
}

static void test_watch_change(void **state) {
    int fds[2];
    struct seen seen;
    (void)state;
    open_pair(fds);
    seen_init(&seen, fds[0]);
    assert_int_equal(loop_watch(loop, &seen.watch, 0), 0);
    assert_int_equal(write(fds[1], "a", 1), 1);
    turn_for(5);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(loop_watch(loop, &seen.watch, LOOP_WRITE), 0);
    while (seen.calls < 3) { /* again and again while there is room */
        driver_turn();
    }
    assert_int_equal(seen.events, LOOP_WRITE);
    assert_int_equal(loop_watch(loop, &seen.watch, LOOP_READ | LOOP_WRITE), 0);
    while (seen.events != (LOOP_READ | LOOP_WRITE)) {
        driver_turn();
    }
    assert_int_equal(loop_watch(loop, &seen.watch, LOOP_READ), 0);
    seen.events = 0;
    turn_for(5);
    assert_int_equal(seen.events, LOOP_READ);
    assert_int_equal(loop_watch(loop, &seen.watch, 0), 0);
    seen.calls = 0;
    turn_for(5);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(loop_watch(loop, &seen.watch, LOOP_WRITE), 0);
    while (seen.calls == 0) {
        driver_turn();
    }
    loop_unwatch(loop, &seen.watch);
    close_pair(fds);
}

static void test_watch_full(void **state) {
    int fds[2];
    struct seen seen;
    char junk[4096];
    (void)state;
    open_pair(fds);
    memset(junk, 'x', sizeof junk);
    while (write(fds[0], junk, sizeof junk) > 0) {
    }
    seen_init(&seen, fds[0]);
    assert_int_equal(loop_watch(loop, &seen.watch, LOOP_WRITE), 0);
    turn_for(5);
    assert_int_equal(seen.calls, 0);
    while (read(fds[1], junk, sizeof junk) > 0) {
    }
    while (seen.calls == 0) {
        driver_turn();
    }
    loop_unwatch(loop, &seen.watch);
    close_pair(fds);
}

static void test_watch_hangup(void **state) {
    (void)state;
    for (unsigned asked = LOOP_READ; asked <= LOOP_WRITE; asked++) {
        int fds[2];
        struct seen seen;
        open_pair(fds);
        seen_init(&seen, fds[0]);
        assert_int_equal(loop_watch(loop, &seen.watch, asked), 0);
        close(fds[1]);
        while (seen.calls < 3) { /* comes again while it lasts */
            driver_turn();
        }
        assert_int_equal(seen.events, asked);
        loop_unwatch(loop, &seen.watch);
        close(fds[0]);
    }
}

static void test_unwatch_in_callback(void **state) {
    (void)state;
    for (unsigned asked = LOOP_READ; asked <= (LOOP_READ | LOOP_WRITE); asked++) {
        int fds[2];
        struct seen seen;
        open_pair(fds);
        seen_init(&seen, fds[0]);
        seen.unwatch = true;
        assert_int_equal(write(fds[1], "a", 1), 1);
        assert_int_equal(loop_watch(loop, &seen.watch, asked), 0);
        while (seen.calls == 0) {
            driver_turn();
        }
        turn_for(5);
        assert_int_equal(seen.calls, 1);
        close_pair(fds);
        /* The numbers are free again: another watch on them is another watch. */
        open_pair(fds);
        seen_init(&seen, fds[0]);
        assert_int_equal(loop_watch(loop, &seen.watch, LOOP_WRITE), 0);
        while (seen.calls == 0) {
            driver_turn();
        }
        loop_unwatch(loop, &seen.watch);
        close_pair(fds);
    }
}

/* --- waking -------------------------------------------------------------------------------------
 */

static _Atomic unsigned sent;
static unsigned taken, wakes;

static void on_wake(struct loop_waker *waker) {
    (void)waker;
    wakes++;
    taken = atomic_load(&sent);
}

enum { WAKES = 20000 };

static void *wake_often(void *arg) {
    for (unsigned i = 0; i < WAKES; i++) {
        atomic_fetch_add(&sent, 1);
        loop_wake(arg);
    }
    return NULL;
}

static void test_wake(void **state) {
    struct loop_waker waker;
    pthread_t threads[2];
    (void)state;
    atomic_store(&sent, 0);
    taken = wakes = 0;
    assert_int_equal(loop_waker_open(loop, &waker, on_wake, NULL), 0);
    turn_for(5);
    assert_int_equal(wakes, 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, wake_often, &waker), 0);
    }
    while (taken < 2 * WAKES) { /* the last one is never missed */
        driver_turn();
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    turn_for(5);
    assert_true(wakes <= 2 * WAKES);
    wakes = 0;
    loop_wake(&waker); /* on the loop's own thread: not from inside the call */
    loop_wake(&waker);
    assert_int_equal(wakes, 0);
    turn_for(5);
    assert_int_equal(wakes, 1);
    loop_waker_close(loop, &waker);
    loop_waker_close(loop, &waker);
}

static int run_loop_checks(void) {
#define CHECK(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CHECK(test_timer),
        CHECK(test_timer_cancel),
        CHECK(test_timer_anew),
        CHECK(test_timer_in_callback),
        CHECK(test_many_timers),
        CHECK(test_many_due),
        CHECK(test_many_due_cancel),
        CHECK(test_watch_read),
        CHECK(test_watch_change),
        CHECK(test_watch_full),
        CHECK(test_watch_hangup),
        CHECK(test_unwatch_in_callback),
        CHECK(test_wake),
    };
#undef CHECK
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
