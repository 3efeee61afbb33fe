/* Layout of plots: lines that are broken, ticks that give way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/plot_layout.h"

static void break_lines(const char *text, int width, bool narrow, char *out, size_t size) {
    const struct canvas v = {.width = width, .text_x = 8, .narrow = narrow};
    char line[64];
    size_t used = 0;
    out[0] = '\0';
    while (layout_next_line(&v, &text, line, sizeof line)) {
        used += (size_t)snprintf(out + used, size - used, "%s|", line);
        assert_true(used < size);
    }
}

static void test_lines(void **state) {
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"", ""},
        {"short", "short|"},
        {"exactly ten.", "exactly|ten.|"},
        {"ten letter word", "ten letter|word|"},
        {"a-word-longer-than-the-line", "a-word-lon|ger-than-t|he-line|"},
        {"é é é é é é é", "é é é é é|é é|"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[128];
        break_lines(rows[i].in, 16 + 62, true, out, sizeof out);
        assert_string_equal(out, rows[i].out);
    }
    char out[128];
    break_lines("a wide page is never too narrow", 40, false, out, sizeof out);
    assert_string_equal(out, "a wide page is never too narrow|");
}

static void axis_of(struct axis *a, bool log, double lo, double hi, const double *ticks, size_t n) {
    *a = (struct axis){.log = log, .lo = lo, .hi = hi, .count = n};
    for (size_t i = 0; i < n; i++) {
        a->tick[i] = ticks[i];
        snprintf(a->text[i], sizeof a->text[i], "%g", ticks[i]);
    }
}

static void texts_of(const struct axis *a, char *out, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < a->count; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s|", a->text[i]);
    }
}

static void test_ticks(void **state) {
    static const double levels[] = {1, 1000, 2000, 4000};
    static const double ratios[] = {10, 11, 12, 13, 14};
    struct axis a;
    char out[64];
    (void)state;
    axis_of(&a, true, 0.6, 6000, levels, 4);
    layout_thin(&a, 2000, NAN);
    texts_of(&a, out, sizeof out);
    assert_string_equal(out, "1|1000|2000|4000|");
    layout_thin(&a, 280, NAN);
    texts_of(&a, out, sizeof out);
    assert_string_equal(out, "1|1000||4000|");
    /* Both ways from the one to keep. */
    axis_of(&a, false, 9, 15, ratios, 5);
    layout_thin(&a, 100, 13);
    texts_of(&a, out, sizeof out);
    assert_string_equal(out, "|11||13||");
    /* At the end a long text has no room. */
    axis_of(&a, false, 0, 102000000, (const double[]){100000000}, 1);
    layout_thin(&a, 300, NAN);
    texts_of(&a, out, sizeof out);
    assert_string_equal(out, "1e+08|");
    snprintf(a.text[0], sizeof a.text[0], "100,000,000");
    layout_thin(&a, 300, NAN);
    assert_string_equal(a.text[0], "");
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_ticks),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
