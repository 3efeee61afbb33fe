/* A target as a local process: how it becomes ready, and every way it can fail to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "target/local_probe.h"
#include "target/target.h"

#define SECOND INT64_C(1000000000)

static const char *const announcing[] = {
    "runner/tests/fake-target", "--listen", "127.0.0.1:0", "--name", "fake", NULL};
static const char *const told_its_port[] = {"runner/tests/fake-target", "--listen", "{host}:{port}",
                                            NULL};

static int set_up(void **state) {
    struct loop *loop = calloc(1, sizeof *loop);
    struct err e = {0};
    assert_non_null(loop);
    assert_int_equal(loop_init(loop, &e), 0);
    unsetenv("FAKE_TARGET");
    unsetenv("FAKE_TARGET_AFTER");
    *state = loop;
    return 0;
}

static int tear_down(void **state) {
    loop_release(*state);
    free(*state);
    return 0;
}

static struct target_spec spec_of(const char *const *argv) {
    return (struct target_spec){.name = "fake", .argv = argv, .workers = 1, .backlog = 128};
}

/* Starts and waits for readiness; what came of it. *t is to be freed. */
static enum target_failure bring_up(struct loop *loop, const struct target_spec *spec,
                                    struct target **t, struct err *e) {
    enum target_failure f = target_local.start(loop, spec, t, e);
    return f == TARGET_OK ? target_local.ready(*t, e) : f;
}

static void becomes_ready_and_stops(void **state) {
    const char *const *const lines[] = {announcing, told_its_port};
    for (size_t i = 0; i < 2; i++) {
        struct target_spec spec = spec_of(lines[i]);
        struct target *t = NULL;
        struct err e = {0};
        pid_t pids[4];
        if (bring_up(*state, &spec, &t, &e) != TARGET_OK) {
            fail_msg("%s", e.text);
        }
        assert_string_equal(t->host, "127.0.0.1");
        assert_true(t->port > 0);
        assert_true(target_local.alive(t));
        assert_int_equal(target_local.pids(t, pids, 4), 1);
        assert_int_equal(target_local.pids(t, pids, 0), 0);
        assert_int_equal(getpgid(pids[0]), pids[0]);
        if (i == 0) {
            assert_non_null(strstr(target_local.describe(t), "\"versions\""));
        } else {
            assert_null(target_local.describe(t));
        }
        assert_int_equal(target_local.stop(t, &e), TARGET_OK);
        assert_int_equal(target_local.stop(t, &e), TARGET_OK); /* the same answer again */
        assert_false(target_local.alive(t));
        assert_int_equal(target_local.pids(t, pids, 4), 0);
        target_local.free(t);
    }
    target_local.free(NULL);
}

/* What comes of a target that never gets ready, given ever more time until that is what is said of
 * it: on a busy machine it may not get as far as that in little. */
static void never_gets_ready(struct loop *loop, const char *const *argv, const char *behaviour,
                             const char *words) {
    struct target_spec spec = spec_of(argv);
    struct err e = {0};
    setenv("FAKE_TARGET", behaviour, 1);
    for (spec.ready_timeout_ns = SECOND / 2; spec.ready_timeout_ns < 100 * SECOND;
         spec.ready_timeout_ns *= 4) {
        struct target *t = NULL;
        const enum target_failure f = bring_up(loop, &spec, &t, &e);
        target_local.free(t);
        assert_int_equal(f, TARGET_READY);
        if (strstr(e.text, words)) {
            return;
        }
    }
    fail_msg("%s: %s", behaviour, e.text);
}

