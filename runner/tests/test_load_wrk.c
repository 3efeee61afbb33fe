/* The load generator as a program: every way it can end, with a fake one; and the real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "load/load.h"
#include "load/summary.h"
#include "target/target.h"

#define SECOND INT64_C(1000000000)
#define FAKE   "runner/tests/fake-wrk"

struct bench {
    struct loop loop;
    struct target *target;
    char tmp[64];
};

static const char *const target_argv[] = {
    "runner/tests/fake-target", "--listen", "127.0.0.1:0", "--name", "a", NULL};
static const struct target_spec target_spec = {.name = "a", .argv = target_argv};

static int set_up(void **state) {
    struct bench *b = calloc(1, sizeof *b);
    struct err e = {0};
    assert_non_null(b);
    *state = b;
    snprintf(b->tmp, sizeof b->tmp, "/tmp/loopbench-test-XXXXXX");
    assert_non_null(mkdtemp(b->tmp));
    setenv("TMPDIR", b->tmp, 1);
    setenv("FAKE_WRK", "ok", 1);
    assert_int_equal(loop_init(&b->loop, &e), 0);
    if (target_local.start(&b->loop, &target_spec, &b->target, &e) != TARGET_OK ||
        target_local.ready(b->target, &e) != TARGET_OK) {
        fail_msg("%s", e.text);
    }
    return 0;
}

static int tear_down(void **state) {
    struct bench *b = *state;
    target_local.free(b->target);
    loop_release(&b->loop);
    assert_int_equal(rmdir(b->tmp), 0); /* every temporary file is gone */
    free(b);
    return 0;
}

static struct load_spec spec_for(const struct bench *b, enum load_phase phase) {
    return (struct load_spec){
        .program = FAKE,
        .host = b->target->host,
        .port = b->target->port,
        .request = {.path = "/hello"},
        .connections = 10,
        .threads = 1,
        .phase = phase,
        .duration_ns = SECOND,
    };
}

static bool target_is_gone(void *ctx) {
    const struct target *t = ctx;
    return !t->ops->alive(t);
}

static enum load_failure run(struct bench *b, const struct load_spec *spec,
                             struct load_outcome *out, struct err *e) {
    struct load *load = NULL;
    enum load_failure f = load_wrk.start(&b->loop, spec, &load, e);
    load_outcome_init(out);
    if (f == LOAD_OK) {
        f = load_wrk.finish(load, target_is_gone, b->target, out, e);
    }
    load_wrk.free(load);
    return f;
}

/* What each fake behaviour comes to. */
static void judges_every_end(void **state) {
    struct bench *b = *state;
    static const struct {
        const char *behaviour;
        enum load_failure failure;
        const char *words;
    } cases[] = {
        {"zero", LOAD_HUNG, "no reply completed"},
        {"lie", LOAD_LIES, "contradict"},
        {"torn", LOAD_RESULT, "result is not usable"},
        {"garbage", LOAD_RESULT, "not written by our script"},
        {"empty", LOAD_RESULT, "without handing over a result"},
        {"exit3", LOAD_EXIT, "exited with status 3: fake-wrk: something went wrong"},
        {"refused", LOAD_REFUSED, "unable to connect to"},
        {"killed", LOAD_KILLED, "signal 9"},
        {"early", LOAD_EARLY, "measured 0.500 s of 1.000 s"},
        {"hang", LOAD_TIMEOUT, "killed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct load_spec spec = spec_for(b, LOAD_WINDOW);
        struct load_outcome o;
        struct err e = {0};
        setenv("FAKE_WRK", cases[i].behaviour, 1);
        if (cases[i].failure == LOAD_TIMEOUT) {
            spec.margin_ns = -SECOND + SECOND / 5; /* a deadline of 0.2 s in all */
        }
        enum load_failure f = run(b, &spec, &o, &e);
        if (f != cases[i].failure || !strstr(e.text, cases[i].words)) {
            fail_msg("%s: %s: %s", cases[i].behaviour, load_failure_name(f), e.text);
        }
        assert_int_equal(e.class, ERR_FAILED);
        assert_true(strlen(o.output) < sizeof o.output);
        load_outcome_release(&o);
    }
}

static void gives_a_sound_result(void **state) {
    struct bench *b = *state;
    static const char *const behaviours[] = {"ok", "errors", "slow", "wide", "other=zero"};
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        struct load_spec spec = spec_for(b, LOAD_WINDOW);
        struct load_outcome o;
        struct err e = {0};
        setenv("FAKE_WRK", behaviours[i], 1);
        enum load_failure f = run(b, &spec, &o, &e);
        if (f != LOAD_OK) {
            fail_msg("%s: %s: %s", behaviours[i], load_failure_name(f), e.text);
        }
        assert_true(o.duration_us >= 1000000); /* as it claims; the test itself waits for nothing */
        assert_true(o.requests > 0);
        assert_int_equal(hist_total(&o.raw), o.requests);
        assert_true(hist_total(&o.corrected) >= o.requests);
        assert_true(o.cpu_s > 0);
        assert_true(o.bytes > 0);
        assert_int_equal(o.errors_status, i == 1 ? o.requests / 10 : 0);
        assert_string_equal(o.output, "");
        load_outcome_release(&o);
    }
}

