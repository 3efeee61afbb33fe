/* The workload table and its body checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/workload.h"
#include "bodies.h"

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

static void test_names_with_a_parameter(void **state) {
    (void)state;
    const struct workload *w = workload_find("bytes:n=4096");
    assert_non_null(w);
    assert_string_equal(w->name, "bytes:n=4096");
    assert_string_equal(w->base, "bytes");
    assert_string_equal(w->path, "/bytes?n=4096");
    assert_int_equal(w->value, 4096);
    assert_ptr_equal(workload_find("bytes:n=4096"), w); /* one row a name */
    assert_int_equal(workload_find("wait:ms=250")->least_ms, 250);
    assert_string_equal(workload_find("wait:ms=0")->path, "/wait?ms=0");
    static const char *const bad[] = {
        "hello:n=1",
        "bytes:n=01",
        "bytes:n=16777217",
        "bytes:m=1",
        "bytes:n=1:n=2",
        "fibonacci:n=36",
        "bytes:",
        "bytes:n=",
        "bytes:n=-1",
        "bytes:n=1 ",
        "bytes:n=1000000000000000000000",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char why[160] = "";
        assert_null(workload_parse(bad[i], why, sizeof why));
        assert_true(why[0] != '\0');
        assert_null(strchr(why, '\n'));
    }
    char why[160] = "x";
    assert_null(workload_parse("nothing:n=1", why, sizeof why));
    assert_string_equal(why, "");
}

/* Bounded, whatever asks. */
static void test_names_are_bounded(void **state) {
    (void)state;
    size_t made = 0;
    for (int i = 0; i < 2 * WORKLOAD_NAMED_MAX; i++) {
        char name[WORKLOAD_NAME_MAX];
        snprintf(name, sizeof name, "bytes:n=%d", 100000 + i);
        made += workload_find(name) != NULL;
    }
    assert_in_range(made, WORKLOAD_NAMED_MAX - 8, WORKLOAD_NAMED_MAX);
    assert_non_null(workload_find("bytes:n=100000"));
}

/* A right body is right, and wrong after any of these changes. */
static void test_made_bodies(void **state) {
    static const char *const names[] = {
        "hello", "json",  "html",   "posts",     "concat",      "fibonacci",     "render",
        "wait",  "bytes", "upload", "bytes:n=0", "bytes:n=100", "fibonacci:n=0", "fibonacci:n=35"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct workload *w = workload_find(names[i]);
        char why[160] = "";
        size_t len = 0;
        char *body = bodies_make(w, &len);
        for (int strict = 0; strict < 2; strict++) {
            if (!workload_check_body(w, strict, body, len, why, sizeof why)) {
                fail_msg("%s, strict %d: %s", names[i], strict, why);
            }
        }
        if (strcmp(w->base, "html") != 0) {
            assert_false(workload_check_body(w, true, "?", 1, why, sizeof why));
            assert_true(why[0] != '\0');
            assert_true(len == 0 || !workload_check_body(w, true, body, len - 1, why, sizeof why));
        }
        free(body);
    }
}

static bool replaced(const char *name, const char *from, const char *to, bool strict) {
    const struct workload *w = workload_find(name);
    char why[160] = "";
    size_t len = 0;
    char *body = bodies_make(w, &len);
    char *at = strstr(body, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    bool good = workload_check_body(w, strict, body, len, why, sizeof why);
    free(body);
    return good;
}

static void test_spoilt_bodies(void **state) {
    static const struct {
        const char *workload, *from, *to;
        bool strict, loose;
    } cases[] = {
        {"posts", "\"author\"", "\"Author\"", false, false},
        {"posts", "\"id\":205", "\"id\":104", false, false}, /* not the newest first */
        {"posts", "2026-01-31T", "2026-01-31 ", false, true},
        {"posts", "[{", "{{", false, false},
        {"render", "&lt;script&gt;", "<script>xxxxxx", false, false},
        {"render", "&lt;script&gt;", "&lt;strong&gt;", false, false},
        {"render", "<article", "<ARTICLE", false, false},
        {"render", "T00:01:39", "T00:00:00", false, false},
        {"render", "</html>", "</HTML>", false, false},
        {"bytes", "00000040", "00000041", false, true},
        {"upload", "\"length\":", "\"length\" ", false, false},
        {"upload", "{\"length\":65536,", "{\"length\":65537,", false, false},
        {"fibonacci", "832040", "832041", false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int strict = 0; strict < 2; strict++) {
            bool wanted = strict ? cases[i].strict : cases[i].loose;
            if (replaced(cases[i].workload, cases[i].from, cases[i].to, strict) != wanted) {
                fail_msg("case %zu, strict %d", i, strict);
            }
        }
    }
    const struct workload *concat = workload_find("concat");
    char why[160];
    char letters[10000];
    memset(letters, 'a', sizeof letters);
    assert_false(workload_check_body(concat, true, letters, sizeof letters, why, sizeof why));
    letters[5] = '-';
    assert_false(workload_check_body(concat, true, letters, sizeof letters, why, sizeof why));
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
        cmocka_unit_test(test_rows_are_whole), cmocka_unit_test(test_names_with_a_parameter),
        cmocka_unit_test(test_bodies),         cmocka_unit_test(test_made_bodies),
        cmocka_unit_test(test_spoilt_bodies),  cmocka_unit_test(test_names_are_bounded),
        cmocka_unit_test(test_utf8),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
