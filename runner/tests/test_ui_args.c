/* ui/args, ui/help: the command line and the texts made from its tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/profile.h"
#include "ui/args.h"
#include "ui/help.h"
#include "ui/text.h"

#define ARGV(...) ((const char *const[]){"loopbench", __VA_ARGS__, NULL})

static int parse(struct args *a, const char *const *argv, struct err *e) {
    int argc = 0;
    while (argv[argc]) {
        argc++;
    }
    *e = (struct err){0};
    return args_parse(a, argc, argv, e);
}

/* "option=value ..." of the flags, then "| operand ...". */
static void expect(const char *const *argv, const char *command, const char *wanted) {
    struct args a;
    struct err e;
    char got[512];
    int n = 0;
    if (parse(&a, argv, &e) != 0) {
        fail_msg("%s", e.text);
    }
    assert_string_equal(a.command->name, command);
    got[0] = '\0';
    for (size_t i = 0; i < a.flags.n; i++) {
        n += snprintf(got + n, sizeof got - (size_t)n, "%s=%s ", a.flags.setting[i].option->name,
                      a.flags.setting[i].value);
    }
    for (int i = 0; i < a.n; i++) {
        n += snprintf(got + n, sizeof got - (size_t)n, "|%s ", a.operand[i]);
    }
    assert_string_equal(got, wanted);
    args_release(&a);
}

static void arguments_are_read(void **state) {
    (void)state;
    expect(ARGV("run"), "run", "");
    expect(ARGV("run", "--rounds", "3"), "run", "rounds=3 ");
    expect(ARGV("run", "--rounds=3", "--quiet"), "run", "rounds=3 quiet=yes ");
    expect(ARGV("run", "--no-verify", "--no-aa-control"), "run", "verify=no aa-control=no ");
    expect(ARGV("run", "--verify=no", "--aa-control", "h2o"), "run", "verify=no aa-control=h2o ");
    expect(ARGV("run", "--quiet", "a.ini"), "run", "quiet=yes config=a.ini |a.ini ");
    expect(ARGV("run", "a.ini", "--rounds", "3"), "run", "rounds=3 config=a.ini |a.ini ");
    expect(ARGV("run", "--", "--rounds"), "run", "config=--rounds |--rounds ");
    expect(ARGV("run", "--out", "a b", "--out=c=d"), "run", "out=a b out=c=d ");
    expect(ARGV("run", "--handicap", "libuv=5"), "run", "handicap=libuv=5 ");
    expect(ARGV("run", "--results="), "run", "results= ");
    expect(ARGV("run", "-"), "run", "config=- |- ");
    expect(ARGV("report", "results/x"), "report", "|results/x ");
    expect(ARGV("verify", "libuv", "h2o"), "verify", "targets=libuv,h2o |libuv |h2o ");
    expect(ARGV("verify", "--config", "a.ini"), "verify", "config=a.ini ");
    expect(ARGV("doctor", "--connections", "10"), "doctor", "connections=10 ");
    expect(ARGV("help", "run"), "help", "|run ");
    expect(ARGV("--help"), "help", "");
    expect(ARGV("-h"), "help", "");
    expect(ARGV("--version"), "version", "");
    expect((const char *const[]){"loopbench", NULL}, "help", "");
}

static void help_flag_wins_over_what_is_missing(void **state) {
    struct args a;
    struct err e;
    (void)state;
    assert_int_equal(parse(&a, ARGV("report", "--help"), &e), 0);
    assert_true(a.help);
    args_release(&a);
    assert_int_equal(parse(&a, ARGV("run", "-h"), &e), 0);
    assert_true(a.help);
    args_release(&a);
}

static void bad_arguments_are_explained(void **state) {
    static const struct {
        const char *argv[5];
        const char *says;
    } rows[] = {
        {{"loopbench", "runn"}, "no command is called 'runn'; did you mean 'run'?"},
        {{"loopbench", "zebra"}, "no command is called 'zebra'; see `loopbench help`"},
        {{"loopbench", ""}, "no command is called ''; see `loopbench help`"},
        {{"loopbench", "--rounds", "3"}, "--rounds: a command comes first; see `loopbench help`"},
        {{"loopbench", "run", "--round", "3"}, "--round: unknown option; did you mean --rounds?"},
        {{"loopbench", "run", "--zebra"},
         "--zebra: unknown option of run; see `loopbench help run`"},
        {{"loopbench", "run", "--zebra=1"},
         "--zebra: unknown option of run; see `loopbench help run`"},
        {{"loopbench", "report", "--rounds", "3"},
         "--rounds: unknown option of report; see `loopbench help report`"},
        {{"loopbench", "run", "--no-rounds"},
         "--no-rounds: unknown option; did you mean --rounds?"},
        {{"loopbench", "run", "--no-verify=1"}, "--no-verify: it takes no value; leave '=1' out"},
        {{"loopbench", "run", "--rounds"}, "--rounds: a value is missing; write --rounds N"},
        {{"loopbench", "run", "--rounds", "--quiet"},
         "--rounds: a value is missing; write --rounds N"},
        {{"loopbench", "run", "-r"},
         "-r: unknown option; options are words, see `loopbench help run`"},
        {{"loopbench", "run", "a", "b"},
         "b: one operand too many; usage: loopbench run [options] [CONFIG.ini]"},
        {{"loopbench", "report"},
         "report: name a results folder, like results/latest; usage: "
         "loopbench report [options] FOLDER"},
        {{"loopbench", "doctor", "x"},
         "x: one operand too many; usage: loopbench doctor [options] "},
        {{"loopbench", "verify", "a b"}, "TARGET: 'a b' is not a name; use 1 to 48 of"},
        {{"loopbench", "help", "--rounds"},
         "--rounds: unknown option of help; see `loopbench help help`"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct args a;
        struct err e;
        if (parse(&a, rows[i].argv, &e) == 0) {
            fail_msg("row %zu was taken", i);
        }
        assert_int_equal(e.class, ERR_USAGE);
        if (strncmp(e.text, rows[i].says, strlen(rows[i].says)) != 0) {
            fail_msg("said: %s\nnot: %s", e.text, rows[i].says);
        }
    }
}

static void overlong_option_is_cut_in_the_message(void **state) {
    char text[4096];
    struct args a;
    struct err e;
    (void)state;
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "--", 2);
    text[sizeof text - 1] = '\0';
    assert_int_equal(parse(&a, ARGV("run", text), &e), -1);
    assert_true(strlen(e.text) < 200);
}