static void repeats_itself_from_the_seed(void **state) {
    struct bench *b = *state;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    struct load_outcome o[3];
    struct err e = {0};
    static const char *const seeds[] = {"7", "7", "8"};
    for (int i = 0; i < 3; i++) {
        setenv("FAKE_WRK_SEED", seeds[i], 1);
        assert_int_equal(run(b, &spec, &o[i], &e), LOAD_OK);
    }
    unsetenv("FAKE_WRK_SEED");
    assert_int_equal(o[0].requests, o[1].requests);
    assert_int_not_equal(o[0].requests, o[2].requests);
    for (int i = 0; i < 3; i++) {
        load_outcome_release(&o[i]);
    }
}

static void warms_up(void **state) {
    struct bench *b = *state;
    struct load_outcome o;
    struct err e = {0};
    struct load_spec spec = spec_for(b, LOAD_WARMUP);
    spec.duration_ns = SECOND / 2;
    assert_int_equal(run(b, &spec, &o, &e), LOAD_OK);
    assert_true(o.duration_us > 0);
    assert_int_equal(o.raw.n, 0);
    load_outcome_release(&o);
    /* A workload may be too slow to complete anything in so short a time. */
    setenv("FAKE_WRK", "warmup:zero", 1);
    assert_int_equal(run(b, &spec, &o, &e), LOAD_OK);
    assert_int_equal(o.requests, 0);
    load_outcome_release(&o);
}

static void refuses_what_wrk_cannot_do(void **state) {
    struct bench *b = *state;
    struct load_spec bad[6];
    static const char *const words[] = {"equally",       "at least one",  "whole seconds",
                                        "whole seconds", "whole seconds", "path"};
    for (size_t i = 0; i < 6; i++) {
        bad[i] = spec_for(b, LOAD_WINDOW);
    }
    bad[0].threads = 3; /* wrk would open 9 connections and say nothing */
    bad[1].threads = 0;
    bad[2].duration_ns = SECOND / 2;
    bad[3].duration_ns = 0;
    bad[4].timeout_ns = SECOND / 2;
    bad[5].request.path = "a b";
    for (size_t i = 0; i < 6; i++) {
        struct load_outcome o;
        struct err e = {0};
        assert_int_equal(run(b, &bad[i], &o, &e), LOAD_SPEC);
        assert_int_equal(e.class, ERR_USAGE);
        if (!strstr(e.text, words[i])) {
            fail_msg("case %zu: '%s' lacks '%s'", i, e.text, words[i]);
        }
        load_outcome_release(&o);
    }
}

static void checks_the_program(void **state) {
    struct bench *b = *state;
    char version[64] = "";
    struct err e = {0};
    assert_int_equal(load_wrk.check(&b->loop, FAKE, version, sizeof version, &e), LOAD_OK);
    assert_string_equal(version, "fake/4.1.0");
    setenv("FAKE_WRK_VERSION", "4.0.9", 1);
    assert_int_equal(load_wrk.check(&b->loop, FAKE, version, sizeof version, &e), LOAD_MISSING);
    assert_non_null(strstr(e.text, "4.1 or later"));
    unsetenv("FAKE_WRK_VERSION");
    assert_int_equal(load_wrk.check(&b->loop, "no-such-wrk", version, sizeof version, &e),
                     LOAD_MISSING);
    assert_non_null(strstr(e.text, "apt install wrk"));
    assert_int_equal(e.class, ERR_MACHINE);
    assert_int_equal(load_wrk.check(&b->loop, "/bin/true", version, sizeof version, &e),
                     LOAD_MISSING);
    assert_non_null(strstr(e.text, "is this wrk?"));
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    struct load_outcome o;
    spec.program = "no-such-wrk";
    assert_int_equal(run(b, &spec, &o, &e), LOAD_MISSING);
    load_outcome_release(&o);
}

