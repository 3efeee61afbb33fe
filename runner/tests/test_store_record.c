/* A trial record as JSON: every member, both ways, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "store/member.h"
#include "store/record_json.h"

#define START                                                                                      \
    "{\"seq\":3,\"attempt\":0,\"round\":1,\"block\":2,\"target\":\"a\",\"workload\":\"hello\","    \
    "\"connections\":10,\"status\":\"ok\""

static void test_unknown_is_null(void **state) {
    (void)state;
    struct trial_record r;
    struct trial_record back;
    struct err e = {0};
    record_init(&r);
    memcpy(r.target, "t", 2);
    memcpy(r.workload, "w", 2);
    r.connections = 1;
    char *line = record_to_line(&r);
    assert_non_null(line);
    assert_null(strchr(strchr(line, '\n') + 1, '\n'));
    assert_non_null(strstr(line, "\"rate\":null"));
    assert_non_null(strstr(line, "\"memory\":{\"idle\":{\"rss\":null"));
    assert_non_null(strstr(line, "\"failure\":null"));
    assert_non_null(strstr(line, "\"flags\":[]"));
    assert_int_equal(record_from_line(line, strlen(line), &back, &e), 0);
    assert_int_equal(back.memory.peak_rss, UNKNOWN_INT);
    assert_true(isnan(back.rate));
    assert_string_equal(back.base, "t");
    free(line);
}

/* Distinct values everywhere: a member written to another's place shows. */
static void test_every_member(void **state) {
    (void)state;
    struct trial_record back;
    struct err e = {0};
    char text[4096];
    int next = 7;
    json_t *root = json_loads(START "}", 0, NULL);
    struct trial_record empty;
    record_init(&empty);
    empty.memory.series.n = 2;
    json_t *shape = record_to_json(&empty);
    const char *key;
    json_t *value;
    /* Fill every null of the shape with a number of its own. */
    json_object_foreach(shape, key, value) {
        const char *inner;
        json_t *leaf;
        void *safe;
        if (json_is_object(value)) {
            json_object_foreach_safe(value, safe, inner, leaf) {
                const char *deep;
                json_t *deepest;
                void *safer;
                if (json_is_object(leaf)) {
                    json_object_foreach_safe(leaf, safer, deep, deepest) {
                        json_t *number = json_integer(next++);
                        if (json_is_array(deepest)) {
                            json_array_set_new(deepest, 1, number);
                        } else {
                            json_object_set_new(leaf, deep, number);
                        }
                    }
                } else if (json_is_null(leaf)) {
                    json_object_set_new(value, inner, json_integer(next++));
                }
            }
            json_object_set(root, key, value);
        }
    }
    json_object_set_new(root, "rate", json_real(0.1));
    json_object_set_new(root, "base", json_string("b"));
    json_object_set_new(root, "role", json_string("control"));
    json_object_set_new(root, "flags", json_pack("[ss]", "one", "two"));
    assert_int_equal(record_from_json(root, &back, &e), 0);
    assert_int_equal(back.role, ROLE_CONTROL);
    assert_string_equal(back.flags, "one two");
    json_t *again = record_to_json(&back);
    const char *path[] = {"load", "raw", "corrected", "server", "memory", "environment"};
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++) {
        char *a = json_dumps(json_object_get(root, path[i]), JSON_SORT_KEYS | JSON_COMPACT);
        snprintf(text, sizeof text, "%s", a);
        free(a);
        json_t *mine = json_object_get(again, path[i]);
        /* Reals come back as reals. */
        char *b = json_dumps(mine, JSON_SORT_KEYS | JSON_COMPACT);
        char *dot;
        while ((dot = strstr(b, ".0"))) {
            memmove(dot, dot + 2, strlen(dot + 2) + 1);
        }
        assert_string_equal(text, b);
        free(b);
    }
    json_decref(again);
    json_decref(shape);
    json_decref(root);
}

/* Every property of the schema is written and every member written is in the schema. */
static void compare_shape(const json_t *schema, const json_t *written, const char *where) {
    const json_t *properties = json_object_get(schema, "properties");
    const char *key;
    json_t *value;
    assert_non_null(properties);
    json_object_foreach((json_t *)properties, key, value) {
        const json_t *mine = json_object_get(written, key);
        if (!mine) {
            fail_msg("%s.%s is in the schema but not written", where, key);
        }
        if (json_is_object(mine)) {
            compare_shape(value, mine, key);
        }
    }
    json_object_foreach((json_t *)written, key, value) {
        if (!json_object_get(properties, key)) {
            fail_msg("%s.%s is written but not in the schema", where, key);
        }
    }
}