/* The text that a function prints. */
static char *printed(void (*print)(FILE *out, const struct command *c), const struct command *c) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print(out, c);
    fclose(out);
    return text;
}

static void print_overview(FILE *out, const struct command *c) {
    (void)c;
    help_print_overview(out);
}

static void lines_are_within(const char *text, size_t columns) {
    while (*text) {
        size_t len = strcspn(text, "\n");
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)len, text);
        if (text_columns(line) > columns || (len > 0 && line[len - 1] == ' ')) {
            fail_msg("'%s'", line);
        }
        text += len + (text[len] == '\n');
    }
}

static void overview_lists_every_command(void **state) {
    char *text = printed(print_overview, NULL);
    (void)state;
    lines_are_within(text, 80);
    for (const struct command *c = commands; c->name; c++) {
        char line[128];
        snprintf(line, sizeof line, "\n  %-10s %s\n", c->name, c->help);
        assert_non_null(strstr(text, line));
    }
    free(text);
}

static void help_shows_every_option_of_its_command(void **state) {
    (void)state;
    for (const struct command *c = commands; c->name; c++) {
        char *text = printed(help_print_command, c);
        lines_are_within(text, 80);
        char usage[64];
        snprintf(usage, sizeof usage, "usage: loopbench %s", c->name);
        assert_memory_equal(text, usage, strlen(usage));
        for (const struct option *o = options; o->name; o++) {
            bool shown = false;
            for (int form = 0; form < 4; form++) {
                char head[72];
                snprintf(head, sizeof head, "\n  --%s%s%s", form & 1 ? "[no-]" : "", o->name,
                         form & 2 ? " " : "\n");
                shown = shown || strstr(text, head);
            }
            /* Two commands may each have an option of one name. */
            if (shown != (option_find(o->name, c->use) != NULL)) {
                fail_msg("%s and --%s", c->name, o->name);
            }
        }
        free(text);
    }
}

static void help_run_shows_profiles_and_shape(void **state) {
    static const char head[] = "usage: loopbench run [options] [CONFIG.ini]\n"
                               "\n"
                               "loopbench run: measure targets and store the results.\n"
                               "\n"
                               "Without a file the built-in servers are measured.";
    static const char *const lines[] = {
        "\n  [target mine]\n  command = ./my-server --port {port}\n  ready = /hello\n\n",
        "\nOptions [default]:\n  --profile NAME            smoke, quick,",
        "\n  --rounds N                how often everything is measured [11]\n",
        "\n  --aa-control on|off|TARGET\n                            measure a target",
        "\n  --[no-]null-server        measure the null server",
        "\n  --dry-run                 print the plan",
        "\n  -h, --help                print this\n",
        "\nProfiles:\n  smoke     ",
        "\nWorkloads:\n  hello     GET /hello: ",
    };
    char *text = printed(help_print_command, command_find("run"));
    (void)state;
    assert_memory_equal(text, head, sizeof head - 1);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (!strstr(text, lines[i])) {
            fail_msg("no '%s' in\n%s", lines[i], text);
        }
    }
    for (size_t i = 0; profile_at(i); i++) {
        assert_non_null(strstr(text, profile_at(i)->help));
    }
    free(text);
}

static void text_is_filled(void **state) {
    static const struct {
        const char *text;
        size_t column, indent, width;
        const char *wanted;
    } rows[] = {
        {"", 0, 0, 10, "\n"},
        {"one two three", 0, 0, 9, "one two\nthree\n"},
        {"one two three", 0, 2, 9, "  one two\n  three\n"},
        {"one two", 4, 6, 20, "  one two\n"},
        {"overlongword x", 0, 0, 4, "overlongword\nx\n"},
        {"a\n\n  kept  as is\nb", 0, 0, 5, "a\n\n  kept  as is\nb\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        text_fill(out, rows[i].text, rows[i].column, rows[i].indent, rows[i].width);
        fclose(out);
        assert_string_equal(text, rows[i].wanted);
        free(text);
    }
    assert_int_equal(text_columns("\xc2\xb5s"), 2);
    assert_int_equal(text_cut("\xc2\xb5\xc2\xb5", 1), 2);
    assert_int_equal(text_cut("ab", 5), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_read),
        cmocka_unit_test(help_flag_wins_over_what_is_missing),
        cmocka_unit_test(bad_arguments_are_explained),
        cmocka_unit_test(overlong_option_is_cut_in_the_message),
        cmocka_unit_test(overview_lists_every_command),
        cmocka_unit_test(help_shows_every_option_of_its_command),
        cmocka_unit_test(help_run_shows_profiles_and_shape),
        cmocka_unit_test(text_is_filled),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("ui args", tests, NULL, NULL);
}
