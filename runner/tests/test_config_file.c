/* config/ini_read, config/targets: what a file may say, and what it is told otherwise. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"
#include "config/ini_read.h"

static int load(struct config *c, const char *text, struct err *e) {
    *e = (struct err){0};
    return config_load_text(c, text, strlen(text), "x.ini", NULL, USE_RUN, e);
}

static void load_ok(struct config *c, const char *text) {
    struct err e;
    if (load(c, text, &e) != 0) {
        fail_msg("%s", e.text);
    }
}

static void every_error_names_its_line(void **state) {
    static const struct {
        const char *text;
        const char *says; /* beginning of the message */
        const char *also; /* somewhere in it */
    } rows[] = {
        {"rounds = 3\nrouns = 4\n", "x.ini:2: unknown name 'rouns'", "'rounds'"},
        {"zebra = 4\n", "x.ini:1: unknown name 'zebra'", "loopbench help run"},
        {"dry-run = yes\n", "x.ini:1: unknown name 'dry-run'", ""},
        {"rounds=3\n\n; x\nrounds=4\n", "x.ini:4: 'rounds' is set a second time", ""},
        {"[run]\nrounds=3\n[run]\nrounds=4\n", "x.ini:4: 'rounds' is set a second time", ""},
        {"[runs]\n", "x.ini:1: unknown section [runs]", "[target NAME]"},
        {"[target]\n", "x.ini:1: unknown section [target]", ""},
        {"junk\n", "x.ini:1: neither", ""},
        {"rounds = 3\njunk", "x.ini:2: neither", ""},
        {"[run\n", "x.ini:1: a section is written [name]", ""},
        {"[]\n", "x.ini:1: a section is written [name]", ""},
        {"[run] rounds = 3\n", "x.ini:1: nothing may follow", ""},
        {"= 3\n", "x.ini:1: a name is missing", ""},
        {"rounds =\n", "x.ini:1: rounds: a value is missing", ""},
        {"rounds = ; three\n", "x.ini:1: rounds: a value is missing", ""},
        {"rounds = 0\n", "x.ini:1: rounds: 0 is out of range", "1 to 10000"},
        {"rounds = 3\n  rounds = 4\n", "x.ini:1: rounds: '3 rounds = 4'", ""},
        {"duration = 1500ms\n", "x.ini:1: duration: 1500ms is not a whole", "2s"},
        {"profile = quik\n", "x.ini:1: profile: no profile", "'quick'"},
        {"workloads = hello,jso\n", "x.ini:1: workloads: no workload", "'json'"},
        {"targets = libuv,node\n", "x.ini:1: targets: no target", "[target node]"},
        {"\n\nthreads = 3\n", "x.ini:3: threads: 10 connections", "divisible by 3"},
        {"threads = 4\nconnections = 8,10\n", "x.ini:2: connections: 10 connections", ""},
        {"wrk = \"a b\" c\n", "x.ini:1: wrk: something follows", ""},
        {"out\x01 = x\n", "x.ini:1: a control byte (0x01)", ""},
        {"rounds = 3\r\nwarmup = 1s\rx\n", "x.ini:2: a control byte (0x0d)", ""},
        {"; caf\xe9\n", "x.ini:1: the line is not UTF-8", ""},
        {"rounds = 3\n; \xed\xa0\x80\n", "x.ini:2: the line is not UTF-8", ""},
        {"[target a b]\n", "x.ini:1: [target]: 'a b' is not a name", ""},
        {"[target libuv]\n", "x.ini:1: target 'libuv' is built in", ""},
        {"[target null]\n", "x.ini:1: target 'null' is built in", ""},
        {"[target all]\n", "x.ini:1: a target cannot be called 'all'", ""},
        {"[target m]\ncommand=a {port}\n[target m]\n", "x.ini:3: target 'm' is there already", ""},
        {"\n[target m]\nready = /x\n", "x.ini:2: target 'm' has no command", ""},
        {"[target m]\ncommand = a\n", "x.ini:1: the command of target 'm' has no {port}", ""},
        {"[target m]\ncommand = a {prt}\n", "x.ini:1: command: {prt} is none of", "{workers}"},
        {"[target m]\ncommand = 'a {port}\n", "x.ini:2: command: a quote is not closed", ""},
        {"[target m]\ncomand = a {port}\n", "x.ini:2: a target has no 'comand'", "'command'"},
        {"[target m]\nzz = 1\n", "x.ini:2: a target has no 'zz'", "stop-signal"},
        {"[target m]\nready=/\nready=/\n", "x.ini:3: 'ready' is set a second time", ""},
        {"[target m]\nready = hello\n", "x.ini:2: ready: 'hello' is not a path", ""},
        {"[target m]\nready = /a b\n", "x.ini:2: ready: '/a b' is not a path", "%XX"},
        {"[target m]\nstop-signal = STOP\n", "x.ini:2: stop-signal: 'STOP' is none of", ""},
        {"[target m]\nenv = A\n", "x.ini:2: env: 'A' is not NAME=VALUE", ""},
        {"[target m]\nenv = =A\n", "x.ini:2: env: '=A' is not NAME=VALUE", ""},
        {"[target m]\nannounces = maybe\n", "x.ini:2: announces: 'maybe'", ""},
        {"[target m]\ncommand = a {port}\nworkloads = zz\n", "target 'm': no workload", "'zz'"},
        {"[target m]\nrounds = 3\n", "x.ini:2: a target has no 'rounds'", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct config c;
        struct err e;
        if (load(&c, rows[i].text, &e) == 0) {
            config_release(&c);
            fail_msg("taken: %s", rows[i].text);
        }
        if (strncmp(e.text, rows[i].says, strlen(rows[i].says)) != 0 ||
            !strstr(e.text, rows[i].also)) {
            fail_msg("%s\nsaid: %s\nnot: %s ... %s", rows[i].text, e.text, rows[i].says,
                     rows[i].also);
        }
        assert_int_equal(e.class, ERR_USAGE);
        assert_null(strchr(e.text, '\n'));
        assert_null(c.profile); /* nothing is left behind */
        assert_null(c.target);
    }
}

