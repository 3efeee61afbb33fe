/* What is said of a database that fails, and how often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/idle.h"
#include "common/store.h"

/* How many lines the complaint makes. */
static int lines_of_complaint(struct store *store) {
    FILE *seen = tmpfile();
    int kept = dup(STDERR_FILENO);
    int lines = 0;
    assert_non_null(seen);
    (void)fflush(stderr);
    assert_true(dup2(fileno(seen), STDERR_FILENO) >= 0);
    store_complain(store, "it fails");
    (void)fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    (void)close(kept);
    rewind(seen);
    for (int c; (c = getc(seen)) != EOF;) {
        lines += c == '\n';
    }
    (void)fclose(seen);
    return lines;
}

static void an_outage_is_one_line(void **state) {
    struct store store = {.program = "test"};
    (void)state;
    assert_int_equal(lines_of_complaint(&store), 1);
    assert_int_equal(lines_of_complaint(&store), 0);
    store.complained_ms = idle_now() - 60000; /* a long one */
    assert_int_equal(lines_of_complaint(&store), 0);
    store_recovered(&store);
    assert_int_equal(lines_of_complaint(&store), 1); /* another */
}

static void one_that_follows_at_once_is_told_of_later(void **state) {
    struct store store = {.program = "test"};
    (void)state;
    assert_int_equal(lines_of_complaint(&store), 1);
    store_recovered(&store);
    assert_int_equal(lines_of_complaint(&store), 0);
    store.complained_ms = idle_now() - 6000; /* it lasts */
    assert_int_equal(lines_of_complaint(&store), 1);
    assert_int_equal(lines_of_complaint(&store), 0);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_outage_is_one_line),
        cmocka_unit_test(one_that_follows_at_once_is_told_of_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
