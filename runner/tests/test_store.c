/* Runs on disk: written, read back, torn, damaged, resumed, a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/manifest.h"
#include "store/writer.h"

struct place {
    char root[64];
    char run[96]; /* a folder name with a space, not yet there */
};

static int place_make(void **state) {
    struct place *p = calloc(1, sizeof *p);
    snprintf(p->root, sizeof p->root, "/tmp/loopbench-store-XXXXXX");
    assert_non_null(mkdtemp(p->root));
    snprintf(p->run, sizeof p->run, "%s/a run", p->root);
    *state = p;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static int place_remove(void **state) {
    struct place *p = *state;
    int rc = nftw(p->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(p);
    return rc;
}

static void join(char out[PATH_MAX], const char *dir, const char *name) {
    struct err e;
    assert_int_equal(file_join(out, PATH_MAX, dir, name, &e), 0);
}

static struct trial_record sample_record(int64_t seq, int attempt) {
    struct trial_record r;
    record_init(&r);
    r.seq = seq;
    r.attempt = attempt;
    r.round = (int)seq / 5;
    r.block = (int)seq / 5;
    snprintf(r.target, sizeof r.target, "libuv");
    snprintf(r.base, sizeof r.base, "libuv");
    snprintf(r.workload, sizeof r.workload, "hello");
    r.connections = 10;
    r.rate = 101234.5;
    r.raw.p50_us = 92;
    snprintf(r.flags, sizeof r.flags, "steal-warn client-limited");
    return r;
}

static struct hist sample_hist(int64_t seq) {
    struct hist h = {0};
    for (int64_t i = 0; i < 200; i++) {
        assert_int_equal(hist_add(&h, 50 + i * (1 + seq % 3), 1 + i % 7), 0);
    }
    return h;
}

static struct writer *begin(const char *results, const char *out, struct err *e) {
    json_t *manifest = json_pack("{s:{s:s}, s:s}", "loopbench", "version", "0.1", "format", "lie");
    struct writer_begin b = {
        .results = results,
        .out = out,
        .manifest = manifest,
        .config = "[run]\n",
        .plan = "[]\n",
    };
    struct writer *w = writer_begin(&b, e);
    json_decref(manifest);
    return w;
}

static void append(struct writer *w, int64_t seq, int attempt) {
    struct err e = {0};
    struct trial_record r = sample_record(seq, attempt);
    struct hist h = sample_hist(seq);
    if (writer_append(w, &r, &h, &e) != 0) {
        fail_msg("%s", e.text);
    }
    hist_release(&h);
}

/* A run of n trials in the state given. */
static void make_run(const char *dir, int n, enum store_state state) {
    struct err e = {0};
    struct writer *w = begin(NULL, dir, &e);
    if (!w) {
        fail_msg("%s", e.text);
        return;
    }
    for (int i = 0; i < n; i++) {
        append(w, i, 0);
    }
    assert_int_equal(writer_end(w, state, &e), 0);
    writer_release(w);
}

static void append_text(const char *dir, const char *name, const char *text) {
    char path[PATH_MAX];
    join(path, dir, name);
    FILE *f = fopen(path, "ae");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static off_t size_of(const char *dir, const char *name) {
    char path[PATH_MAX];
    struct stat st;
    join(path, dir, name);
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

static void assert_refused(const char *dir, enum err_class class, const char *part) {
    struct store s;
    struct err e = {0};
    assert_int_equal(store_open(&s, dir, &e), -1);
    assert_int_equal(e.class, class);
    if (!strstr(e.text, part)) {
        fail_msg("'%s' does not say '%s'", e.text, part);
    }
}

static void test_round_trip(void **state) {
    struct place *p = *state;
    struct store s;
    struct err e = {0};
    char *text = NULL;
    char buf[32];
    make_run(p->run, 7, STORE_COMPLETE);
    assert_int_equal(store_open(&s, p->run, &e), 0);
    assert_int_equal(s.count, 7);
    assert_int_equal(s.state, STORE_COMPLETE);
    assert_false(s.torn);
    assert_false(s.live);
    /* The caller cannot forge what is the store's. */
    assert_string_equal(manifest_text(s.manifest, "format", buf, sizeof buf, ""), MANIFEST_FORMAT);
    assert_string_equal(manifest_text(s.manifest, "loopbench.version", buf, sizeof buf, ""), "0.1");
    assert_string_equal(manifest_text(s.manifest, "plan.seed", buf, sizeof buf, "none"), "none");
    assert_non_null(manifest_at(s.manifest, "ended"));
    const struct trial_record *r = store_last(&s, 4);
    assert_non_null(r);
    assert_int_equal(r->seq, 4);
    assert_true(r->rate > 101234.49 && r->rate < 101234.51);
    assert_int_equal(r->raw.p50_us, 92);
    assert_int_equal(r->raw.p99_us, UNKNOWN_INT);
    assert_true(isnan(r->load.cpu_s));
    assert_string_equal(r->flags, "steal-warn client-limited");
    for (int i = 0; i < 7; i++) {
        struct hist h = {0};
        struct hist want = sample_hist(i);
        assert_int_equal(store_read_hist(&s, store_last(&s, i), &h, &e), 1);
        assert_int_equal(h.n, want.n);
        assert_memory_equal(h.value, want.value, h.n * sizeof *h.value);
        assert_memory_equal(h.count, want.count, h.n * sizeof *h.count);
        hist_release(&h);
        hist_release(&want);
    }
    assert_null(store_last(&s, 7));
    assert_null(store_last(&s, -1));
    assert_int_equal(store_read_text(&s, "config.ini", &text, &e), 0);
    assert_string_equal(text, "[run]\n");
    free(text);
    store_release(&s);
}

static void test_results_folder(void **state) {
    struct place *p = *state;
    struct err e = {0};
    char results[PATH_MAX];
    char latest[PATH_MAX];
    char target[64];
    join(results, p->root, "deep/results");
    join(latest, results, "latest");
    for (int i = 0; i < 2; i++) {
        struct writer *w = begin(results, NULL, &e);
        assert_non_null(w);
        ssize_t n = readlink(latest, target, sizeof target - 1);
        assert_true(n > 0);
        target[n] = '\0';
        assert_string_equal(target, writer_run_id(w));
        assert_non_null(strstr(writer_dir(w), writer_run_id(w)));
        assert_null(writer_before(w));
        writer_release(w);
    }
    /* Somebody's own "latest" is not ours to replace, and the run does not begin. */
    assert_int_equal(unlink(latest), 0);
    assert_int_equal(mkdir(latest, 0777), 0);
    assert_null(begin(results, NULL, &e));
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "not a symbolic link"));
}

static void test_out_must_be_new(void **state) {
    struct place *p = *state;
    struct err e = {0};
    char latest[PATH_MAX];
    make_run(p->run, 1, STORE_COMPLETE);
    join(latest, p->root, "latest");
    assert_false(file_exists(latest));
    off_t before = size_of(p->run, "trials.jsonl");
    assert_null(begin(NULL, p->run, &e));
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "not empty"));
    assert_int_equal(size_of(p->run, "trials.jsonl"), before);

    char file[PATH_MAX];
    join(file, p->run, "config.ini");
    assert_null(begin(NULL, file, &e));
    assert_non_null(strstr(e.text, "not a folder"));
    assert_null(begin(NULL, "/proc/no", &e));
    assert_int_equal(e.class, ERR_MACHINE);
    assert_null(begin(NULL, "", &e));
    assert_int_equal(e.class, ERR_USAGE);
}