static void nul_bytes_are_refused(void **state) {
    static const char text[] = "rounds = 3\nseed = 4\0 5\n";
    struct config c;
    struct err e = {0};
    (void)state;
    assert_int_equal(config_load_text(&c, text, sizeof text - 1, "x.ini", NULL, USE_RUN, &e), -1);
    assert_string_equal(e.text, "x.ini:2: a control byte (0x00); give a text file");
}

static void file_is_read_as_written(void **state) {
    struct config c;
    (void)state;
    load_ok(&c, "\xef\xbb\xbfrounds = 3 ; three\r\n"
                "connections: 1, 2 ,\n"
                "# a comment = 1\n"
                "\n"
                "   4\n"
                "[run] ; again\n"
                "\t; indented = comment\n"
                "  duration = 2s\n"
                "results = /a;b #c\n"
                "seed = 0xff");
    assert_int_equal(c.rounds, 3);
    assert_int_equal(c.connections.n, 3);
    assert_int_equal(c.connections.value[2], 4);
    assert_int_equal(c.duration_ns, 2000000000);
    assert_string_equal(c.results, "/a;b #c");
    assert_int_equal(c.seed, 255);
    config_release(&c);
}

static void target_section_is_read(void **state) {
    struct config c;
    (void)state;
    load_ok(&c, "targets = mine,libuv\n"
                "[target mine]\n"
                "command = '/opt/my server' --port={port}\n"
                "    --threads {workers} '{\"not\":1}'\n"
                "env = A=1 'B=x y'\n"
                "cwd = \"/tmp \"\n"
                "ready = /ready?x=1\n"
                "stop-signal = SIGINT\n"
                "workloads = hello, html\n");
    const struct target_config *t = config_target(&c, "mine");
    assert_non_null(t);
    assert_false(t->builtin);
    assert_false(t->announces);
    assert_string_equal(t->command[0], "/opt/my server");
    assert_string_equal(t->command[1], "--port={port}");
    assert_string_equal(t->command[2], "--threads");
    assert_string_equal(t->command[3], "{workers}");
    assert_string_equal(t->command[4], "{\"not\":1}");
    assert_null(t->command[5]);
    assert_string_equal(t->env[1], "B=x y");
    assert_null(t->env[2]);
    assert_string_equal(t->cwd, "/tmp ");
    assert_string_equal(t->ready_path, "/ready?x=1");
    assert_int_equal(t->stop_signal, SIGINT);
    assert_true(config_serves(t, "html"));
    assert_false(config_serves(t, "json"));
    config_release(&c);
}

