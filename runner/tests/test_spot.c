/* The sample of replies that is checked under load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/workload.h"
#include "bodies.h"
#include "scripted.h"
#include "target/spot.h"

#define SECOND INT64_C(1000000000)

/* One answer for every request. */
struct script {
    const char *head; /* after "HTTP/1.1 " */
    const char *body; /* NULL = the right one */
    const char *more; /* bytes that follow it */
    bool close;
    bool silent;
    bool grows; /* each reply is longer than the one before */
    bool again; /* the very same every time */
};

static const struct workload *asked;

static void serve(struct scripted *s, int fd) {
    const struct script *script = s->script;
    char *buf = malloc(200000);
    size_t used = 0;
    size_t head = 0;
    size_t kept_len = 0;
    size_t longer = 1;
    char *kept = script->again ? bodies_make(asked, &kept_len) : NULL;
    assert_non_null(buf);
    while (scripted_request(s, fd, buf, 200000, &used, &head)) {
        size_t whole = head + asked->body_len;
        while (used < whole && scripted_wait(s, fd)) {
            ssize_t n = recv(fd, buf + used, 200000 - used, 0);
            used += n > 0 ? (size_t)n : 0;
        }
        memmove(buf, buf + whole, used - whole);
        used -= whole;
        if (script->silent) {
            scripted_wait(s, s->stop[0]);
            break;
        }
        size_t len = 0;
        char *made = bodies_make(asked, &len);
        const char *body = script->body ? script->body : kept ? kept : made;
        char *text = NULL;
        longer = script->grows ? longer * 10 : longer;
        int n = asprintf(&text, "HTTP/1.1 %s\r\nX: %zu\r\nContent-Length: %zu\r\n\r\n%s%s",
                         script->head, longer, script->body ? strlen(body) : len, body,
                         script->more ? script->more : "");
        scripted_say(fd, text, (size_t)n);
        free(text);
        free(made);
        if (script->close) {
            break;
        }
    }
    free(kept);
    free(buf);
}

/* A server that answers by a script, and one who checks its replies. */
struct checked {
    struct scripted server;
    struct loop loop;
};

static struct spot *begin(struct checked *k, const char *workload, const struct script *script) {
    struct err e = {0};
    asked = workload_find(workload);
    assert_true(scripted_start(&k->server, AF_INET, serve, script));
    assert_int_equal(loop_init(&k->loop, &e), 0);
    const struct spot_spec spec = {"127.0.0.1", k->server.port, asked, true};
    struct spot *s = spot_start(&k->loop, &spec);
    assert_non_null(s);
    return s;
}

static void end(struct checked *k, struct spot *s) {
    spot_stop(s);
    loop_release(&k->loop);
    scripted_stop(&k->server);
}

#define OK_TEXT "200 OK\r\nContent-Type: text/plain; charset=utf-8"

static void judges_one_reply(void **state) {
    (void)state;
    static const struct {
        const char *workload;
        struct script script;
        const char *wrong; /* NULL = none */
        int64_t checked;
    } cases[] = {
        {"hello", {.head = OK_TEXT}, NULL, 1},
        {"hello", {.head = OK_TEXT, .close = true}, NULL, 1},
        {"hello", {.head = OK_TEXT, .body = "Hello World!"}, "differs from byte 6 on", 1},
        {"hello", {.head = "500 Oops\r\nContent-Type: text/plain"}, "has status 500, not 200", 1},
        {"hello", {.head = "200 OK\r\nContent-Type: text/html"}, "is of type 'text/html'", 1},
        {"hello", {.head = "200 OK"}, "is of type ''", 1},
        {"hello", {.head = OK_TEXT, .more = "HTTP/1.1 200 OK\r\n"}, "belong to none", 1},
        {"hello", {.head = "abc def\r\nA: b"}, "malformed", 0},
        {"posts", {.head = "200 OK\r\nContent-Type: application/json"}, NULL, 1},
        {"upload", {.head = "200 OK\r\nContent-Type: application/json"}, NULL, 1},
        {"bytes:n=300000", {.head = "200 OK\r\nContent-Type: application/octet-stream"}, NULL, 1},
        {"hello", {.silent = true}, NULL, 0}, /* that is for the load generator to say */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct checked k;
        struct spot *s = begin(&k, cases[i].workload, &cases[i].script);
        bool silent = cases[i].script.silent;
        const enum spot_answer answer = spot_ask(s, silent ? SECOND / 10 : 60 * SECOND);
        assert_int_equal(answer, silent                  ? SPOT_UNANSWERED
                                 : cases[i].checked == 1 ? SPOT_JUDGED
                                                         : SPOT_BROKEN);
        const char *wrong = spot_wrong(s);
        if (!wrong != !cases[i].wrong || (wrong && !strstr(wrong, cases[i].wrong))) {
            fail_msg("case %zu: %s", i, wrong ? wrong : "nothing is wrong");
        }
        assert_int_equal(spot_checked(s), cases[i].checked);
        end(&k, s);
    }
}

