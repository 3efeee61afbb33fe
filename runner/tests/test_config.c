/* config: layers, profiles, what fits together, and the dump that can be run again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buildinfo.h"
#include "base/workload.h"
#include "config/config.h"
#include "config/profile.h"

#define S 1000000000LL

/* Loads INI text (NULL = none) and flags given as "name=value" words, ended by NULL. */
static int load_use(struct config *c, const char *text, const char *const *words, unsigned use,
                    struct err *e) {
    struct settings flags = {0};
    for (; words && *words; words++) {
        char name[64];
        char where[80];
        const char *equals = strchr(*words, '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - *words), *words);
        snprintf(where, sizeof where, "--%s", name);
        const struct option *o = option_find(name, use);
        assert_non_null(o);
        assert_int_equal(settings_add(&flags, o, equals + 1, where), 0);
    }
    *e = (struct err){0};
    int rc = config_load_text(c, text, text ? strlen(text) : 0, "x.ini", &flags, use, e);
    settings_release(&flags);
    return rc;
}

#define FLAGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void load_ok(struct config *c, const char *text, const char *const *words) {
    struct err e;
    if (load_use(c, text, words, USE_RUN, &e) != 0) {
        fail_msg("%s", e.text);
    }
}

static void refused(const char *text, const char *const *words, const char *says) {
    struct config c;
    struct err e;
    if (load_use(&c, text, words, USE_RUN, &e) == 0) {
        config_release(&c);
        fail_msg("taken; wanted: %s", says);
    }
    if (strncmp(e.text, says, strlen(says)) != 0) {
        fail_msg("said: %s\nnot: %s", e.text, says);
    }
    assert_int_equal(e.class, ERR_USAGE);
}

static void default_is_the_quick_profile(void **state) {
    struct config c;
    (void)state;
    load_ok(&c, NULL, NULL);
    assert_string_equal(c.profile, "quick");
    assert_int_equal(c.targets.n, 3);
    assert_string_equal(c.targets.name[2], "h2o");
    assert_int_equal(c.workloads.n, 1);
    assert_int_equal(c.connections.n, 3);
    assert_int_equal(c.connections.value[2], 500);
    assert_int_equal(c.rounds, 11);
    assert_int_equal(c.duration_ns, S);
    assert_int_equal(c.warmup_ns, S / 2);
    assert_int_equal(c.timeout_ns, 2 * S);
    assert_int_equal(c.threads, 1);
    assert_int_equal(c.workers, 1);
    assert_true(c.verify && c.null_server && c.report && c.repeat_percent == 15);
    assert_false(c.dry_run || c.quiet);
    assert_null(c.out);
    assert_null(c.resume);
    assert_true(c.margin_percent == 3);
    assert_string_equal(config_control(&c)->name, "libevent");
    config_release(&c);
}

/* What method.md promises of each profile. */
static void profiles_are_those_of_the_method(void **state) {
    static const struct {
        const char *name;
        int64_t rounds, duration, warmup, levels, highest;
    } rows[] = {{"smoke", 1, S, S / 5, 1, 8},
                {"quick", 11, S, S / 2, 3, 500},
                {"standard", 17, 2 * S, S, 7, 1000},
                {"publish", 31, 5 * S, 2 * S, 8, 4000}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct config c;
        char flag[32];
        snprintf(flag, sizeof flag, "profile=%s", rows[i].name);
        load_ok(&c, NULL, FLAGS(flag));
        assert_int_equal(c.rounds, rows[i].rounds);
        assert_int_equal(c.duration_ns, rows[i].duration);
        assert_int_equal(c.warmup_ns, rows[i].warmup);
        assert_int_equal(c.connections.n, rows[i].levels);
        assert_int_equal(c.connections.value[c.connections.n - 1], rows[i].highest);
        config_release(&c);
    }
    assert_null(profile_at(4));
}