static void test_failed_begin_leaves_nothing(void **state) {
    struct place *p = *state;
    struct err e = {0};
    char config[PATH_MAX];
    char results[PATH_MAX];
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit none = {.rlim_cur = 0, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    struct writer *w = begin(NULL, p->run, &e);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_null(w);
    assert_int_equal(e.class, ERR_MACHINE);
    join(config, p->run, "config.ini");
    join(results, p->run, "");
    assert_false(file_exists(config));
    assert_false(file_exists(results));
}

static void test_full_disk(void **state) {
    struct place *p = *state;
    struct err e = {0};
    struct rlimit old;
    struct writer *w = begin(NULL, p->run, &e);
    assert_non_null(w);
    append(w, 0, 0);
    append(w, 1, 0);
    off_t trials = size_of(p->run, "trials.jsonl");
    off_t hists = size_of(p->run, "histograms.gz");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    /* The histogram still fits; the line is cut in the middle. */
    struct rlimit small = {.rlim_cur = (rlim_t)trials + 100, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct trial_record r = sample_record(2, 0);
    struct hist h = sample_hist(2);
    int rc = writer_append(w, &r, &h, &e);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    hist_release(&h);
    assert_int_equal(rc, -1);
    assert_int_equal(e.class, ERR_MACHINE);
    assert_non_null(strstr(e.text, "2 trials are kept"));
    assert_non_null(strstr(e.text, "continue with --resume once there is room"));
    assert_int_equal(size_of(p->run, "trials.jsonl"), trials);
    assert_int_equal(size_of(p->run, "histograms.gz"), hists);
    /* With room again the same writer goes on. */
    append(w, 2, 0);
    assert_int_equal(writer_end(w, STORE_COMPLETE, &e), 0);
    writer_release(w);
    struct store s;
    assert_int_equal(store_open(&s, p->run, &e), 0);
    assert_int_equal(s.count, 3);
    store_release(&s);
}

static void test_torn_line_and_resume(void **state) {
    struct place *p = *state;
    struct store s;
    struct err e = {0};
    make_run(p->run, 3, STORE_RUNNING);
    append_text(p->run, "trials.jsonl", "{\"seq\":3,\"attempt\":0,\"rou");
    append_text(p->run, "histograms.gz", "half a member");
    assert_int_equal(store_open(&s, p->run, &e), 0);
    assert_true(s.torn);
    assert_int_equal(s.count, 3);
    off_t good = (off_t)s.good;
    off_t hists = s.hist_end;
    store_release(&s);

    struct writer *w = writer_resume(p->run, &e);
    if (!w) {
        fail_msg("%s", e.text);
        return;
    }
    assert_int_equal(size_of(p->run, "trials.jsonl"), good);
    assert_int_equal(size_of(p->run, "histograms.gz"), hists);
    assert_true(writer_before(w)->torn);
    assert_non_null(store_last(writer_before(w), 2));
    assert_null(store_last(writer_before(w), 3));
    append(w, 3, 0);
    append(w, 1, 1);
    assert_int_equal(writer_note(w, "verified", json_true(), &e), 0);
    assert_int_equal(writer_end(w, STORE_COMPLETE, &e), 0);
    writer_release(w);

    assert_int_equal(store_open(&s, p->run, &e), 0);
    assert_int_equal(s.count, 5);
    assert_int_equal(store_last(&s, 1)->attempt, 1);
    assert_true(json_is_true(manifest_at(s.manifest, "verified")));
    for (size_t i = 0; i < s.count; i++) {
        struct hist h = {0};
        assert_int_equal(store_read_hist(&s, &s.records[i], &h, &e), 1);
        hist_release(&h);
    }
    store_release(&s);
    assert_null(writer_resume(p->run, &e));
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "complete"));
}

