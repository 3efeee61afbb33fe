/* config/values, config/words: every type's good and bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/options.h"
#include "config/values.h"
#include "config/words.h"

#define MS 1000000LL
#define S  1000000000LL

static void int_reads_whole_numbers_only(void **state) {
    static const struct {
        const char *text;
        int ok;
        int64_t value;
    } rows[] = {
        {"1", 1, 1},
        {"100", 1, 100},
        {"007", 1, 7},
        {"0", 0, 0},
        {"101", 0, 0},
        {"", 0, 0},
        {" 5", 0, 0},
        {"5 ", 0, 0},
        {"5x", 0, 0},
        {"-5", 0, 0},
        {"+5", 0, 0},
        {"5.0", 0, 0},
        {"0x10", 0, 0},
        {"1e2", 0, 0},
        {"--5", 0, 0},
        {"-", 0, 0},
        {"five", 0, 0},
        {"5\n", 0, 0},
        {"1,2", 0, 0},
        {"\xc2\xb2", 0, 0},
        {"99999999999999999999999999", 0, 0},
        {"-99999999999999999999999999", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};
        int64_t n = -77;
        int rc = value_int(rows[i].text, "--rounds", 1, 100, &n, &e);
        if ((rc == 0) != rows[i].ok) {
            fail_msg("'%s' gave %d", rows[i].text, rc);
        }
        assert_int_equal(n, rows[i].ok ? rows[i].value : -77);
        if (rc != 0) {
            assert_int_equal(e.class, ERR_USAGE);
            assert_memory_equal(e.text, "--rounds: ", 10);
            assert_non_null(strstr(e.text, "from 1 to 100"));
        }
    }
}

static void int_keeps_the_ends_of_its_range(void **state) {
    struct err e;
    int64_t n;
    (void)state;
    assert_int_equal(value_int("9223372036854775807", "x", INT64_MIN, INT64_MAX, &n, &e), 0);
    assert_true(n == INT64_MAX);
    assert_int_equal(value_int("-9223372036854775808", "x", INT64_MIN, INT64_MAX, &n, &e), 0);
    assert_true(n == INT64_MIN);
    assert_int_equal(value_int("9223372036854775808", "x", INT64_MIN, INT64_MAX, &n, &e), -1);
}

static void real_reads_plain_decimals_only(void **state) {
    static const char *const bad[] = {"",      ".5",   "5.",   "1e1",          "nan",     "inf",
                                      "0x1",   "-1",   "+1",   "1,5",          " 1",      "1 ",
                                      "1.2.3", "0.05", "50.1", "1.0000000001", "1234567", "abc"};
    double d = -1;
    struct err e;
    (void)state;
    assert_int_equal(value_real("2.5", "--margin", 0.1, 50, &d, &e), 0);
    assert_true(d == 2.5);
    assert_int_equal(value_real("0.1", "--margin", 0.1, 50, &d, &e), 0);
    assert_int_equal(value_real("50", "--margin", 0.1, 50, &d, &e), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (value_real(bad[i], "--margin", 0.1, 50, &d, &e) == 0) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_int_equal(e.class, ERR_USAGE);
    }
    assert_true(d == 50);
}

static void seed_reads_64_bits(void **state) {
    static const char *const bad[] = {
        "", "-1", "0x", "0xg", "1.5", "18446744073709551616", "12a", "0x10000000000000000", " 1"};
    uint64_t n;
    struct err e;
    (void)state;
    assert_int_equal(value_seed("18446744073709551615", "--seed", &n, &e), 0);
    assert_true(n == UINT64_MAX);
    assert_int_equal(value_seed("0xFFffFFffFFffFFff", "--seed", &n, &e), 0);
    assert_true(n == UINT64_MAX);
    assert_int_equal(value_seed("0", "--seed", &n, &e), 0);
    assert_true(n == 0);
    assert_int_equal(value_seed("010", "--seed", &n, &e), 0);
    assert_true(n == 10);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (value_seed(bad[i], "--seed", &n, &e) == 0) {
            fail_msg("'%s' was taken", bad[i]);
        }
    }
}

static void duration_is_exact(void **state) {
    static const struct {
        const char *text;
        int64_t ns;
        const char *again;
    } rows[] = {
        {"500ms", 500 * MS, "500ms"},
        {"2s", 2 * S, "2s"},
        {"1m", 60 * S, "1m"},
        {"1.5s", 1500 * MS, "1500ms"},
        {"0.1s", 100 * MS, "100ms"},
        {"0", 0, "0s"},
        {"0s", 0, "0s"},
        {"0.0", 0, "0s"},
        {"90s", 90 * S, "90s"},
        {"1h", 3600 * S, "1h"},
        {"250us", 250000, "250us"},
        {"7ns", 7, "7ns"},
        {"1.25m", 75 * S, "75s"},
        {"120s", 120 * S, "2m"},
        {"0.000000001s", 1, "1ns"},
        {"1.000s", S, "1s"},
        {"0.3s", 300 * MS, "300ms"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e;
        int64_t ns = -1;
        char text[32];
        if (value_duration(rows[i].text, "--warmup", 0, 3600 * S, &ns, &e) != 0) {
            fail_msg("'%s': %s", rows[i].text, e.text);
        }
        assert_int_equal(ns, rows[i].ns);
        value_duration_text(ns, text, sizeof text);
        assert_string_equal(text, rows[i].again);
    }
}

static void duration_refuses_the_rest(void **state) {
    static const char *const bad[] = {
        "",
        "5",
        "s",
        "-1s",
        "+1s",
        "1 s",
        "1S",
        "1sec",
        "1.s",
        ".5s",
        "1e3ms",
        "1s2",
        "1d",
        "nan",
        "0x1s",
        "0.0000000001s",
        "0.5ns",
        "1.1.1s",
        "2h",
        "9999999999999999s",
        "999999999999999h",
        "1s ",
        "00000000000000001s",
    };
    int64_t ns = -1;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct err e;
        if (value_duration(bad[i], "--warmup", 0, 3600 * S, &ns, &e) == 0) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_int_equal(e.class, ERR_USAGE);
    }
    assert_int_equal(ns, -1);
}

static void bool_reads_eight_words(void **state) {
    static const char *const yes[] = {"yes", "true", "on", "1", "YES", "On"};
    static const char *const no[] = {"no", "false", "off", "0", "False"};
    static const char *const bad[] = {"", "y", "n", "2", "yess", "enable", " yes"};
    struct err e;
    bool b;
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        b = false;
        assert_int_equal(value_bool(yes[i], "x", &b, &e), 0);
        assert_true(b);
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        b = true;
        assert_int_equal(value_bool(no[i], "x", &b, &e), 0);
        assert_false(b);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(value_bool(bad[i], "x", &b, &e), -1);
    }
}

static void name_has_a_small_alphabet(void **state) {
    static const char longest[] = "123456789012345678901234567890123456789012345678";
    static const char *const bad[] = {
        "",         "-x",  "a b",
        "a/b",      "a,b", "a=b",
        "\xc3\xa9", "a\n", "1234567890123456789012345678901234567890123456789"};
    struct err e;
    (void)state;
    assert_int_equal(strlen(longest), VALUES_NAME_MAX);
    assert_int_equal(value_name(longest, "x", &e), 0);
    assert_int_equal(value_name("h2o@1.0_b+c-d", "x", &e), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (value_name(bad[i], "x", &e) == 0) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_non_null(strstr(e.text, "A-Z a-z 0-9 . _ @ + -"));
    }
}

static void lists_refuse_repeats_and_gaps(void **state) {
    static const char *const bad[] = {"", ",", "1,", ",1", "1,,2", "1,2,1", "1;2", "1, 0", "a"};
    struct ints ints = {0};
    struct names names = {0};
    struct err e;
    (void)state;
    assert_int_equal(value_ints("10, 100\t,500", "--connections", 1, 1000, &ints, &e), 0);
    assert_int_equal(ints.n, 3);
    assert_int_equal(ints.value[1], 100);
    assert_int_equal(ints.value[2], 500);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (value_ints(bad[i], "--connections", 1, 1000, &ints, &e) == 0) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_int_equal(ints.n, 3); /* as it was */
    }
    ints_release(&ints);

    assert_int_equal(value_names(" a , b-c ", "--targets", &names, &e), 0);
    assert_int_equal(names.n, 2);
    assert_true(names_has(&names, "b-c"));
    assert_false(names_has(&names, "b"));
    assert_int_equal(value_names("a,a", "--targets", &names, &e), -1);
    assert_int_equal(value_names("a,,b", "--targets", &names, &e), -1);
    assert_int_equal(names.n, 2);
    names_release(&names);
}

