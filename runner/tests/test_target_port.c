/* The port that is chosen for a target: whose it is, and what happens where somebody else takes it
 * before the target does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "fixture.h"
#include "target/port.h"
#include "target/target.h"

#define FAKE "exec runner/tests/fake-target --listen \"$1\""

struct fixture {
    struct loop loop;
    char dir[64];
    int go; /* a FIFO, in which a line is a start that may go on */
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct err e = {0};
    char path[128];
    assert_non_null(f);
    assert_int_equal(loop_init(&f->loop, &e), 0);
    unsetenv("FAKE_TARGET");
    snprintf(f->dir, sizeof f->dir, "%s", FIXTURE_TEMPLATE);
    assert_non_null(mkdtemp(f->dir));
    snprintf(path, sizeof path, "%s/go", f->dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    f->go = open(path, O_RDWR | O_CLOEXEC);
    assert_true(f->go >= 0);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    close(f->go);
    fixture_remove(f->dir);
    loop_release(&f->loop);
    free(f);
    return 0;
}

/* A socket on a port, 0 = any, that connections wait at. */
static int listen_at(int port) {
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 8), 0);
    return fd;
}

static int port_of(int fd) {
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    return ntohs(at.sin_port);
}

/* Whether another loopbench could choose it. */
static bool is_anybodys(int port) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int len =
        snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "loopbench-port-%d", port);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
    const int rc = bind(fd, (const struct sockaddr *)&name, size);
    close(fd);
    return rc == 0;
}

/* It may be some time until nobody is left who was there while it was held. */
static void becomes_anybodys(int port) {
    const int64_t end = clock_mono_ns() + INT64_C(60000000000);
    while (!is_anybodys(port) && clock_mono_ns() < end) {
    }
    assert_true(is_anybodys(port));
}

static void belongs_to_one_runner(void **state) {
    (void)state;
    struct port p = port_choose("127.0.0.1");
    assert_true(p.number > 0);
    assert_false(is_anybodys(p.number));
    close(listen_at(p.number)); /* and it is free */
    const int number = p.number;
    port_release(&p);
    assert_int_equal(p.number, -1);
    port_release(&p);
    assert_true(is_anybodys(number));
    p = port_choose("nonsense");
    assert_int_equal(p.number, -1);
}

static void is_taken_by_listeners_and_by_clients(void **state) {
    (void)state;
    const int listener = listen_at(0);
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&at, size), 0);
    const int number = port_of(listener);
    assert_true(port_is_taken("127.0.0.1", number));
    assert_true(port_is_taken("127.0.0.1", port_of(client)));
    close(client);
    close(listener);
    struct port p = port_choose("127.0.0.1");
    assert_false(port_is_taken("127.0.0.1", p.number));
    assert_false(port_is_taken("nonsense", p.number));
    port_release(&p);
}

/* How often the target of run() was started. */
static size_t starts(const struct fixture *f) {
    char path[128];
    char text[64] = "";
    snprintf(path, sizeof path, "%s/starts", f->dir);
    return file_read_small(path, text, sizeof text) > 0 ? strlen(text) : 0;
}

/* Starts a shell with what a target does, "$1" being where it listens; with `taken` somebody
 * else takes that port before it may go on. Returns what came of it. */
static enum target_failure run(struct fixture *f, const char *what, const char *where, bool taken,
                               struct err *e) {
    char script[512];
    snprintf(script, sizeof script, "printf x >>\"$0/starts\"; read -r go <\"$0/go\"; %s", what);
    const char *const argv[] = {"sh", "-c", script, f->dir, where, NULL};
    const struct target_spec spec = {
        .name = "t", .argv = argv, .ready_timeout_ns = INT64_C(60000000000)};
    struct target *t = NULL;
    int other = -1;
    assert_int_equal(target_local.start(&f->loop, &spec, &t, e), TARGET_OK);
    const int first = t->port;
    if (taken) {
        other = listen_at(first);
    }
    assert_int_equal(write(f->go, "\n\n\n\n\n\n\n\n", 8), 8);
    const enum target_failure result = target_local.ready(t, e);
    if (result == TARGET_OK) {
        assert_int_equal(t->port == first, starts(f) == 1);
        assert_false(is_anybodys(t->port));
        if (t->port != first) {
            becomes_anybodys(first);
        }
        assert_int_equal(target_local.stop(t, e), TARGET_OK);
    }
    target_local.free(t);
    if (other >= 0) {
        close(other);
    }
    return result;
}

static void is_tried_elsewhere_where_it_is_taken(void **state) {
    struct fixture *f = *state;
    struct err e = {0};
    if (run(f, FAKE " 2>/dev/null", "{host}:{port}", true, &e) != TARGET_OK) {
        fail_msg("%s", e.text);
    }
    assert_int_equal(starts(f), 2);
}

/* Who had it has gone again. */
static void is_tried_elsewhere_where_the_target_says_so(void **state) {
    struct fixture *f = *state;
    struct err e = {0};
    if (run(f,
            "if [ \"$(cat \"$0/starts\")\" = x ]; then echo 'bind: Address already in use' >&2; "
            "exit 1; fi; " FAKE,
            "{host}:{port}", false, &e) != TARGET_OK) {
        fail_msg("%s", e.text);
    }
    assert_int_equal(starts(f), 2);
}

static void is_given_up_after_a_few(void **state) {
    struct fixture *f = *state;
    struct err e = {0};
    assert_int_equal(run(f, "echo EADDRINUSE >&2; exit 5", "{port}", false, &e), TARGET_START);
    assert_string_equal(e.text, "t exited with status 5 before it was ready: EADDRINUSE");
    assert_int_equal(starts(f), 4);
}

static void another_end_is_no_reason(void **state) {
    struct fixture *f = *state;
    struct err e = {0};
    assert_int_equal(run(f, "exit 5", "{port}", false, &e), TARGET_START);
    assert_int_equal(starts(f), 1);
}

/* It is the user's, or the target's own choice. */
static void a_port_of_others_choice_stays(void **state) {
    struct fixture *f = *state;
    struct err e = {0};
    char where[32];
    const int other = listen_at(0);
    snprintf(where, sizeof where, "127.0.0.1:%d", port_of(other));
    assert_int_equal(run(f, FAKE, where, false, &e), TARGET_START);
    if (!strstr(e.text, "already in use")) {
        fail_msg("%s", e.text);
    }
    assert_int_equal(starts(f), 1);
    close(other);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(belongs_to_one_runner),
        CASE(is_taken_by_listeners_and_by_clients),
        CASE(is_tried_elsewhere_where_it_is_taken),
        CASE(is_tried_elsewhere_where_the_target_says_so),
        CASE(is_given_up_after_a_few),
        CASE(another_end_is_no_reason),
        CASE(a_port_of_others_choice_stays),
    };
    return cmocka_run_group_tests_name("target/port", tests, NULL, NULL);
}
