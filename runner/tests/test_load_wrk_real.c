/* The real wrk: what it says, however it ends, is understood. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "bench_load.h"
#include "load/summary.h"

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

static void is_understood(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    char version[64];
    assert_int_equal(load_wrk.check(&b->loop, NULL, version, sizeof version, &b->e), LOAD_OK);
    struct load_spec spec = bench_spec(b, NULL);
    spec.threads = 2;
    bench_run_well(b, &spec);
    const struct load_outcome *o = &b->out;
    assert_true(o->duration_us >= 990000);
    assert_true(o->requests > 10);
    assert_int_equal(hist_total(&o->raw), o->requests - o->errors_timeout);
    assert_corrects_to(o, spec.connections);
    double active = load_active_ratio(&o->raw, spec.connections, o->duration_us);
    assert_true(active > 0.5 && active < 1.05);
}

static void warms_up_and_is_refused(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load_spec spec = bench_spec(b, NULL);
    spec.phase = LOAD_WARMUP;
    spec.duration_ns = SECOND / 5;
    bench_run_well(b, &spec);
    while (b->out.requests == 0 && spec.duration_ns < 20 * SECOND) { /* a busy machine */
        spec.duration_ns *= 4;
        bench_run_well(b, &spec);
    }
    assert_true(b->out.requests > 0);
    /* Ended by SIGINT: wrk itself was given two seconds more. */
    assert_true(b->out.duration_us < spec.duration_ns / SECOND * 1000000 + 2000000);

    spec.port = 1; /* nobody listens there */
    assert_int_equal(bench_run(b, &spec), LOAD_REFUSED);
    assert_non_null(strstr(b->e.text, "unable to connect"));
}

/* Loads a target of its own that misbehaves after its ready request. */
static enum load_failure run_against(struct bench *b, const char *behaviour,
                                     struct load_spec *spec) {
    struct target *own = b->target;
    setenv("FAKE_TARGET", behaviour, 1);
    setenv("FAKE_TARGET_AFTER", "2", 1);
    b->target = bench_start_target(b);
    unsetenv("FAKE_TARGET");
    unsetenv("FAKE_TARGET_AFTER");
    spec->port = b->target->port;
    enum load_failure f = bench_run(b, spec);
    target_local.free(b->target);
    b->target = own;
    return f;
}

/* wrk prints nan% and exits with 0. */
static void hangs(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load_spec spec = bench_spec(b, NULL);
    assert_int_equal(run_against(b, "hang-later", &spec), LOAD_HUNG);
    assert_int_equal(b->out.requests, 0);
}

/* A reply slower than the timeout is counted, as a request and as an error, but has no latency. */
static void times_out(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load_spec spec = bench_spec(b, NULL);
    spec.connections = 1;
    spec.duration_ns = 2 * SECOND;
    spec.timeout_ns = SECOND;
    enum load_failure f = run_against(b, "slow-later", &spec);
    while (f == LOAD_HUNG && spec.duration_ns < 20 * SECOND) { /* none came: a busy machine */
        spec.duration_ns *= 2;
        f = run_against(b, "slow-later", &spec);
    }
    if (f != LOAD_OK) {
        fail_msg("%s: %s", load_failure_name(f), b->e.text);
    }
    assert_in_range(b->out.requests, 1, spec.duration_ns / SECOND); /* each takes 1.2 s */
    assert_int_equal(b->out.errors_timeout, b->out.requests);
    assert_int_equal(b->out.raw.n, 0);
    assert_int_equal(b->out.corrected.n, 0);
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
static void ends_early(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    struct load *load = NULL;
    struct load_spec spec = bench_spec(b, NULL);
    spec.duration_ns = 60 * SECOND;
    assert_int_equal(load_wrk.start(&b->loop, &spec, &load, &b->e), LOAD_OK);
    struct interrupter i = {.pid = load_wrk.pid(load)};
    uv_timer_init(&b->loop.uv, &i.timer);
    i.timer.data = &i;
    uv_timer_start(&i.timer, interrupt_generator, 100, 100);
    assert_int_equal(load_wrk.finish(load, NULL, NULL, &b->out, &b->e), LOAD_EARLY);
    uv_close((uv_handle_t *)&i.timer, NULL);
    loop_wait(&b->loop, NULL, NULL, SECOND / 1000);
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

static size_t waiting(int fd) {
    int n = 0;
    assert_int_equal(ioctl(fd, FIONREAD, &n), 0);
    return (size_t)n;
}

/* Every byte that Lua, wrk or HTTP could trip over arrives as it was meant. */
static void sends_hostile_bytes(void **state) {
    struct bench *b = *state;
    bench_need_wrk();
    char body[256];
    for (int i = 0; i < 256; i++) {
        body[i] = (char)i;
    }
    struct load_spec spec = bench_spec(b, NULL);
    spec.phase = LOAD_WARMUP;
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
    enum load_failure f = bench_run(b, &spec);
    while (f == LOAD_OK && waiting(pipes[0]) == 0 && spec.duration_ns < 20 * SECOND) {
        spec.duration_ns *= 4; /* it was ended before it had asked anything: a busy machine */
        f = bench_run(b, &spec);
    }
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
        fail_msg("%s: %s", load_failure_name(f), b->e.text);
    }
    assert_int_equal(len, want);
    assert_memory_equal(got, expected, want);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)
        CASE(is_understood), CASE(warms_up_and_is_refused), CASE(hangs), CASE(times_out),
        CASE(ends_early),    CASE(sends_hostile_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