static void later_layers_win(void **state) {
    struct config c;
    (void)state;
    /* The profile comes last in the file, yet goes below all of it. */
    load_ok(&c, "rounds = 5\nduration = 3s\nprofile = standard\n", FLAGS("duration=4s"));
    assert_int_equal(c.rounds, 5);          /* file over profile */
    assert_int_equal(c.duration_ns, 4 * S); /* flag over file */
    assert_int_equal(c.warmup_ns, S);       /* profile over default */
    assert_int_equal(c.connections.n, 7);
    config_release(&c);
    load_ok(&c, "profile = standard\nrounds = 5\n", FLAGS("profile=smoke"));
    assert_string_equal(c.profile, "smoke");
    assert_int_equal(c.repeat_percent, 0); /* one round concludes nothing */
    assert_int_equal(c.rounds, 5);
    assert_int_equal(c.workloads.n, 3);
    config_release(&c);
    load_ok(&c, NULL, FLAGS("rounds=5", "rounds=6"));
    assert_int_equal(c.rounds, 6);
    config_release(&c);
}

static void seed_is_drawn_and_recorded(void **state) {
    struct config a;
    struct config b;
    struct config again;
    (void)state;
    load_ok(&a, NULL, NULL);
    load_ok(&b, NULL, NULL);
    assert_true(a.seed != b.seed); /* 1 in 2^64 */
    char *text = config_dump(&a);
    assert_non_null(text);
    load_ok(&again, text, NULL);
    assert_true(again.seed == a.seed);
    free(text);
    config_release(&again);
    config_release(&b);
    config_release(&a);
}

static void all_workloads_are_the_table(void **state) {
    struct config c;
    size_t n = 0;
    (void)state;
    load_ok(&c, NULL, FLAGS("workloads=all"));
    while (workload_at(n)) {
        assert_string_equal(c.workloads.name[n], workload_at(n)->name);
        n++;
    }
    assert_int_equal(c.workloads.n, n);
    config_release(&c);
}

static void sections_join_the_targets_nobody_named(void **state) {
    static const char text[] = "[target mine]\ncommand = ./a {port}\n";
    struct config c;
    (void)state;
    load_ok(&c, text, NULL);
    assert_int_equal(c.targets.n, 4);
    assert_string_equal(c.targets.name[3], "mine");
    config_release(&c);
    load_ok(&c, text, FLAGS("targets=mine"));
    assert_int_equal(c.targets.n, 1);
    assert_string_equal(config_control(&c)->name, "mine");
    config_release(&c);
}

static void threads_must_share_connections_evenly(void **state) {
    struct config c;
    (void)state;
    refused(NULL, FLAGS("threads=3"),
            "--threads: 10 connections cannot be shared evenly by 3 threads");
    refused(NULL, FLAGS("threads=4", "connections=4,8,10"),
            "--connections: 10 connections cannot be shared evenly by 4 threads");
    refused(NULL, FLAGS("threads=8", "connections=4"),
            "--connections: 4 connections cannot be shared evenly by 8 threads");
    load_ok(&c, NULL, FLAGS("threads=4", "connections=4,8,12"));
    config_release(&c);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    refused(NULL, FLAGS("duration=1500ms"), "--duration: 1500ms is not a whole number of seconds");
    refused(NULL, FLAGS("duration=900ms"), "--duration: 900ms is out of range");
    refused(NULL, FLAGS("timeout=2500ms"), "--timeout: 2500ms is not a whole number of seconds");
    refused(NULL, FLAGS("targets=libuv,libevnt"), "--targets: no target is called 'libevnt'");
    refused(NULL, FLAGS("targets=null"), "--targets: the null server is measured beside");
    refused(NULL, FLAGS("targets=null", "null-server=no", "workloads=json"),
            "--workloads: null does not serve 'json'");
    refused(NULL, FLAGS("baseline=h2p", "targets=libuv,h2o"),
            "--baseline: 'h2p' is not among the targets; did you mean 'h2o'?");
    refused(NULL, FLAGS("aa-control=h2o", "targets=libuv"),
            "--aa-control: 'h2o' is not among the targets");
    refused("[target libuv-again]\ncommand = a {port}\n", FLAGS("targets=libuv,libuv-again"),
            "aa-control: 'libuv-again' is what the A/A control of 'libuv' would be called");
    refused(NULL, FLAGS("handicap=zzz=5"), "--handicap: 'zzz' is not one of");
    refused("[target m]\ncommand = a {port}\n", FLAGS("handicap=m=5"),
            "--handicap: 'm' is not one of");
    refused(NULL, FLAGS("server-cpus=0-2", "generator-cpus=2,3"),
            "--generator-cpus: CPU 2 is given to the servers and to the load generator");
    refused(NULL, FLAGS("resume=x", "out=y"), "--out: a resumed run");
    refused(NULL, FLAGS("resume=x", "dry-run=yes"), "--dry-run: a resumed run");
    refused(NULL, FLAGS("results="), "--results: a value is missing");
}