static void longest_name_survives_inih(void **state) {
    static const char name[] = "123456789012345678901234567890123456789012345678";
    struct config c;
    struct err e;
    char text[512];
    (void)state;
    snprintf(text, sizeof text, "[target %s]\ncommand = a {port}\n", name);
    load_ok(&c, text);
    assert_non_null(config_target(&c, name));
    config_release(&c);
    snprintf(text, sizeof text, "[target %s9]\ncommand = a {port}\n", name);
    assert_int_equal(load(&c, text, &e), -1);
    assert_non_null(strstr(e.text, "1 to 48"));
}

/* inih reads 200 bytes a line: longer ones are handed over in pieces and must come out whole. */
static void long_lines_come_out_whole(void **state) {
    char text[INI_LINE_MAX + 256];
    char value[INI_LINE_MAX];
    (void)state;
    for (size_t len = 150; len < 3000; len += 37) {
        struct config c;
        struct err e;
        uint32_t random = (uint32_t)len;
        for (size_t i = 0; i < len; i++) {
            random = random * 1664525 + 1013904223;
            value[i] = "abcdefgh;#[]=: \"\\{}"[(random >> 16) % 19];
        }
        value[0] = value[len - 1] = '/';
        value[len] = '\0';
        for (size_t i = 1; i < len; i++) {
            if (value[i] == ';' && value[i - 1] == ' ') {
                value[i] = '-'; /* would begin a comment */
            }
        }
        snprintf(text, sizeof text, "rounds = 2\nresults = %s\nseed = 9\n", value);
        if (load(&c, text, &e) != 0) {
            fail_msg("%zu bytes: %s", len, e.text);
        }
        assert_string_equal(c.results, value);
        assert_int_equal(c.seed, 9);
        config_release(&c);
    }
}

static void overlong_is_refused(void **state) {
    struct config c;
    struct err e;
    char *text = malloc(INI_VALUE_MAX * 2);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', INI_LINE_MAX + 20);
    memcpy(text, "\nresults = ", 11);
    text[INI_LINE_MAX + 20] = '\0';
    assert_int_equal(load(&c, text, &e), -1);
    assert_non_null(strstr(e.text, "x.ini:2: the line is too long"));
    size_t used = (size_t)snprintf(text, 32, "results = x\n");
    while (used < INI_VALUE_MAX + INI_VALUE_MAX / 2) {
        used += (size_t)snprintf(text + used, 64, " 123456789012345678901234567890\n");
    }
    assert_int_equal(load(&c, text, &e), -1);
    assert_non_null(strstr(e.text, "the value is too long"));
    /* A line of blanks cannot be cut into pieces that inih would give back. */
    memset(text, ' ', 1000);
    memcpy(text, "results = x", 11);
    memcpy(text + 1000, "y\n", 3);
    assert_int_equal(load(&c, text, &e), -1);
    assert_non_null(strstr(e.text, "shorten it"));
    free(text);
}

static void file_on_disk_is_checked(void **state) {
    char dir[] = "/tmp/loopbench-test-XXXXXX";
    char path[64];
    struct settings flags = {0};
    struct config c;
    struct err e = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a.ini", dir);
    assert_int_equal(settings_add(&flags, option_find("config", USE_RUN), path, "x"), 0);

    assert_int_equal(config_load(&c, &flags, USE_RUN, &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "No such file"));

    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs("rounds = 5\nduration = 3s", f);
    fclose(f);
    assert_int_equal(config_load(&c, &flags, USE_RUN, &e), 0);
    assert_int_equal(c.rounds, 5);
    assert_int_equal(c.duration_ns, 3000000000);
    assert_string_equal(c.config, path);
    config_release(&c);

    assert_int_equal(truncate(path, CONFIG_FILE_MAX + 1), 0);
    assert_int_equal(config_load(&c, &flags, USE_RUN, &e), -1);
    assert_non_null(strstr(e.text, "over 1048576 bytes"));
    unlink(path);
    settings_release(&flags);

    assert_int_equal(settings_add(&flags, option_find("config", USE_RUN), dir, "x"), 0);
    assert_int_equal(config_load(&c, &flags, USE_RUN, &e), -1);
    assert_non_null(strstr(e.text, "not a file; see that it is there"));
    settings_release(&flags);
    rmdir(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_names_its_line), cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(file_is_read_as_written),    cmocka_unit_test(target_section_is_read),
        cmocka_unit_test(longest_name_survives_inih), cmocka_unit_test(long_lines_come_out_whole),
        cmocka_unit_test(overlong_is_refused),        cmocka_unit_test(file_on_disk_is_checked),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("config file", tests, NULL, NULL);
}