static void lists_are_bounded(void **state) {
    struct names names = {0};
    struct ints ints = {0};
    struct err e;
    char text[VALUES_LIST_MAX * 8 + 16];
    size_t used = 0;
    (void)state;
    for (int i = 1; i <= VALUES_LIST_MAX; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i > 1 ? "," : "", i);
    }
    assert_int_equal(value_names(text, "x", &names, &e), 0);
    assert_int_equal(value_ints(text, "x", 1, 1000, &ints, &e), 0);
    snprintf(text + used, sizeof text - used, ",900");
    assert_int_equal(value_names(text, "x", &names, &e), -1);
    assert_int_equal(value_ints(text, "x", 1, 1000, &ints, &e), -1);
    assert_int_equal(names.n, VALUES_LIST_MAX);
    names_release(&names);
    ints_release(&ints);
}

static void pairs_are_names_and_numbers(void **state) {
    static const char *const bad[] = {"libuv",           "libuv=",   "=5",        "libuv=-1",
                                      "libuv=5,libuv=6", "libuv=5,", "libuv=5=6", "li uv=5"};
    struct pair_list pairs = {0};
    struct err e;
    (void)state;
    assert_int_equal(value_pairs("libuv=500, h2o=0", "--handicap", 0, 1000, &pairs, &e), 0);
    assert_int_equal(pairs.n, 2);
    assert_string_equal(pairs.name[0], "libuv");
    assert_int_equal(pairs.value[0], 500);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (value_pairs(bad[i], "--handicap", 0, 1000, &pairs, &e) == 0) {
            fail_msg("'%s' was taken", bad[i]);
        }
    }
    assert_int_equal(value_pairs(" ", "--handicap", 0, 1000, &pairs, &e), 0);
    assert_int_equal(pairs.n, 0);
    pair_list_release(&pairs);
}