static void many_sections_are_refused(void **state) {
    char text[VALUES_LIST_MAX * 64];
    size_t used = 0;
    (void)state;
    for (int i = 0; i < VALUES_LIST_MAX; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "[target t%d]\ncommand = a {port}\n", i);
    }
    refused(text, NULL, "targets: the file describes more than 64");
}

static void control_is_on_off_or_a_target(void **state) {
    struct config c;
    (void)state;
    load_ok(&c, NULL, FLAGS("aa-control=no"));
    assert_string_equal(c.aa_control, "off");
    assert_null(config_control(&c));
    config_release(&c);
    load_ok(&c, NULL, FLAGS("aa-control=YES"));
    assert_string_equal(c.aa_control, "on");
    config_release(&c);
    load_ok(&c, NULL, FLAGS("aa-control=h2o"));
    assert_string_equal(config_control(&c)->name, "h2o");
    assert_ptr_equal(config_target(&c, "h2o-again"), config_target(&c, "h2o"));
    assert_null(config_target(&c, "h2-again"));
    assert_null(config_target(&c, "-again"));
    config_release(&c);
}

static const char *word_after(char *const *command, const char *word) {
    for (; *command; command++) {
        if (strcmp(*command, word) == 0) {
            return command[1];
        }
    }
    return NULL;
}

static void builtin_commands_name_the_servers_folder(void **state) {
    struct config c;
    (void)state;
    load_ok(&c, NULL, FLAGS("servers=/opt/s v", "handicap=libuv=750"));
    const struct target_config *t = config_target(&c, "libuv");
    assert_true(t->builtin && t->announces);
    assert_string_equal(t->command[0], "/opt/s v/server-libuv");
    assert_string_equal(word_after(t->command, "--listen"), "{host}:0");
    assert_string_equal(word_after(t->command, "--workers"), "{workers}");
    assert_string_equal(word_after(t->command, "--backlog"), "{backlog}");
    assert_string_equal(word_after(t->command, "--handicap-ns"), "750");
    assert_null(word_after(config_target(&c, "h2o")->command, "--handicap-ns"));
    assert_true(config_serves(config_target(&c, "null"), "hello"));
    assert_false(config_serves(config_target(&c, "null"), "json"));
    config_release(&c);
}

static void servers_folder_is_found(void **state) {
    char out[4096];
    (void)state;
    assert_int_equal(config_servers("some/folder", out, sizeof out), 0);
    assert_string_equal(out, "some/folder");
    assert_int_equal(config_servers("some/folder", out, 4), -1);
    /* This test is no server's neighbour, so `auto` is where make install puts them. */
    assert_int_equal(config_servers("auto", out, sizeof out), 0);
    assert_memory_equal(out, buildinfo_get()->prefix, strlen(buildinfo_get()->prefix));
    assert_non_null(strstr(out, "/libexec/loopbench"));
}

