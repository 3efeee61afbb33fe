/* The small parts: date, JSON writer, idle list, listeners, method and target, Connection tokens.
 */
#include "common/app.h"
#include "common/date.h"
#include "common/handicap.h"
#include "common/idle.h"
#include "common/json.h"
#include "common/listen.h"
#include "common/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>

static void test_date_format(void **state) {
    static const struct {
        time_t second;
        const char *text;
    } known[] = {
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"}, /* the example of RFC 9110 */
        {951827696, "Tue, 29 Feb 2000 12:34:56 GMT"},
        {4102444799, "Thu, 31 Dec 2099 23:59:59 GMT"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[DATE_LEN + 1] = "";
        date_format(known[i].second, text);
        assert_string_equal(text, known[i].text);
    }
}

static void test_date_now(void **state) {
    struct date_cache cache = {0};
    char before[DATE_LEN];
    char after[DATE_LEN];
    (void)state;
    /* A cache of long ago is renewed; the coarse clock may lag one tick behind time(). */
    cache.second = 784111777;
    date_format(time(NULL) - 1, before);
    const char *now = date_now(&cache);
    date_format(time(NULL), after);
    assert_true(memcmp(now, before, DATE_LEN) == 0 || memcmp(now, after, DATE_LEN) == 0);
}

static void test_json(void **state) {
    char text[128];
    struct json json;
    (void)state;
    json_init(&json, text, sizeof text);
    json_open(&json, NULL);
    json_str(&json, "a", "x\"\\\n\x01é");
    json_open(&json, "b");
    json_close(&json);
    json_open(&json, "c");
    json_uint(&json, "d", 0);
    json_uint(&json, "e", UINT64_MAX);
    json_close(&json);
    json_close(&json);
    static const char expected[] =
        "{\"a\":\"x\\\"\\\\\\u000a\\u0001é\",\"b\":{},\"c\":{\"d\":0,\"e\":18446744073709551615}}";
    assert_int_equal(json_finish(&json), sizeof expected - 1);
    assert_memory_equal(text, expected, sizeof expected - 1);
}

static void test_json_overflow(void **state) {
    char text[8];
    struct json json;
    (void)state;
    json_init(&json, text, sizeof text);
    json_open(&json, NULL);
    json_uint(&json, "a", 12);
    json_close(&json); /* {"a":12} is eight bytes */
    assert_int_equal(json_finish(&json), 8);
    json_close(&json);
    assert_int_equal(json_finish(&json), 0);
}

static void test_idle(void **state) {
    struct idle_list list;
    struct idle_link a = {0};
    struct idle_link b = {0};
    (void)state;
    idle_init(&list, 100);
    assert_true(idle_wait(&list, 5) == UINT64_MAX);
    idle_touch(&list, &a, 1000);
    idle_touch(&list, &b, 1050);
    assert_int_equal(idle_wait(&list, 1060), 40);
    assert_null(idle_expired(&list, 1099));
    assert_ptr_equal(idle_expired(&list, 1100), &a);
    idle_touch(&list, &a, 1100);
    assert_ptr_equal(idle_expired(&list, 1150), &b);
    idle_remove(&b);
    idle_remove(&b); /* twice does no harm */
    assert_int_equal(idle_wait(&list, 1150), 50);
    assert_int_equal(idle_wait(&list, 900), 100); /* a clock that went back */
    idle_remove(&a);
    assert_null(idle_expired(&list, UINT64_MAX));
}

static void test_method(void **state) {
    (void)state;
    assert_int_equal(app_parse_method("GET", 3), APP_GET);
    assert_int_equal(app_parse_method("HEAD", 4), APP_HEAD);
    assert_int_equal(app_parse_method("POST", 4), APP_POST);
    assert_int_equal(app_parse_method("DELETE", 6), APP_OTHER);
    assert_int_equal(app_parse_method("M-SEARCH", 8), APP_OTHER);
    assert_int_equal(app_parse_method("get", 3), APP_UNKNOWN);
    assert_int_equal(app_parse_method("GE", 2), APP_UNKNOWN);
    assert_int_equal(app_parse_method("GETX", 4), APP_UNKNOWN);
    assert_int_equal(app_parse_method("", 0), APP_UNKNOWN);
}

static void test_target(void **state) {
    static const struct {
        const char *target, *path, *query;
    } known[] = {
        {"/hello", "/hello", NULL},
        {"/", "/", NULL},
        {"/a?b=c?d", "/a", "b=c?d"},
        {"/a?", "/a", ""},
        {"*", "*", NULL},
        {"http://host/a?b", "/a", "b"},
        {"HTTPS://host:1/a", "/a", NULL},
        {"http://host", "/", NULL},
        {"http://host?q", "/", "q"},
        {"/http://host/a", "/http://host/a", NULL},
        {"ftp://host/a", "ftp://host/a", NULL},
        {"host:80", "host:80", NULL},
        {"?q", "/", "q"},
        {"", "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct app_slice path;
        struct app_slice query;
        app_split_target(known[i].target, strlen(known[i].target), &path, &query);
        assert_int_equal(path.len, strlen(known[i].path));
        assert_memory_equal(path.base, known[i].path, path.len);
        assert_int_equal(query.base == NULL, known[i].query == NULL);
        if (known[i].query != NULL) {
            assert_int_equal(query.len, strlen(known[i].query));
            assert_memory_equal(query.base, known[i].query, query.len);
        }
    }
}

static unsigned tokens(const char *value) {
    return app_connection_tokens(value, strlen(value));
}

static void test_connection(void **state) {
    (void)state;
    assert_int_equal(tokens("close"), APP_TOKEN_CLOSE);
    assert_int_equal(tokens("Keep-Alive"), APP_TOKEN_KEEP_ALIVE);
    assert_int_equal(tokens("a, CLOSE\t,b"), APP_TOKEN_CLOSE);
    assert_int_equal(tokens(" keep-alive ,close"), APP_TOKEN_CLOSE | APP_TOKEN_KEEP_ALIVE);
    assert_int_equal(tokens("closed, keep"), 0);
    assert_int_equal(tokens(""), 0);
    assert_int_equal(tokens(",,"), 0);
    assert_int_equal(app_connection_tokens(NULL, 0), 0);
    assert_true(app_keep_alive(1, 0));
    assert_false(app_keep_alive(0, 0));
    assert_true(app_keep_alive(0, APP_TOKEN_KEEP_ALIVE));
    assert_false(app_keep_alive(1, APP_TOKEN_KEEP_ALIVE | APP_TOKEN_CLOSE));
}

static void test_listen(void **state) {
    struct sockaddr_storage address;
    socklen_t len;
    char text[64];
    (void)state;
    assert_int_equal(options_parse_address("127.0.0.1:0", &address, &len), 0);
    int first = listen_open(&address, len, 16, true);
    assert_true(first >= 0);
    listen_format(&address, text, sizeof text);
    assert_memory_equal(text, "127.0.0.1:", 10);
    assert_string_not_equal(text, "127.0.0.1:0"); /* the port picked was written back */
    int second = listen_open(&address, len, 16, true);
    assert_true(second >= 0);
    /* SO_REUSEPORT would let a third one in: the probe sees it. */
    assert_int_equal(listen_probe(&address, len), -1);
    assert_int_equal(errno, EADDRINUSE);
    assert_int_equal(listen_open(&address, len, 16, false), -1);
    assert_int_equal(errno, EADDRINUSE);
    close(first);
    close(second);
    assert_int_equal(listen_probe(&address, len), 0);
    int reserve = listen_reserve();
    int lone = listen_open(&address, len, 16, false);
    assert_int_equal(listen_accept(lone, &reserve), -1);
    assert_int_equal(errno, EAGAIN);
    close(lone);
    close(reserve);
}

static void test_handicap(void **state) {
    (void)state;
    assert_int_equal(handicap_calibrate(0), 0);
    uint64_t one = handicap_calibrate(1000);
    uint64_t thousand = handicap_calibrate(1000000);
    assert_true(one >= 1);
    assert_true(thousand > one);
    handicap_set(0, 0);
    assert_false(handicap_asked);
    handicap_apply(); /* nothing, and it comes to an end */
    handicap_set(0, 3);
    assert_true(handicap_asked);
    handicap_apply();
    handicap_set(0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_date_format), cmocka_unit_test(test_date_now),
        cmocka_unit_test(test_json),        cmocka_unit_test(test_json_overflow),
        cmocka_unit_test(test_idle),        cmocka_unit_test(test_method),
        cmocka_unit_test(test_target),      cmocka_unit_test(test_connection),
        cmocka_unit_test(test_listen),      cmocka_unit_test(test_handicap),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("common", tests, NULL, NULL);
}