static void test_lock(void **state) {
    struct place *p = *state;
    struct store s;
    struct err e = {0};
    struct writer *w = begin(NULL, p->run, &e);
    assert_non_null(w);
    append(w, 0, 0);
    assert_int_equal(store_open(&s, p->run, &e), 0);
    assert_true(s.live);
    assert_int_equal(s.count, 1);
    store_release(&s);
    assert_null(writer_resume(p->run, &e));
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "another loopbench"));
    writer_release(w);
    w = writer_resume(p->run, &e);
    assert_non_null(w);
    writer_release(w);
}

static void test_foreign_folders(void **state) {
    struct place *p = *state;
    char path[PATH_MAX];
    struct err e = {0};
    assert_refused(p->run, ERR_USAGE, "no results folder");
    assert_refused(p->root, ERR_USAGE, "no manifest.json");
    make_run(p->run, 1, STORE_COMPLETE);
    join(path, p->run, "config.ini");
    assert_refused(path, ERR_USAGE, "not a folder");
    static const struct {
        const char *text;
        const char *says;
    } rows[] = {
        {"", "not JSON"},
        {"{\"a\":1", "manifest.json:1: not JSON"},
        {"[]", "not the manifest"},
        {"{\"format\":\"other\"}", "not the manifest"},
        {"{\"format\":\"loopbench-run\",\"format_version\":\"1\"}", "format_version"},
        {"{\"format\":\"loopbench-run\",\"format_version\":99}", "newer"},
        {"{\"format\":\"loopbench-run\",\"format_version\":1}", "run_id is missing; put it back"},
        {"{\"format\":\"loopbench-run\",\"format_version\":1,\"run_id\":\"x\",\"state\":\"odd\"}",
         "state"},
        {"{\"format\":\"loopbench-run\",\"format\":\"loopbench-run\"}", "duplicate"},
    };
    join(path, p->run, "manifest.json");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(file_write_atomic(path, rows[i].text, strlen(rows[i].text), &e), 0);
        assert_refused(p->run, ERR_USAGE, rows[i].says);
    }
}