static void missing_programs_are_named(void **state) {
    char dir[] = "/tmp/loopbench-test-XXXXXX";
    char path[96];
    char flag[64];
    struct config c;
    struct err e = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(flag, sizeof flag, "servers=%s", dir);
    load_ok(&c, NULL, FLAGS(flag, "targets=libuv", "server-cpus=0"));
    assert_int_equal(config_check_programs(&c, &e), -1);
    assert_int_equal(e.class, ERR_MACHINE);
    assert_non_null(strstr(e.text, "server-libuv is not there; build it with `make servers`"));
    static const char *const names[] = {"server-libuv", "server-null"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        FILE *f = fopen(path, "we");
        assert_non_null(f);
        fclose(f);
        assert_int_equal(config_check_programs(&c, &e), -1); /* not executable, or the next */
        assert_int_equal(chmod(path, 0700), 0);
    }
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    c.server_cpus.set = allowed;
    assert_int_equal(config_check_programs(&c, &e), 0);
    CPU_SET(CPU_SETSIZE - 1, &c.server_cpus.set);
    assert_int_equal(config_check_programs(&c, &e), -1);
    assert_memory_equal(e.text, "server-cpus: CPUs ", 18);
    config_release(&c);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);

    load_ok(&c, "targets = m\nnull-server = no\n[target m]\ncommand = ./no-such {port}\n", NULL);
    assert_int_equal(config_check_programs(&c, &e), -1);
    assert_non_null(strstr(e.text, "target 'm': the program ./no-such is not there"));
    config_release(&c);
    load_ok(&c, "targets=m\nnull-server=no\n[target m]\ncommand=sh {port}\ncwd=/no/such\n", NULL);
    assert_int_equal(config_check_programs(&c, &e), -1);
    assert_non_null(strstr(e.text, "the folder /no/such is not there"));
    config_release(&c);
    load_ok(&c, "targets=m\nnull-server=no\n[target m]\ncommand=./sh {port}\ncwd=/bin\n", NULL);
    assert_int_equal(config_check_programs(&c, &e), 0);
    config_release(&c);
}

static void backlog_is_what_the_kernel_allows(void **state) {
    struct config c;
    (void)state;
    load_ok(&c, NULL, NULL);
    assert_int_equal(c.backlog, 0);
    assert_true(config_backlog(&c) > 0);
    config_release(&c);
    load_ok(&c, NULL, FLAGS("backlog=77"));
    assert_int_equal(config_backlog(&c), 77);
    config_release(&c);
}

/* Every option of the file set to something other than its default, hostile texts among them. */
static const char everything[] =
    "profile = standard\ntargets = h2o,mine\nworkloads = html,hello\nconnections = 12,4\n"
    "requests = 4800\nthink-time = 5ms..10ms\npipeline = 3\nkeepalive = on\naccess-log = off\n"
    "db = sqlite:/a;b\nrounds = 7\nduration = 4s\nwarmup = 1250ms\n"
    "seed = 18446744073709551615\naa-control = mine\n"
    "null-server = no\ngenerators = wrk,ab\nverify = no\nrepeat-blocks = 40\nthreads = 4\n"
    "workers = 3\nbacklog = 99\n"
    "timeout = 3s\nready-timeout = 1500ms\ntrial-margin = 90s\nserver-cpus = 0-2,5\n"
    "generator-cpus = 3,4\nhandicap = h2o=500,libuv=0\nmargin = 2.5\n"
    "baseline = h2o\nwrk = \"/a b/w \\\"k\"\n"
    "servers = \" /x \\;y\"\nresults = r\xc3\xa9sultats # 1\n"
    "[target mine]\ncommand = a\\;b \"c \\;d\" \"e'f\" '' --p={port} \\# {workers}\n"
    "env = A=\"1 \\;2\" B=\ncwd = \"/a \\;b \"\nready = /r\nstop-signal = QUIT\nannounces = yes\n"
    "workloads = html,hello\ninstall = make 'it'\n"
    "[target other]\ncommand = x {port}\n";

static void dump_reads_back_as_itself(void **state) {
    static const char *const texts[] = {"", everything, "profile = smoke\nworkloads = all\n",
                                        "aa-control = off\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct config first;
        struct config second;
        load_ok(&first, texts[i], NULL);
        char *once = config_dump(&first);
        assert_non_null(once);
        load_ok(&second, once, NULL);
        char *twice = config_dump(&second);
        assert_string_equal(once, twice);
        /* Not only the dumps: the values too. */
        for (const struct option *o = options; o->name; o++) {
            char *a = o->use & USE_FILE ? config_value_text(&first, o) : NULL;
            char *b = o->use & USE_FILE ? config_value_text(&second, o) : NULL;
            assert_string_equal(a ? a : "", b ? b : "");
            free(a);
            free(b);
        }
        assert_int_equal(first.target_count, second.target_count);
        for (size_t t = 0; t < first.target_count; t++) {
            for (size_t w = 0; first.target[t].command[w]; w++) {
                assert_string_equal(first.target[t].command[w], second.target[t].command[w]);
            }
        }
        free(once);
        free(twice);
        config_release(&first);
        config_release(&second);
    }
}