static void cpus_are_auto_or_a_list(void **state) {
    struct cpu_choice choice = {0};
    struct err e;
    (void)state;
    assert_int_equal(value_cpus("auto", "--server-cpus", &choice, &e), 0);
    assert_true(choice.automatic);
    assert_int_equal(value_cpus("0-1,3", "--server-cpus", &choice, &e), 0);
    assert_false(choice.automatic);
    assert_int_equal(CPU_COUNT(&choice.set), 3);
    assert_int_equal(value_cpus("3-1", "--server-cpus", &choice, &e), -1);
    assert_int_equal(value_cpus("all", "--server-cpus", &choice, &e), -1);
    assert_int_equal(CPU_COUNT(&choice.set), 3);
}

static void text_is_utf8_without_controls(void **state) {
    char *text = NULL;
    struct err e;
    (void)state;
    assert_int_equal(value_text("a r\xc3\xa9sum\xc3\xa9", "--out", &text, &e), 0);
    assert_int_equal(value_text("", "--out", &text, &e), -1);
    assert_int_equal(value_text("a\nb", "--out", &text, &e), -1);
    assert_int_equal(value_text("a\x7f", "--out", &text, &e), -1);
    assert_int_equal(value_text("\xff", "--out", &text, &e), -1);
    assert_string_equal(text, "a r\xc3\xa9sum\xc3\xa9");
    free(text);
}

