/* The body of POST /posts: what is taken, what is refused and why. */
#include "common/posts_parse.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static int parse(struct posts_document *document, const char *body, char *reason) {
    return posts_parse(document, body, strlen(body), reason, 200);
}

static void test_taken(void **state) {
    static const struct {
        const char *body, *author, *content;
    } known[] = {
        {"{\"author\":\"a\",\"content\":\"b\"}", "a", "b"},
        {" {\n\"content\" : \"b\" , \"author\":\"a\" }\r\n", "a", "b"},
        {"{\"author\":\"\\u00e9\\\"\",\"content\":\"\\ud83d\\ude42\\n\"}", "é\"", "🙂\n"},
        {"{\"author\":\"[[[[[[[[[[[[\",\"content\":\"\\\"{{{{{{{{{{{{\"}", "[[[[[[[[[[[[",
         "\"{{{{{{{{{{{{"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct posts_document document;
        char reason[200];
        assert_int_equal(parse(&document, known[i].body, reason), 0);
        assert_string_equal(document.author, known[i].author);
        assert_string_equal(document.content, known[i].content);
        assert_int_equal(document.author_len, strlen(known[i].author));
        assert_int_equal(document.content_len, strlen(known[i].content));
        posts_document_release(&document);
        assert_null(document.root);
    }
}

static void test_refused(void **state) {
    static const struct {
        const char *body, *reason;
    } known[] = {
        {"{", "the body is not JSON: line 1 column 1: "},
        {"{\n\"author\":\"a\n\"}", "the body is not JSON: line 2 column 11: "},
        {"[]", "the body must be a JSON object"},
        {"{\"content\":\"b\"}", "the member \"author\" is missing"},
        {"{\"author\":\"a\"}", "the member \"content\" is missing"},
        {"{\"author\":true,\"content\":\"b\"}", "\"author\" must be a string"},
        {"{\"author\":\"a\",\"content\":\"\"}", "\"content\" must have 1 to 4096 characters"},
        {"{\"author\":\"a\",\"content\":\"\\u0000\"}", "\"content\" must not contain U+0000"},
        {"{\"author\":\"a\",\"content\":\"b\",\"id\":1}", "the only members of a document are "},
        {"{\"author\":\"a\",\"author\":\"a\"}", "the body is not JSON: line 1 column "},
        {"[[[[[[[[[", "the body is nested too deeply"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct posts_document document;
        char reason[200] = "";
        assert_int_equal(parse(&document, known[i].body, reason), -1);
        reason[strlen(known[i].reason) < 200 ? strlen(known[i].reason) : 199] = '\0';
        assert_string_equal(reason, known[i].reason);
        assert_null(document.root);
    }
}

/* One line of printable characters whatever the body holds, also in a short buffer. */
static void test_reason_is_a_line(void **state) {
    char body[64];
    (void)state;
    for (unsigned c = 1; c < 256; c++) {
        for (size_t size = 1; size < 120; size += 17) {
            struct posts_document document;
            char reason[200];
            memset(body, (int)c, sizeof body);
            if (posts_parse(&document, body, sizeof body, reason, size) == 0) {
                fail_msg("%u times one character is a document", (unsigned)sizeof body);
            }
            assert_true(strlen(reason) < size);
            for (const char *at = reason; *at != '\0'; at++) {
                assert_true(*at >= 0x20 && *at < 0x7f);
            }
        }
    }
}

static void test_limits(void **state) {
    const size_t size = POSTS_BODY_MAX + 1;
    char *body = malloc(size);
    struct posts_document document;
    char reason[200];
    (void)state;
    assert_non_null(body);
    memset(body, ' ', size);
    static const char whole[] = "{\"author\":\"a\",\"content\":\"b\"}";
    memcpy(body, whole, sizeof whole - 1);
    assert_int_equal(posts_parse(&document, body, size - 1, reason, sizeof reason), 0);
    posts_document_release(&document);
    assert_int_equal(posts_parse(&document, body, size, reason, sizeof reason), -1);
    assert_string_equal(reason, "the body is over 65536 bytes");
    /* As deep as the body is long: neither recursion nor its own scan may mind. */
    memset(body, '[', size);
    assert_int_equal(posts_parse(&document, body, size - 1, reason, sizeof reason), -1);
    assert_string_equal(reason, "the body is nested too deeply");
    free(body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_reason_is_a_line),
        cmocka_unit_test(test_limits),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("store_parse", tests, NULL, NULL);
}
