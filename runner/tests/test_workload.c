/* The workload table and its body checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/workload.h"

static void test_rows_are_whole(void **state) {
    (void)state;
    size_t n = 0;
    for (const struct workload *w; (w = workload_at(n)) != NULL; n++) {
        assert_ptr_equal(workload_find(w->name), w);
        assert_true(w->path[0] == '/');
        assert_non_null(w->summary);
        assert_non_null(w->method);
        assert_non_null(w->headers);
        assert_non_null(w->content_type);
        assert_true(w->status >= 200 && w->status < 600);
        assert_true(w->exact || w->check);
        assert_true(w->body || w->body_len == 0);
        assert_string_equal(w->base, w->name);
        size_t h = strlen(w->headers);
        assert_true(h == 0 || (h > 2 && strcmp(w->headers + h - 2, "\r\n") == 0));
    }
    assert_true(n >= 3);
    assert_null(workload_find("nothing"));
    assert_null(workload_find(""));
    assert_true(workload_find("hello")->null_serves);
    assert_false(workload_find("json")->null_serves);
}

#define PAGE(text) "<!DOCTYPE html><html>" text "</html>"

static void test_bodies(void **state) {
    (void)state;
    static const struct {
        const char *workload;
        const char *body;
        bool strict, loose;
    } cases[] = {
        {"hello", "Hello world!", true, true},
        {"hello", "Hello world!\n", false, false},
        {"hello", "Hello World!", false, false},
        {"hello", "", false, false},
        {"json", "{\"test\":1,\"data\":\"hello world\"}", true, true},
        {"json", "{\"data\": \"hello world\",\n \"test\": 1}", false, true},
        {"json", "{\"test\":1,\"data\":\"hello world\",\"more\":0}", false, false},
        {"json", "{\"test\":1.0,\"data\":\"hello world\"}", false, false},
        {"json", "{\"test\":1,\"data\":\"hello world\"", false, false},
        {"json", "[]", false, false},
        {"json", "", false, false},
        {"html", PAGE("žluťoučký kůň"), true, true},
        {"html", PAGE("plain"), false, false},
        {"html", PAGE("\xc3\x28"), false, false},
        {"html", "<html>žluť", false, false},
        {"html", "", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct workload *w = workload_find(cases[i].workload);
        for (int strict = 0; strict < 2; strict++) {
            char why[128] = "";
            bool wanted = strict ? cases[i].strict : cases[i].loose;
            bool got = workload_check_body(w, strict, cases[i].body, strlen(cases[i].body), why,
                                           sizeof why);
            if (got != wanted) {
                fail_msg("%s, strict %d: '%s' gave %d (%s)", w->name, strict, cases[i].body, got,
                         why);
            }
            assert_int_equal(why[0] == '\0', wanted);
            assert_null(strchr(why, '\n'));
        }
    }
}

static void test_utf8(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        {"", true},
        {"ascii", true},
        {"\xc2\x80", true},
        {"\xdf\xbf", true},
        {"\xe0\xa0\x80", true},
        {"\xed\x9f\xbf", true},
        {"\xef\xbf\xbf", true},
        {"\xf0\x90\x80\x80", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"\x80", false},             /* a continuation alone */
        {"\xc0\xaf", false},         /* overlong */
        {"\xc1\xbf", false},         /* overlong */
        {"\xe0\x9f\xbf", false},     /* overlong */
        {"\xf0\x8f\xbf\xbf", false}, /* overlong */
        {"\xed\xa0\x80", false},     /* a surrogate */
        {"\xf4\x90\x80\x80", false}, /* above U+10FFFF */
        {"\xf5\x80\x80\x80", false},
        {"\xe2\x82", false}, /* cut */
        {"\xe2\x82x", false},
        {"\xff", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (workload_is_utf8(cases[i].text, strlen(cases[i].text)) != cases[i].good) {
            fail_msg("case %zu", i);
        }
    }
    assert_true(workload_is_utf8("a\0b", 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_whole),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_utf8),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