static void fails_with_a_reason(void **state) {
    static const struct {
        const char *behaviour;
        enum target_failure failure;
        const char *words;
    } cases[] = {
        {"exit", TARGET_START,
         "exited with status 3 before it was ready: fake-target: cannot listen"},
        {"exit-after-line", TARGET_START, "exited with status 4 before it was ready"},
        {"bad-json", TARGET_READY, "not a JSON object"},
        {"no-address", TARGET_READY, "has no \"listening\""},
        {"500", TARGET_READY, "answered with status 500"},
        {"not-http", TARGET_READY, "not HTTP"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct target_spec spec = spec_of(announcing);
        struct target *t = NULL;
        struct err e = {0};
        setenv("FAKE_TARGET", cases[i].behaviour, 1);
        spec.ready_timeout_ns = 100 * SECOND; /* never waited for: it must get as far */
        enum target_failure f = bring_up(*state, &spec, &t, &e);
        if (f != cases[i].failure || !strstr(e.text, cases[i].words)) {
            fail_msg("%s: %s: %s", cases[i].behaviour, target_failure_name(f), e.text);
        }
        target_local.free(t);
    }
    never_gets_ready(*state, announcing, "no-ready", "did not print its ready line");
    never_gets_ready(*state, announcing, "never-answer", "GET /hello is not answered");
}

/* A foreign server gets time to answer properly; one that never does is given up on. */
static void waits_for_foreign_servers(void **state) {
    never_gets_ready(*state, told_its_port, "500", "answered with status 500");
    never_gets_ready(*state, told_its_port, "not-http", "not HTTP");
    /* runs, but does not listen */
    never_gets_ready(*state, told_its_port, "no-ready", "refused");
    /* Its end is no reason to wait on. */
    struct target_spec spec = spec_of(told_its_port);
    struct target *t = NULL;
    struct err e = {0};
    setenv("FAKE_TARGET", "exit", 1);
    spec.ready_timeout_ns = 1000 * SECOND;
    assert_int_equal(bring_up(*state, &spec, &t, &e), TARGET_START);
    target_local.free(t);
}

static void needs_a_program(void **state) {
    const char *const argv[] = {"no-such-server", NULL};
    struct target_spec spec = spec_of(argv);
    struct target *t = NULL;
    struct err e = {0};
    assert_int_equal(target_local.start(*state, &spec, &t, &e), TARGET_START);
    assert_null(t);
    assert_int_equal(e.class, ERR_MACHINE);
    assert_string_equal(e.text, "fake: cannot start no-such-server: no such program; install "
                                "it, or name another");
}

static void judges_its_end(void **state) {
    static const struct {
        const char *behaviour;
        bool dies_by_signal;
        enum target_failure failure;
        const char *words;
    } cases[] = {
        {"ignore-term", false, TARGET_STOP, "did not stop within 0.2 s"},
        {"dirty-exit", false, TARGET_STOP, "exited with status 7 when it was told to stop"},
        {"dirty-exit", true, TARGET_STOP, "exited with status 7"},
        {"by-signal", false, TARGET_STOP, "signal 15"},
        {"by-signal", true, TARGET_OK, ""},
        {"ok", true, TARGET_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct target_spec spec = spec_of(announcing);
        struct target *t = NULL;
        struct err e = {0};
        pid_t pid = 0;
        setenv("FAKE_TARGET", cases[i].behaviour, 1);
        spec.dies_by_signal = cases[i].dies_by_signal;
        spec.stop_grace_ns = cases[i].failure == TARGET_STOP && i == 0 ? SECOND / 5 : 20 * SECOND;
        assert_int_equal(bring_up(*state, &spec, &t, &e), TARGET_OK);
        target_local.pids(t, &pid, 1);
        for (int again = 0; again < 2; again++) {
            enum target_failure f = target_local.stop(t, &e);
            if (f != cases[i].failure || (f != TARGET_OK && !strstr(e.text, cases[i].words))) {
                fail_msg("%s: %s: %s", cases[i].behaviour, target_failure_name(f), e.text);
            }
        }
        assert_int_equal(kill(pid, 0), -1);
        target_local.free(t);
    }
}

static void interrupt(uv_timer_t *timer) {
    (void)timer;
    raise(SIGINT);
}

/* Its grace is for it, not for whoever has interrupted twice. */
static void interrupts_end_its_grace(void **state) {
    struct loop *loop = *state;
    struct target_spec spec = spec_of(announcing);
    struct target *t = NULL;
    struct err e = {0};
    uv_timer_t timer;
    setenv("FAKE_TARGET", "ignore-term", 1);
    spec.stop_grace_ns = 600 * SECOND;
    assert_int_equal(bring_up(loop, &spec, &t, &e), TARGET_OK);
    uv_timer_init(&loop->uv, &timer);
    uv_timer_start(&timer, interrupt, 1, 1);
    assert_int_equal(target_local.stop(t, &e), TARGET_INTERRUPTED);
    assert_non_null(strstr(e.text, "interrupted again while fake was stopping: killed"));
    uv_timer_stop(&timer);
    assert_false(target_local.alive(t));
    target_local.free(t);
}

static void interrupt_when_told(uv_poll_t *told, int status, int events) {
    (void)status;
    (void)events;
    uv_poll_stop(told);
    raise(SIGINT);
}

/* The one that ended the window is the first; and who waits after it is told for what. */
static void an_interrupt_before_the_stop_counts(void **state) {
    struct loop *loop = *state;
    struct target_spec spec = spec_of(announcing);
    struct target *t = NULL;
    struct err e = {0};
    char said[512] = "";
    uv_poll_t told;
    int ends[2];
    setenv("FAKE_TARGET", "ignore-term", 1);
    spec.stop_grace_ns = 600 * SECOND;
    assert_int_equal(bring_up(loop, &spec, &t, &e), TARGET_OK);
    loop->interrupted = 1;
    const int own = dup(2);
    assert_int_equal(pipe(ends), 0);
    uv_poll_init(&loop->uv, &told, ends[0]);
    uv_poll_start(&told, UV_READABLE, interrupt_when_told);
    dup2(ends[1], 2);
    const enum target_failure f = target_local.stop(t, &e);
    dup2(own, 2);
    uv_close((uv_handle_t *)&told, NULL);
    loop_wait(loop, NULL, NULL, 1000);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    close(own);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(f, TARGET_INTERRUPTED);
    assert_non_null(strstr(said, "interrupted; waiting up to 600 s for fake to stop"));
    assert_int_equal(loop->interrupted, 2);
    target_local.free(t);
}

static bool is_gone(void *ctx) {
    return !target_local.alive(ctx);
}

static void notices_a_crash(void **state) {
    struct target_spec spec = spec_of(announcing);
    struct target *t = NULL;
    struct err e = {0};
    int status = 0;
    setenv("FAKE_TARGET", "crash-later", 1);
    setenv("FAKE_TARGET_AFTER", "2", 1); /* the ready request is the first */
    assert_int_equal(bring_up(*state, &spec, &t, &e), TARGET_OK);
    enum probe_result r =
        probe_get(*state, t->host, t->port, "/hello", 20 * SECOND, NULL, NULL, &status);
    assert_int_equal(r, PROBE_REFUSED); /* closed without an answer */
    assert_int_equal(loop_wait(*state, is_gone, t, 20 * SECOND), LOOP_DONE);
    assert_int_equal(target_local.stop(t, &e), TARGET_CRASHED);
    assert_non_null(strstr(e.text, "signal 11"));
    assert_non_null(strstr(e.text, "about to crash"));
    target_local.free(t);
}

/* What a target leaves in its process group goes with it. */
static void leaves_no_orphan(void **state) {
    struct target_spec spec = spec_of(announcing);
    struct target *t = NULL;
    struct err e = {0};
    setenv("FAKE_TARGET", "orphan", 1);
    assert_int_equal(bring_up(*state, &spec, &t, &e), TARGET_OK);
    const char *said = strstr(target_local.output(t), "orphan ");
    assert_non_null(said);
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%ld/stat", strtol(said + 7, NULL, 10));
    assert_true(file_read_small(path, text, sizeof text) > 0);
    if (target_local.stop(t, &e) != TARGET_OK) {
        fail_msg("%s: %s", e.text, target_local.output(t));
    }
    /* Killed, it may be a zombie until whoever inherited it looks after it. */
    int64_t end = clock_mono_ns() + 20 * SECOND;
    bool running = true;
    while (running && clock_mono_ns() < end) {
        running = file_read_small(path, text, sizeof text) > 0 && !strstr(text, ") Z ");
    }
    assert_false(running);
    target_local.free(t);
}

static int bind_any(int *port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

/* A socket that connections wait at; nobody answers by itself. */
static int listen_on(int *port) {
    const int listener = bind_any(port);
    assert_int_equal(listen(listener, 1), 0);
    return listener;
}

static void interrupt_loop(uv_timer_t *timer) {
    (void)timer;
    raise(SIGINT);
}

static void can_be_interrupted(void **state) {
    struct loop *loop = *state;
    static const char *const behaviours[] = {"no-ready", "never-answer"};
    for (size_t i = 0; i < 2; i++) {
        struct target_spec spec = spec_of(announcing);
        struct target *t = NULL;
        struct err e = {0};
        uv_timer_t timer;
        spec.ready_timeout_ns = 1000 * SECOND;
        setenv("FAKE_TARGET", behaviours[i], 1);
        uv_timer_init(&loop->uv, &timer);
        uv_timer_start(&timer, interrupt_loop, 100, 0);
        assert_int_equal(bring_up(loop, &spec, &t, &e), TARGET_INTERRUPTED);
        target_local.free(t);
        uv_close((uv_handle_t *)&timer, NULL);
        loop_wait(loop, NULL, NULL, SECOND / 1000);
    }
}

/* In the turn of the loop in which the ready line came, and before the answer is waited for. */
static void an_early_interrupt_is_not_lost(void **state) {
    struct loop *loop = *state;
    struct target_spec spec = spec_of(announcing);
    struct target *t = NULL;
    struct err e = {0};
    spec.ready_timeout_ns = 100 * SECOND;
    setenv("FAKE_TARGET", "never-answer", 1);
    assert_int_equal(target_local.start(loop, &spec, &t, &e), TARGET_OK);
    loop->interrupted++;
    assert_int_equal(target_local.ready(t, &e), TARGET_INTERRUPTED);
    target_local.free(t);
}

static void interrupt_once(uv_check_t *check) {
    struct loop *loop = check->data;
    loop->interrupted++;
    uv_check_stop(check);
}

/* In the turn of the loop in which the connection is there, and before its reply is waited for. */
static void an_interrupt_with_an_event_is_not_lost(void **state) {
    struct loop *loop = *state;
    int port = 0;
    int status = 0;
    const int listener = listen_on(&port);
    uv_check_t check;
    uv_check_init(&loop->uv, &check);
    check.data = loop;
    uv_check_start(&check, interrupt_once); /* runs after the events of a turn */
    assert_int_equal(probe_get(loop, "127.0.0.1", port, "/", 20 * SECOND, NULL, NULL, &status),
                     PROBE_INTERRUPTED);
    uv_close((uv_handle_t *)&check, NULL);
    loop_wait(loop, NULL, NULL, SECOND / 1000);
    close(listener);
}

static void probes_addresses(void **state) {
    int status = 0;
    assert_int_equal(probe_get(*state, "not an address", 80, "/", SECOND, NULL, NULL, &status),
                     PROBE_REFUSED);
    /* Bound, and nobody listens: nor can anybody else meanwhile. */
    int port = 0;
    const int holder = bind_any(&port);
    assert_int_equal(probe_get(*state, "127.0.0.1", port, "/", 60 * SECOND, NULL, NULL, &status),
                     PROBE_REFUSED);
    close(holder);
}

/* Serves one reply and leaves with 0 when its client ended the connection, 1 when it reset it. */
static pid_t serve_once(int listener, const char *head, size_t body) {
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    char data[8192] = "";
    const int fd = accept(listener, NULL, NULL);
    bool sound = fd >= 0 && recv(fd, data, sizeof data, 0) > 0;
    memset(data, 'x', sizeof data);
    sound = sound && send(fd, head, strlen(head), 0) > 0;
    for (size_t left = body; sound && left > 0; left -= left < sizeof data ? left : sizeof data) {
        sound = send(fd, data, left < sizeof data ? left : sizeof data, 0) > 0;
    }
    _exit(sound && recv(fd, data, sizeof data, 0) == 0 ? 0 : 1);
}

static void reads_a_reply_to_its_end(void **state) {
    static const struct {
        const char *head;
        size_t body;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Long: 0123456789012345678901234567890\r\n\r\n",
         0},
        {"HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n", 20000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int port = 0;
        int status = 0;
        int left = -1;
        const int listener = listen_on(&port);
        const pid_t child = serve_once(listener, cases[i].head, cases[i].body);
        assert_int_equal(
            probe_get(*state, "127.0.0.1", port, "/", 20 * SECOND, NULL, NULL, &status),
            PROBE_ANSWERED);
        assert_int_equal(status, 200);
        assert_int_equal(waitpid(child, &left, 0), child);
        assert_int_equal(left, 0);
        close(listener);
    }
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(becomes_ready_and_stops),
        CASE(fails_with_a_reason),
        CASE(waits_for_foreign_servers),
        CASE(needs_a_program),
        CASE(judges_its_end),
        CASE(interrupts_end_its_grace),
        CASE(an_interrupt_before_the_stop_counts),
        CASE(notices_a_crash),
        CASE(leaves_no_orphan),
        CASE(can_be_interrupted),
        CASE(an_early_interrupt_is_not_lost),
        CASE(an_interrupt_with_an_event_is_not_lost),
        CASE(probes_addresses),
        CASE(reads_a_reply_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