/* The target dies under load: the generator is not waited for. */
static void ends_with_its_target(void **state) {
    struct bench *b = *state;
    struct load_outcome o;
    struct err e = {0};
    struct target *doomed = NULL;
    setenv("FAKE_TARGET", "crash-later", 1);
    assert_int_equal(target_local.start(&b->loop, &target_spec, &doomed, &e), TARGET_OK);
    assert_int_equal(target_local.ready(doomed, &e), TARGET_OK);
    unsetenv("FAKE_TARGET");
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    spec.port = doomed->port;
    struct load *load = NULL;
    assert_int_equal(load_wrk.start(&b->loop, &spec, &load, &e), LOAD_OK);
    assert_int_equal(load_wrk.finish(load, target_is_gone, doomed, &o, &e), LOAD_STOPPED);
    load_outcome_release(&o);
    load_wrk.free(load);
    assert_int_equal(target_local.stop(doomed, &e), TARGET_CRASHED);
    assert_non_null(strstr(e.text, "signal 11"));
    assert_non_null(strstr(target_local.output(doomed), "about to crash"));
    target_local.free(doomed);
}

static void interrupt_loop(uv_timer_t *timer) {
    (void)timer;
    raise(SIGTERM);
}

static void can_be_interrupted(void **state) {
    struct bench *b = *state;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    struct load_outcome o;
    struct err e = {0};
    uv_timer_t timer;
    setenv("FAKE_WRK", "hang", 1);
    uv_timer_init(&b->loop.uv, &timer);
    uv_timer_start(&timer, interrupt_loop, 50, 0);
    assert_int_equal(run(b, &spec, &o, &e), LOAD_INTERRUPTED);
    load_outcome_release(&o);
    uv_close((uv_handle_t *)&timer, NULL);
    loop_wait(&b->loop, NULL, NULL, SECOND / 1000);
}

static void can_be_aborted(void **state) {
    struct bench *b = *state;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    struct err e = {0};
    struct load *load = NULL;
    setenv("FAKE_WRK", "hang", 1);
    assert_int_equal(load_wrk.start(&b->loop, &spec, &load, &e), LOAD_OK);
    pid_t pid = load_wrk.pid(load);
    assert_true(pid > 0);
    load_wrk.abort(load);
    assert_int_equal(kill(pid, 0), -1);
    load_wrk.free(load);
}

/* ---- the real wrk */

static bool wrk_is_there(void) {
    char path[4096];
    return file_which("wrk", path, sizeof path) == 0;
}

/* wrk's stats_correct(), written out, on what was recovered must give what wrk handed over. */
static void assert_corrects_to(const struct load_outcome *o, int connections) {
    int64_t interval = o->duration_us / (o->requests / connections);
    struct hist again = {0};
    for (size_t i = 0; i < o->raw.n; i++) {
        int64_t count = o->raw.count[i];
        assert_int_equal(hist_add(&again, o->raw.value[i], count), 0);
        for (int64_t m = o->raw.value[i] - interval; m > interval; m -= interval) {
            if (m >= o->raw.value[0]) {
                assert_int_equal(hist_add(&again, m, count), 0);
            }
        }
    }
    assert_int_equal(again.n, o->corrected.n);
    for (size_t i = 0; i < again.n; i++) {
        assert_int_equal(again.value[i], o->corrected.value[i]);
        assert_int_equal(again.count[i], o->corrected.count[i]);
    }
    hist_release(&again);
}