static void words_split_as_a_shell_does(void **state) {
    static const struct {
        const char *text;
        const char *words[5];
    } rows[] = {
        {"a b", {"a", "b"}},
        {"  a\t b  ", {"a", "b"}},
        {"'a b' \"c d\"", {"a b", "c d"}},
        {"a\\ b c", {"a b", "c"}},
        {"--x='1 2'3", {"--x=1 23"}},
        {"'' b", {"", "b"}},
        {"\"a\\\"b\" 'c\\d'", {"a\"b", "c\\d"}},
        {"{\"a\":1}", {"{a:1}"}},
        {"$HOME `x` *", {"$HOME", "`x`", "*"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e;
        char **words = NULL;
        size_t n = 0;
        assert_int_equal(words_split(rows[i].text, "command", &words, &e), 0);
        for (; rows[i].words[n]; n++) {
            assert_non_null(words[n]);
            assert_string_equal(words[n], rows[i].words[n]);
        }
        assert_null(words[n]);
        char *joined = words_join(words);
        char **again = NULL;
        assert_int_equal(words_split(joined, "command", &again, &e), 0);
        for (n = 0; words[n]; n++) {
            assert_string_equal(again[n], words[n]);
        }
        assert_null(again[n]);
        assert_null(strstr(joined, " ;"));
        free(joined);
        words_free(again);
        words_free(words);
    }
}

static void words_refuse_open_quotes(void **state) {
    static const char *const bad[] = {"", "   ", "'a", "a \"b", "a\\", "\"a\\"};
    char **words = NULL;
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(words_split(bad[i], "command", &words, &e), -1);
        assert_int_equal(e.class, ERR_USAGE);
        assert_null(words);
    }
    char many[2 * (WORDS_MAX + 1) + 1];
    for (size_t i = 0; i <= WORDS_MAX; i++) {
        memcpy(many + 2 * i, "x ", 3);
    }
    assert_int_equal(words_split(many, "command", &words, &e), -1);
    many[2 * WORDS_MAX] = '\0';
    assert_int_equal(words_split(many, "command", &words, &e), 0);
    words_free(words);
}

static void quoted_text_comes_back(void **state) {
    static const char *const texts[] = {"a",   "a b",    " a",   "a ",   "a ;b", "\"a\"",
                                        "\\",  "a\\;b",  ";a",   "a\"",  "'",    "# a",
                                        "a;b", "a \\;b", " \\x", "a ;\\"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct err e;
        char *plain = NULL;
        char *quoted = words_quote(texts[i]);
        assert_non_null(quoted);
        assert_null(strstr(quoted, " ;"));
        if (words_unquote(quoted, "out", &plain, &e) != 0) {
            fail_msg("%s: %s", quoted, e.text);
        }
        assert_string_equal(plain, texts[i]);
        free(plain);
        free(quoted);
    }
}

static void nearest_name_is_a_slip_of_the_pen(void **state) {
    (void)state;
    assert_string_equal(option_nearest("round", USE_RUN), "rounds");
    assert_string_equal(option_nearest("conections", USE_RUN), "connections");
    assert_string_equal(option_nearest("warm-up", USE_RUN), "warmup");
    assert_null(option_nearest("zebra", USE_RUN));
    assert_null(option_nearest("", USE_RUN));
    assert_null(option_nearest("rounds", USE_REPORT));
    assert_null(
        option_nearest("roundsroundsroundsroundsroundsroundsroundsroundsroundsrounds", USE_RUN));
}

static void option_rows_are_whole(void **state) {
    (void)state;
    assert_int_equal(options[options_count()].name, NULL);
    for (const struct option *o = options; o->name; o++) {
        assert_non_null(o->help);
        assert_true(o->use != 0);
        assert_true((o->metavar == NULL) == (o->type == OPTION_BOOL));
        assert_ptr_equal(option_find(o->name, o->use), o); /* no name twice */
        assert_true(o->help[strlen(o->help) - 1] != '.');
        assert_true(strlen(o->name) < 24);
    }
    assert_null(option_find("dry-run", USE_FILE));
    assert_null(option_find("nothing", ~0U));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(int_reads_whole_numbers_only),
        cmocka_unit_test(int_keeps_the_ends_of_its_range),
        cmocka_unit_test(real_reads_plain_decimals_only),
        cmocka_unit_test(seed_reads_64_bits),
        cmocka_unit_test(duration_is_exact),
        cmocka_unit_test(duration_refuses_the_rest),
        cmocka_unit_test(bool_reads_eight_words),
        cmocka_unit_test(name_has_a_small_alphabet),
        cmocka_unit_test(lists_refuse_repeats_and_gaps),
        cmocka_unit_test(lists_are_bounded),
        cmocka_unit_test(pairs_are_names_and_numbers),
        cmocka_unit_test(cpus_are_auto_or_a_list),
        cmocka_unit_test(text_is_utf8_without_controls),
        cmocka_unit_test(words_split_as_a_shell_does),
        cmocka_unit_test(words_refuse_open_quotes),
        cmocka_unit_test(quoted_text_comes_back),
        cmocka_unit_test(nearest_name_is_a_slip_of_the_pen),
        cmocka_unit_test(option_rows_are_whole),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("config values", tests, NULL, NULL);
}