/* What the time, and the reply before it, tell. */
static void judges_the_work(void **state) {
    (void)state;
    static const struct {
        const char *workload;
        struct script script;
        const char *wrong;
    } cases[] = {
        {"wait:ms=60000", {.head = OK_TEXT}, "came after"}, /* in less than half of that */
        {"wait:ms=0", {.head = OK_TEXT}, NULL},
        {"concat", {.head = OK_TEXT}, NULL},
        {"concat", {.head = OK_TEXT, .again = true}, "is the same as the one before"},
        {"posts", {.head = "200 OK\r\nContent-Type: application/json"}, NULL},
        {"posts",
         {.head = "200 OK\r\nContent-Type: application/json", .again = true},
         "is the same as the one before"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct checked k;
        struct spot *s = begin(&k, cases[i].workload, &cases[i].script);
        assert_int_equal(spot_ask(s, 60 * SECOND), SPOT_JUDGED);
        assert_true(spot_wrong(s) || spot_ask(s, 60 * SECOND) == SPOT_JUDGED);
        const char *wrong = spot_wrong(s);
        if (!wrong != !cases[i].wrong || (wrong && !strstr(wrong, cases[i].wrong))) {
            fail_msg("case %zu: %s", i, wrong ? wrong : "nothing is wrong");
        }
        end(&k, s);
    }
}

/* How long a reply is, head and body, is known of two that are as long; of no others. */
static void tells_how_long_replies_are(void **state) {
    (void)state;
    static const struct script scripts[] = {{.head = OK_TEXT}, {.head = OK_TEXT, .grows = true}};
    static const char reply[] =
        "HTTP/1.1 " OK_TEXT "\r\nX: 1\r\nContent-Length: 12\r\n\r\nHello world!";
    for (size_t i = 0; i < 2; i++) {
        struct scripted server;
        struct loop loop;
        struct err e = {0};
        asked = workload_find("hello");
        assert_true(scripted_start(&server, AF_INET, serve, &scripts[i]));
        assert_int_equal(loop_init(&loop, &e), 0);
        const struct spot_spec spec = {"127.0.0.1", server.port, asked, true};
        struct spot *s = spot_start(&loop, &spec);
        assert_non_null(s);
        for (int n = 0; n < 3; n++) {
            assert_int_equal(spot_reply_bytes(s), n < 2 || i == 1 ? -1 : (int)sizeof reply - 1);
            assert_int_equal(spot_ask(s, 60 * SECOND), SPOT_JUDGED);
        }
        assert_null(spot_wrong(s));
        spot_stop(s);
        loop_release(&loop);
        scripted_stop(&server);
    }
}

static bool has_three(void *ctx) {
    return spot_checked(ctx) >= 3;
}

/* At its pace, on one connection, or on a new one where the server closes. */
static void goes_on_at_its_pace(void **state) {
    (void)state;
    static const struct script scripts[] = {{.head = OK_TEXT}, {.head = OK_TEXT, .close = true}};
    for (size_t i = 0; i < 2; i++) {
        struct checked k;
        struct spot *s = begin(&k, "hello", &scripts[i]);
        spot_pace(s, SECOND / 200);
        assert_int_equal(loop_wait(&k.loop, has_three, s, 60 * SECOND), LOOP_DONE);
        assert_null(spot_wrong(s));
        spot_pace(s, 0);
        assert_int_equal(spot_ask(s, 60 * SECOND), SPOT_JUDGED);
        int64_t checked = spot_checked(s);
        loop_wait(&k.loop, NULL, NULL, SECOND / 50); /* nothing more is asked */
        assert_int_equal(spot_checked(s), checked);
        end(&k, s);
    }
}

/* Nobody listens: no finding, no endless trying. */
static void gives_up_where_nobody_is(void **state) {
    (void)state;
    struct loop loop;
    struct err e = {0};
    assert_int_equal(loop_init(&loop, &e), 0);
    const struct spot_spec spec = {"127.0.0.1", 1, workload_find("hello"), true};
    struct spot *s = spot_start(&loop, &spec);
    assert_non_null(s);
    /* The test's own limit would end it otherwise. */
    assert_int_equal(spot_ask(s, 60 * SECOND), SPOT_BROKEN);
    assert_null(spot_wrong(s));
    spot_stop(s);
    const struct spot_spec nowhere = {"no address", 1, workload_find("hello"), true};
    assert_null(spot_start(&loop, &nowhere));
    spot_stop(NULL);
    loop_release(&loop);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_one_reply),           cmocka_unit_test(judges_the_work),
        cmocka_unit_test(tells_how_long_replies_are), cmocka_unit_test(goes_on_at_its_pace),
        cmocka_unit_test(gives_up_where_nobody_is),
    };
    return cmocka_run_group_tests_name("spot", tests, NULL, NULL);
}