static void real_wrk_is_understood(void **state) {
    struct bench *b = *state;
    if (!wrk_is_there()) {
        skip();
    }
    char version[64];
    struct err e = {0};
    assert_int_equal(load_wrk.check(&b->loop, NULL, version, sizeof version, &e), LOAD_OK);
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    struct load_outcome o;
    spec.program = NULL;
    spec.threads = 2;
    enum load_failure f = run(b, &spec, &o, &e);
    if (f != LOAD_OK) {
        fail_msg("%s: %s", load_failure_name(f), e.text);
    }
    assert_true(o.duration_us >= 990000);
    assert_true(o.requests > 10);
    assert_int_equal(hist_total(&o.raw), o.requests - o.errors_timeout);
    assert_corrects_to(&o, spec.connections);
    double active = load_active_ratio(&o.raw, spec.connections, o.duration_us);
    assert_true(active > 0.5 && active < 1.05);
    load_outcome_release(&o);
}

static void real_wrk_warms_up_and_is_refused(void **state) {
    struct bench *b = *state;
    if (!wrk_is_there()) {
        skip();
    }
    struct err e = {0};
    struct load_outcome o;
    struct load_spec spec = spec_for(b, LOAD_WARMUP);
    spec.program = NULL;
    spec.duration_ns = SECOND / 5;
    enum load_failure f = run(b, &spec, &o, &e);
    if (f != LOAD_OK) {
        fail_msg("%s: %s", load_failure_name(f), e.text);
    }
    assert_true(o.requests > 0);
    assert_true(o.duration_us < 2000000); /* ended by SIGINT: wrk itself was given two seconds */
    load_outcome_release(&o);

    spec.port = 1; /* nobody listens there */
    assert_int_equal(run(b, &spec, &o, &e), LOAD_REFUSED);
    assert_non_null(strstr(e.text, "unable to connect"));
    load_outcome_release(&o);
}

/* Runs the real wrk against a target of its own that misbehaves after its ready request. */
static enum load_failure run_against(struct bench *b, const char *behaviour, struct load_spec *spec,
                                     struct load_outcome *out, struct err *e) {
    struct target *own = b->target;
    setenv("FAKE_TARGET", behaviour, 1);
    setenv("FAKE_TARGET_AFTER", "2", 1);
    assert_int_equal(target_local.start(&b->loop, &target_spec, &b->target, e), TARGET_OK);
    assert_int_equal(target_local.ready(b->target, e), TARGET_OK);
    unsetenv("FAKE_TARGET");
    unsetenv("FAKE_TARGET_AFTER");
    spec->port = b->target->port;
    enum load_failure f = run(b, spec, out, e);
    target_local.free(b->target);
    b->target = own;
    return f;
}

/* wrk prints nan% and exits with 0. */
static void real_wrk_hangs(void **state) {
    struct bench *b = *state;
    if (!wrk_is_there()) {
        skip();
    }
    struct err e = {0};
    struct load_outcome o;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    spec.program = NULL;
    assert_int_equal(run_against(b, "hang-later", &spec, &o, &e), LOAD_HUNG);
    assert_int_equal(o.requests, 0);
    load_outcome_release(&o);
}

/* A reply slower than the timeout is counted, as a request and as an error, but has no latency. */
static void real_wrk_times_out(void **state) {
    struct bench *b = *state;
    if (!wrk_is_there()) {
        skip();
    }
    struct err e = {0};
    struct load_outcome o;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    spec.program = NULL;
    spec.connections = 1;
    spec.duration_ns = 2 * SECOND;
    spec.timeout_ns = SECOND;
    enum load_failure f = run_against(b, "slow-later", &spec, &o, &e);
    if (f != LOAD_OK) {
        fail_msg("%s: %s", load_failure_name(f), e.text);
    }
    assert_int_equal(o.requests, 1);
    assert_int_equal(o.errors_timeout, 1);
    assert_int_equal(o.raw.n, 0);
    assert_int_equal(o.corrected.n, 0);
    load_outcome_release(&o);
}

struct interrupter {
    uv_timer_t timer;
    pid_t pid;
};

static void interrupt_generator(uv_timer_t *timer) {
    const struct interrupter *i = timer->data;
    kill(i->pid, SIGINT);
}