static void test_damaged_lines(void **state) {
    struct place *p = *state;
    char path[PATH_MAX];
    char *text = NULL;
    size_t len = 0;
    struct err e = {0};
    make_run(p->run, 3, STORE_COMPLETE);
    join(path, p->run, "trials.jsonl");
    assert_int_equal(file_read_all(path, 1 << 20, &text, &len, &e), 0);
    char *second = strchr(text, '\n') + 1;
    char kept = second[0];
    second[0] = '?';
    assert_int_equal(file_write_atomic(path, text, len, &e), 0);
    assert_refused(p->run, ERR_USAGE, "trials.jsonl:2: damaged line: not JSON");
    assert_refused(p->run, ERR_USAGE,
                   "; put it back, or remove the line: `loopbench run --resume`");
    second[0] = kept;
    /* The same trial again. */
    assert_int_equal(file_write_atomic(path, text, len, &e), 0);
    char *copy = strndup(text, (size_t)(second - text));
    append_text(p->run, "trials.jsonl", copy);
    assert_refused(p->run, ERR_USAGE, "trials.jsonl:4: trial 0 attempt 0 is there twice");
    free(copy);
    free(text);
    assert_int_equal(file_write_atomic(path, "\n", 1, &e), 0);
    assert_refused(p->run, ERR_USAGE, "trials.jsonl:1: damaged line");
    /* A line without an end must not fill the memory. */
    size_t big = 1 << 20;
    char *endless = calloc(1, big);
    memset(endless, 'x', big);
    assert_int_equal(file_write_atomic(path, endless, big, &e), 0);
    free(endless);
    assert_refused(p->run, ERR_USAGE, "trials.jsonl:1: line over");
    assert_int_equal(unlink(path), 0);
    assert_refused(p->run, ERR_USAGE, "No such file or directory; put it back");
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_refused(p->run, ERR_USAGE, "not a file; put it back");
}

/* A run of one trial, of libuv and hello at 10 connections, whose manifest names these. */
static void name_in_manifest(const char *dir, const char *targets, const char *plan) {
    char path[PATH_MAX];
    char text[512];
    struct err e = {0};
    join(path, dir, "manifest.json");
    int n = snprintf(text, sizeof text,
                     "{\"format\":\"loopbench-run\",\"format_version\":1,\"run_id\":\"x\","
                     "\"state\":\"complete\",\"targets\":%s,\"plan\":%s}",
                     targets, plan);
    assert_in_range(n, 1, sizeof text - 1);
    assert_int_equal(file_write_atomic(path, text, (size_t)n, &e), 0);
}