static void dump_leaves_no_option_of_the_file_out(void **state) {
    struct config c;
    (void)state;
    load_ok(&c, everything, NULL);
    assert_string_equal(c.servers, " /x ;y");
    assert_string_equal(c.wrk, "/a b/w \"k");
    char *text = config_dump(&c);
    for (const struct option *o = options; o->name; o++) {
        char line[80];
        snprintf(line, sizeof line, "\n%s = ", o->name);
        if (!option_find(o->name, USE_FILE)) {
            assert_null(strstr(text, line));
        } else if (!strstr(text, line)) {
            fail_msg("%s is not in the dump", o->name);
        }
    }
    free(text);
    config_release(&c);
}

/* A run's own folder holds its configuration; flags that would change it are refused. */
static void resume_keeps_the_configuration(void **state) {
    char dir[] = "/tmp/loopbench-test-XXXXXX";
    char path[64];
    struct settings flags = {0};
    struct config c;
    struct err e = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/config.ini", dir);
    assert_int_equal(settings_add(&flags, option_find("resume", USE_RUN), dir, "--resume"), 0);
    assert_int_equal(config_load(&c, &flags, USE_RUN, &e), -1);
    assert_non_null(strstr(e.text, "is not the folder of a run"));

    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs("rounds = 5\nseed = 12\n", f);
    fclose(f);
    assert_int_equal(settings_add(&flags, option_find("quiet", USE_RUN), "yes", "--quiet"), 0);
    assert_int_equal(config_load(&c, &flags, USE_RUN, &e), 0);
    assert_int_equal(c.rounds, 5);
    assert_int_equal(c.seed, 12);
    assert_true(c.quiet);
    assert_string_equal(c.resume, dir);
    config_release(&c);

    assert_int_equal(settings_add(&flags, option_find("rounds", USE_RUN), "6", "--rounds"), 0);
    assert_int_equal(config_load(&c, &flags, USE_RUN, &e), -1);
    assert_memory_equal(e.text, "--rounds: a resumed run keeps its configuration", 47);
    settings_release(&flags);
    unlink(path);
    rmdir(dir);
}

/* A file made for runs serves verify and doctor too, whatever its levels. */
static void other_commands_take_the_same_file(void **state) {
    struct config c;
    struct err e;
    (void)state;
    assert_int_equal(load_use(&c, "threads = 3\n", FLAGS("targets=libuv,null"), USE_VERIFY, &e), 0);
    assert_int_equal(c.targets.n, 2);
    config_release(&c);
    assert_int_equal(load_use(&c, "threads = 3\n", NULL, USE_DOCTOR, &e), -1);
    assert_int_equal(load_use(&c, NULL, FLAGS("margin=5"), USE_REPORT, &e), 0);
    assert_true(c.margin_percent == 5);
    config_release(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_is_the_quick_profile),
        cmocka_unit_test(profiles_are_those_of_the_method),
        cmocka_unit_test(later_layers_win),
        cmocka_unit_test(seed_is_drawn_and_recorded),
        cmocka_unit_test(all_workloads_are_the_table),
        cmocka_unit_test(sections_join_the_targets_nobody_named),
        cmocka_unit_test(threads_must_share_connections_evenly),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(many_sections_are_refused),
        cmocka_unit_test(control_is_on_off_or_a_target),
        cmocka_unit_test(builtin_commands_name_the_servers_folder),
        cmocka_unit_test(servers_folder_is_found),
        cmocka_unit_test(missing_programs_are_named),
        cmocka_unit_test(backlog_is_what_the_kernel_allows),
        cmocka_unit_test(dump_reads_back_as_itself),
        cmocka_unit_test(dump_leaves_no_option_of_the_file_out),
        cmocka_unit_test(resume_keeps_the_configuration),
        cmocka_unit_test(other_commands_take_the_same_file),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