/* SIGINT from outside ends wrk early and with status 0: only its duration tells. */
static void real_wrk_ends_early(void **state) {
    struct bench *b = *state;
    if (!wrk_is_there()) {
        skip();
    }
    struct err e = {0};
    struct load_outcome o;
    struct load *load = NULL;
    struct load_spec spec = spec_for(b, LOAD_WINDOW);
    spec.program = NULL;
    spec.duration_ns = 60 * SECOND;
    assert_int_equal(load_wrk.start(&b->loop, &spec, &load, &e), LOAD_OK);
    struct interrupter i = {.pid = load_wrk.pid(load)};
    uv_timer_init(&b->loop.uv, &i.timer);
    i.timer.data = &i;
    uv_timer_start(&i.timer, interrupt_generator, 100, 100);
    assert_int_equal(load_wrk.finish(load, NULL, NULL, &o, &e), LOAD_EARLY);
    uv_close((uv_handle_t *)&i.timer, NULL);
    loop_wait(&b->loop, NULL, NULL, SECOND / 1000);
    load_outcome_release(&o);
    load_wrk.free(load);
}

/* Answers every request with an empty reply and writes the first one's bytes to `out`. */
static void serve_and_tell(int listener, int out, size_t want) {
    char buf[4096];
    size_t told = 0;
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        ssize_t n;
        while (fd >= 0 && (n = read(fd, buf, sizeof buf)) > 0) {
            static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
            size_t part = told + (size_t)n > want ? want - told : (size_t)n;
            if (part > 0 && write(out, buf, part) != (ssize_t)part) {
                _exit(1);
            }
            told += part;
            if (told < want) {
                continue;
            }
            if (write(fd, reply, sizeof reply - 1) < 0) {
                break;
            }
        }
        close(fd);
    }
}

/* Every byte that Lua, wrk or HTTP could trip over arrives as it was meant. */
static void real_wrk_sends_hostile_bytes(void **state) {
    struct bench *b = *state;
    if (!wrk_is_there()) {
        skip();
    }
    char body[256];
    for (int i = 0; i < 256; i++) {
        body[i] = (char)i;
    }
    struct load_spec spec = spec_for(b, LOAD_WARMUP);
    spec.program = NULL;
    spec.connections = 1;
    spec.duration_ns = SECOND / 10;
    spec.request = (struct load_request){.method = "POST",
                                         .path = "/a\"]]%s\\n--[[?q='%00%d#end",
                                         .headers = "X-Odd: \"\\]] %s \xc3\xa9 --\r\n",
                                         .body = body,
                                         .body_len = sizeof body};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int pipes[2];
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    spec.port = ntohs(address.sin_port);
    char expected[1024];
    int head = snprintf(expected, sizeof expected,
                        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Length: 256\r\n\r\n",
                        spec.request.path, spec.port, spec.request.headers);
    memcpy(expected + head, body, sizeof body);
    size_t want = (size_t)head + sizeof body;
    assert_int_equal(pipe(pipes), 0);
    pid_t server = fork();
    assert_true(server >= 0);
    if (server == 0) {
        close(pipes[0]);
        serve_and_tell(listener, pipes[1], want);
    }
    close(pipes[1]);
    close(listener);
    struct load_outcome o;
    struct err e = {0};
    enum load_failure f = run(b, &spec, &o, &e);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    char got[1024];
    size_t len = 0;
    ssize_t n;
    while (len < sizeof got && (n = read(pipes[0], got + len, sizeof got - len)) > 0) {
        len += (size_t)n;
    }
    close(pipes[0]);
    if (f != LOAD_OK) {
        fail_msg("%s: %s", load_failure_name(f), e.text);
    }
    assert_int_equal(len, want);
    assert_memory_equal(got, expected, want);
    load_outcome_release(&o);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(judges_every_end),
        CASE(gives_a_sound_result),
        CASE(repeats_itself_from_the_seed),
        CASE(warms_up),
        CASE(refuses_what_wrk_cannot_do),
        CASE(checks_the_program),
        CASE(ends_with_its_target),
        CASE(can_be_interrupted),
        CASE(can_be_aborted),
        CASE(real_wrk_is_understood),
        CASE(real_wrk_warms_up_and_is_refused),
        CASE(real_wrk_hangs),
        CASE(real_wrk_times_out),
        CASE(real_wrk_ends_early),
        CASE(real_wrk_sends_hostile_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