static void test_schema_names_the_same(void **state) {
    (void)state;
    json_error_t why;
    struct trial_record r;
    json_t *schema = json_load_file("docs/schema/trial.json", 0, &why);
    if (!schema) {
        fail_msg("docs/schema/trial.json: %s (run from the repository's root)", why.text);
    }
    record_init(&r);
    json_t *written = record_to_json(&r);
    compare_shape(schema, written, "");
    json_decref(written);
    json_decref(schema);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *line;
        const char *says;
    } rows[] = {
        {"", "not JSON"},
        {"[]", "not a JSON object"},
        {"{}", "seq is not there"},
        {START ",\"seq\":4}", "duplicate"},
        {START ",\"rate\":\"fast\"}", "rate is not a number"},
        {START ",\"rate\":-1}", "rate is not a number"},
        {START ",\"rate\":1e300}", "rate is not a number"},
        {START ",\"load\":{\"requests\":1.5}}", "load.requests is not a whole number"},
        {START ",\"load\":{\"requests\":-2}}", "load.requests is not a whole number"},
        {START ",\"load\":{\"requests\":9223372036854775807}}", "load.requests"},
        {START ",\"load\":{\"threads\":4294967296}}", "load.threads"},
        {START ",\"load\":7}", "load is not an object"},
        {START ",\"memory\":{\"idle\":[]}}", "memory.idle is not an object"},
        {START ",\"memory\":{\"series\":[]}}", "memory.series is not"},
        {START ",\"memory\":{\"series\":{\"ms\":[],\"rss\":[]}}}", "memory.series is not"},
        {START ",\"memory\":{\"series\":{\"ms\":[1],\"rss\":[1,2]}}}", "memory.series is not"},
        {START ",\"memory\":{\"series\":{\"ms\":[2,1],\"rss\":[1,2]}}}", "memory.series is not"},
        {START ",\"memory\":{\"series\":{\"ms\":[1],\"rss\":[-1]}}}", "memory.series is not"},
        {START ",\"role\":\"king\"}", "role is not one of"},
        {START ",\"failure\":\"none\"}", "failure is not one of"},
        {START ",\"failure\":\"hung\"}", "contradict"},
        {START ",\"flags\":\"x\"}", "flags is not a list"},
        {START ",\"flags\":[\"a b\"]}", "flags is not a list of words"},
        {START ",\"flags\":[1]}", "flags is not a list of words"},
        {START ",\"hist_offset\":1}", "not both"},
        {START ",\"base\":\"0123456789012345678901234567890123456789012345678901234567890123\"}",
         "base is not short enough"},
        {START ",\"reason\":\"a\\u0000b\"}", "not JSON"},
        {START "} x", "not JSON"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct trial_record r;
        struct err e = {0};
        int rc = record_from_line(rows[i].line, strlen(rows[i].line), &r, &e);
        if (rc != -1 || e.class != ERR_USAGE || !strstr(e.text, rows[i].says)) {
            fail_msg("%s: %d '%s', not '%s'", rows[i].line, rc, e.text, rows[i].says);
        }
    }
}

static void test_accepted(void **state) {
    (void)state;
    struct trial_record r;
    struct err e = {0};
    const char *later = START ",\"new_member\":[1],\"rate\":null,\"load\":null}";
    assert_int_equal(record_from_line(later, strlen(later), &r, &e), 0);
    assert_string_equal(r.base, "a");
    assert_int_equal(r.load.requests, UNKNOWN_INT);
}

static void test_any_last_words(void **state) {
    (void)state;
    struct trial_record r;
    struct trial_record back;
    struct err e = {0};
    record_init(&r);
    memcpy(r.target, "t", 2);
    memcpy(r.workload, "w", 2);
    r.connections = 1;
    r.status = TRIAL_FAILED;
    r.failure = FAIL_CRASHED;
    memcpy(r.output, "\x1b[31m\xff\xfe caf\xc3\n", 14);
    char *line = record_to_line(&r);
    assert_non_null(line);
    assert_int_equal(record_from_line(line, strlen(line), &back, &e), 0);
    assert_string_equal(back.output, "\x1b[31m?? caf?\n");
    assert_int_equal(back.failure, FAIL_CRASHED);
    free(line);
}

static void test_member_lines(void **state) {
    (void)state;
    static const struct {
        const char *line;
        bool good;
    } rows[] = {
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[1,2],\"counts\":[3,4]}", true},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[],\"counts\":[]}", true},
        {"{\"seq\":2,\"attempt\":0,\"unit\":\"us\",\"values\":[1],\"counts\":[3]}", false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"ms\",\"values\":[1],\"counts\":[3]}", false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[2,2],\"counts\":[3,4]}", false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[1,2],\"counts\":[3]}", false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[1],\"counts\":[0]}", false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[-1],\"counts\":[1]}", false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[01],\"counts\":[1]}", false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[1],\"counts\":[99999999999999999]}",
         false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[1],\"counts\":[1]} ", false},
        {"{\"seq\":1,\"attempt\":0,\"unit\":\"us\",\"values\":[1,],\"counts\":[1,]}", false},
        {"{\"seq\":", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hist h = {0};
        struct err e = {0};
        int rc = member_parse(rows[i].line, 1, 0, &h, &e);
        if (rc != (rows[i].good ? 0 : -1)) {
            fail_msg("%s: %d %s", rows[i].line, rc, e.text);
        }
        hist_release(&h);
    }
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_is_null),
        cmocka_unit_test(test_every_member),
        cmocka_unit_test(test_schema_names_the_same),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_any_last_words),
        cmocka_unit_test(test_member_lines),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