static void test_lines_of_what_was_not_planned(void **state) {
    struct place *p = *state;
    struct store s;
    struct err e = {0};
    static const struct {
        const char *targets, *plan;
        const char *says; /* NULL = nothing is wrong */
    } rows[] = {
        {"[{\"name\":\"h2o\"},{\"name\":\"libuv\"}]",
         "{\"workloads\":[\"json\",\"hello\"],\"connections\":[8,10],\"rounds\":1}", NULL},
        {"[]", "{}", NULL}, /* says nothing */
        {"null", "null", NULL},
        {"[{\"name\":\"libuv-again\"},{\"name\":\"libu\"}]", "{}", "no target 'libuv'"},
        {"[{}, 7]", "{}", "no target 'libuv'"},
        {"[]", "{\"workloads\":[\"json\"]}", "no workload 'hello'"},
        {"[]", "{\"connections\":[1,100]}", "no level of 10 connections"},
        {"[]", "{\"rounds\":0}", "round 0 of a run of 0"},
    };
    make_run(p->run, 1, STORE_COMPLETE);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char says[128];
        name_in_manifest(p->run, rows[i].targets, rows[i].plan);
        if (rows[i].says) {
            snprintf(says, sizeof says, "trials.jsonl:1: damaged line: %s%s",
                     strncmp(rows[i].says, "no ", 3) == 0 ? "manifest.json names " : "",
                     rows[i].says);
            assert_refused(p->run, ERR_USAGE, says);
            assert_refused(p->run, ERR_USAGE, "; put it back, or remove the line");
        } else {
            assert_int_equal(store_open(&s, p->run, &e), 0);
            assert_int_equal(s.count, 1);
            store_release(&s);
        }
    }
}

static void test_damaged_histograms(void **state) {
    struct place *p = *state;
    struct store s;
    struct err e = {0};
    struct hist h = {0};
    char path[PATH_MAX];
    make_run(p->run, 2, STORE_RUNNING);
    join(path, p->run, "histograms.gz");
    assert_int_equal(store_open(&s, p->run, &e), 0);
    struct trial_record *r = &s.records[1];
    r->seq = 9;
    assert_int_equal(store_read_hist(&s, r, &h, &e), -1);
    assert_non_null(strstr(e.text, "trial 1"));
    r->seq = 1;
    r->hist_length -= 1;
    assert_int_equal(store_read_hist(&s, r, &h, &e), -1);
    assert_non_null(strstr(e.text, "damaged"));
    assert_non_null(strstr(e.text, "; put it back, or use another folder"));
    r->hist_length += 1;
    assert_int_equal(truncate(path, s.hist_end - 1), 0);
    assert_int_equal(store_read_hist(&s, r, &h, &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "ends before the histogram of trial 1; put it back"));
    assert_int_equal(store_read_hist(&s, &s.records[0], &h, &e), 1);
    r->hist_offset = r->hist_length = UNKNOWN_INT;
    assert_int_equal(store_read_hist(&s, r, &h, &e), 0);
    hist_release(&h);
    store_release(&s);
    assert_null(writer_resume(p->run, &e));
    assert_non_null(strstr(e.text, "cut short"));
    assert_non_null(strstr(e.text, "put it back, or begin a new run"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(store_open(&s, p->run, &e), 0);
    assert_int_equal(store_read_hist(&s, &s.records[0], &h, &e), -1);
    assert_non_null(strstr(e.text, "No such file or directory; put it back"));
    store_release(&s);
}

/* Options are recorded as text. */
static void reads_integers_of_text(void **state) {
    (void)state;
    json_t *m = json_pack("{s:{s:s, s:s, s:s, s:s, s:i}}", "options", "workers", "4", "rounds",
                          "11x", "seed", "", "keep", "-1", "n", 7);
    assert_int_equal(manifest_int(m, "options.workers"), 4);
    assert_int_equal(manifest_int(m, "options.n"), 7);
    assert_int_equal(manifest_int(m, "options.rounds"), UNKNOWN_INT);
    assert_int_equal(manifest_int(m, "options.seed"), UNKNOWN_INT);
    assert_int_equal(manifest_int(m, "options.keep"), UNKNOWN_INT);
    assert_int_equal(manifest_int(m, "options.none"), UNKNOWN_INT);
    json_decref(m);
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_integers_of_text),
        RUN_TEST(test_round_trip),
        RUN_TEST(test_results_folder),
        RUN_TEST(test_out_must_be_new),
        RUN_TEST(test_failed_begin_leaves_nothing),
        RUN_TEST(test_full_disk),
        RUN_TEST(test_torn_line_and_resume),
        RUN_TEST(test_lock),
        RUN_TEST(test_foreign_folders),
        RUN_TEST(test_damaged_lines),
        RUN_TEST(test_lines_of_what_was_not_planned),
        RUN_TEST(test_damaged_histograms),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
