/* Where the database of a run is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample/database.h"

static void knows_its_processes(void **unused) {
    (void)unused;
    pid_t inner = 0, parent = 0;
    assert_true(database_parse_status("Name:\tpostgres\nUmask:\t0077\nPid:\t812\nPPid:\t700\n"
                                      "NSpid:\t812\t31\nVmRSS:\t1 kB\n",
                                      &inner, &parent));
    assert_int_equal(inner, 31);
    assert_int_equal(parent, 700);
    /* A kernel without namespaces. */
    assert_true(database_parse_status("Name:\tpostgres\nPid:\t812\nPPid:\t700\n", &inner, &parent));
    assert_int_equal(inner, 812);
    assert_int_equal(parent, 700);
}

static void takes_no_other_for_one(void **unused) {
    static const char *const texts[] = {
        "",
        "Name:\tpostgres",
        "Name:\tpostgres\n",
        "Name:\tpostgresql\nPid:\t812\nPPid:\t700\nNSpid:\t812\n",
        "Name:\tnginx\nPid:\t812\nPPid:\t700\nNSpid:\t812\n",
        "Name:\tpostgres\nPid:\tmany\nPPid:\t700\nNSpid:\t\n",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pid_t inner, parent;
        assert_false(database_parse_status(texts[i], &inner, &parent));
    }
}

static void a_server_of_its_own_has_none(void **unused) {
    (void)unused;
    static const char *const urls[] = {NULL, "", "sqlite:/tmp/posts.db"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct database d = {DATABASE_HERE, 1};
        database_find(urls[i], "/proc", &d);
        assert_int_equal(d.place, DATABASE_NONE);
    }
}

static void what_does_not_answer_is_hidden(void **unused) {
    struct database d = {DATABASE_HERE, 1};
    (void)unused;
    database_find("postgresql://nobody@127.0.0.1:1/none", "/proc", &d);
    assert_int_equal(d.place, DATABASE_HIDDEN);
    assert_int_equal(d.root, 0);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_its_processes),
        cmocka_unit_test(takes_no_other_for_one),
        cmocka_unit_test(a_server_of_its_own_has_none),
        cmocka_unit_test(what_does_not_answer_is_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
