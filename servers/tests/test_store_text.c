/* The reply of /posts as text: escaping, dates, growth. */
#include "common/posts_text.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void check(struct posts_text *text, const char *expected) {
    assert_int_equal(posts_text_end(text), 0);
    assert_int_equal(text->len, strlen(expected));
    assert_memory_equal(text->base, expected, text->len);
    posts_text_release(text);
    assert_null(text->base);
}

static void test_empty(void **state) {
    struct posts_text text;
    (void)state;
    posts_text_begin(&text, 0);
    check(&text, "[]");
}

static void test_rows(void **state) {
    struct posts_text text;
    (void)state;
    posts_text_begin(&text, 0);
    posts_text_add(&text, 1, APP_SLICE("a"), 0, APP_SLICE(""));
    posts_text_add(&text, UINT64_MAX, APP_SLICE("é"), 1796042951123, APP_SLICE("x\"\\\n\x1f\x7f/"));
    check(&text,
          "[{\"id\":1,\"author\":\"a\",\"date\":\"1970-01-01T00:00:00.000Z\",\"content\":\"\"},"
          "{\"id\":18446744073709551615,\"author\":\"é\",\"date\":\"2026-11-30T12:49:11.123Z\","
          "\"content\":\"x\\\"\\\\\\u000a\\u001f\x7f/\"}]");
}

static void test_dates(void **state) {
    static const struct {
        int64_t ms;
        const char *date;
    } known[] = {
        {-1, "1969-12-31T23:59:59.999Z"},
        {-1000, "1969-12-31T23:59:59.000Z"},
        {951827696007, "2000-02-29T12:34:56.007Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct posts_text text;
        posts_text_begin(&text, 100);
        posts_text_add(&text, 1, APP_SLICE("a"), known[i].ms, APP_SLICE("b"));
        assert_int_equal(posts_text_end(&text), 0);
        assert_memory_equal(text.base + strlen("[{\"id\":1,\"author\":\"a\",\"date\":\""),
                            known[i].date, 24);
        posts_text_release(&text);
    }
}

/* Every byte needs six: what is read back must be what was put in, however the memory grows. */
static void test_growth(void **state) {
    char controls[31 * 100];
    struct posts_text text;
    (void)state;
    for (size_t i = 0; i < sizeof controls; i++) {
        controls[i] = (char)(1 + i % 31);
    }
    posts_text_begin(&text, 1);
    for (uint64_t id = 1; id <= 50; id++) {
        posts_text_add(&text, id, (struct app_slice){controls, 64}, 0,
                       (struct app_slice){controls, sizeof controls});
    }
    assert_int_equal(posts_text_end(&text), 0);
    json_t *root = json_loadb(text.base, text.len, 0, NULL);
    assert_int_equal(json_array_size(root), 50);
    const json_t *last = json_array_get(root, 49);
    assert_int_equal(json_integer_value(json_object_get(last, "id")), 50);
    const json_t *content = json_object_get(last, "content");
    assert_int_equal(json_string_length(content), sizeof controls);
    assert_memory_equal(json_string_value(content), controls, sizeof controls);
    json_decref(root);
    posts_text_release(&text);
}

static void test_failed(void **state) {
    struct posts_text text;
    (void)state;
    posts_text_begin(&text, 64);
    text.failed = true; /* as after realloc gave nothing */
    posts_text_add(&text, 1, APP_SLICE("a"), 0, APP_SLICE("b"));
    assert_int_equal(text.len, 1);
    assert_int_equal(posts_text_end(&text), -1);
    posts_text_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),  cmocka_unit_test(test_rows),   cmocka_unit_test(test_dates),
        cmocka_unit_test(test_growth), cmocka_unit_test(test_failed),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("store_text", tests, NULL, NULL);
}
