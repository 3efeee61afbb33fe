/* Where targets run, as configurations say it; what the docker command says, as it is read. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

static int load(struct config *c, const char *text, struct err *e) {
    *e = (struct err){0};
    return config_load_text(c, text, strlen(text), "x.ini", NULL, USE_RUN, e);
}

static void a_name_says_that_it_runs_in_a_container(void **state) {
    struct config c;
    struct err e;
    (void)state;
    if (load(&c,
             "[run]\ntargets = libuv,libuv@host-network,h2o@bridge\nhandicap = h2o@bridge=500\n",
             &e) != 0) {
        fail_msg("%s", e.text);
    }
    const struct target_config *t = config_target(&c, "libuv@host-network");
    assert_non_null(t);
    assert_int_equal(t->place, PLACE_HOST_NETWORK);
    assert_true(t->builtin);
    assert_string_equal(t->image, "loopbench-server-libuv");
    assert_non_null(strstr(t->command[0], "/server-libuv"));
    t = config_target(&c, "h2o@bridge");
    assert_int_equal(t->place, PLACE_BRIDGE);
    assert_int_equal(t->handicap_ns, 500);
    assert_int_equal(config_target(&c, "libuv")->place, PLACE_PROCESS);
    assert_false(config_all_external(&c));
    config_release(&c);
}

static void a_guest_needs_an_image(void **state) {
    struct config c;
    struct err e;
    (void)state;
    assert_int_equal(load(&c, "[run]\ntargets = g@bridge\n[target g]\ncommand = g {port}\n", &e),
                     -1);
    assert_non_null(strstr(e.text, "'g' has no image"));
    assert_int_equal(
        load(&c, "[run]\ntargets = g@bridge\n[target g]\ncommand = g {port}\nimage = g:1\n", &e),
        0);
    const struct target_config *t = config_target(&c, "g@bridge");
    assert_string_equal(t->image, "g:1");
    assert_string_equal(t->command[1], "{port}");
    assert_false(t->builtin);
    config_release(&c);
}

static void a_url_says_that_it_runs_already(void **state) {
    static const struct {
        const char *url, *host;
        int port;
    } good[] = {{"http://h2o:8080", "h2o", 8080},
                {"http://127.0.0.1/", "127.0.0.1", 80},
                {"http://[::1]:65535", "::1", 65535}};
    static const char *const bad[] = {
        "h2o:8080",       "https://a",   "http://",     "http://a:",    "http://a:0",
        "http://a:65536", "http://a:1x", "http://[::1", "http://a:1/b", "http://a b",
        "http://u@a",     "http://[]:1", "http://a:-1", "http://a: 1"};
    struct config c;
    struct err e;
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        snprintf(text, sizeof text,
                 "[run]\ntargets = h2o\nnull-server = no\n[target h2o]\nurl = %s\nprocess = "
                 "server-h2o\nrestart-signal = HUP\n",
                 good[i].url);
        if (load(&c, text, &e) != 0) {
            fail_msg("%s", e.text);
        }
        const struct target_config *t = config_target(&c, "h2o");
        assert_int_equal(t->place, PLACE_URL);
        assert_string_equal(t->url_host, good[i].host);
        assert_int_equal(t->url_port, good[i].port);
        assert_int_equal(t->restart_signal, SIGHUP);
        assert_true(t->builtin);
        assert_true(config_all_external(&c));
        config_release(&c);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "[target x]\nurl = %s\n", bad[i]);
        assert_int_equal(load(&c, text, &e), -1);
        assert_int_equal(e.class, ERR_USAGE);
        assert_non_null(strstr(e.text, "http://HOST:PORT"));
    }
}

static void a_dump_says_where_targets_run(void **state) {
    static const char text[] = "[run]\ntargets = libuv,x,y@bridge,libevent@host-network\n"
                               "[target libuv]\nurl = http://there:81\nprocess = p\n"
                               "[target x]\nurl = http://x\nready = /r\nworkloads = hello\n"
                               "[target y]\nimage = y\ncommand = y {port}\n";
    struct config c;
    struct err e;
    (void)state;
    if (load(&c, text, &e) != 0) {
        fail_msg("%s", e.text);
    }
    char *first = config_dump(&c);
    config_release(&c);
    if (load(&c, first, &e) != 0) {
        fail_msg("%s\n%s", e.text, first);
    }
    char *second = config_dump(&c);
    assert_string_equal(first, second);
    assert_int_equal(config_target(&c, "y@bridge")->place, PLACE_BRIDGE);
    assert_string_equal(config_target(&c, "libuv")->url, "http://there:81");
    free(first);
    free(second);
    config_release(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_says_that_it_runs_in_a_container),
        cmocka_unit_test(a_guest_needs_an_image),
        cmocka_unit_test(a_url_says_that_it_runs_already),
        cmocka_unit_test(a_dump_says_where_targets_run),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
