/* gnuplot missing, failing, killed, hanging, lying: said in one line, nothing half-drawn left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "report/cells.h"
#include "report/plots.h"
#include "store/writer.h"

struct place {
    char root[64];
    struct store store;
    struct cells cells;
    struct verdicts verdicts;
};

static int place_make(void **state) {
    struct place *p = calloc(1, sizeof *p);
    struct err e = {0};
    char run[96];
    snprintf(p->root, sizeof p->root, "/tmp/loopbench-plots-XXXXXX");
    assert_non_null(mkdtemp(p->root));
    snprintf(run, sizeof run, "%s/a 'run'", p->root);
    json_t *manifest = json_object();
    const struct writer_begin b = {
        .out = run, .manifest = manifest, .config = "\n", .plan = "[]\n"};
    struct writer *w = writer_begin(&b, &e);
    json_decref(manifest);
    assert_non_null(w);
    for (int i = 0; i < 4; i++) {
        struct trial_record r;
        struct hist h = {0};
        record_init(&r);
        r.seq = i;
        snprintf(r.target, sizeof r.target, i % 2 ? "%%s 'q' {/Bold x}" : "a");
        snprintf(r.workload, sizeof r.workload, "../hello");
        r.connections = i < 2 ? 10 : 100;
        r.rate = 1000 + i;
        assert_int_equal(hist_add(&h, 100, 5000), 0);
        assert_int_equal(hist_add(&h, 200, 5000), 0);
        assert_int_equal(writer_append(w, &r, &h, &e), 0);
        hist_release(&h);
    }
    assert_int_equal(writer_end(w, STORE_COMPLETE, &e), 0);
    writer_release(w);
    assert_int_equal(store_open(&p->store, run, &e), 0);
    assert_int_equal(cells_build(&p->cells, &p->store, &e), 0);
    const struct verdicts_options as_begun = {0};
    assert_int_equal(verdicts_build(&p->verdicts, &p->cells, &as_begun, &e), 0);
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
    verdicts_release(&p->verdicts);
    cells_release(&p->cells);
    store_release(&p->store);
    free(p);
    return rc;
}

static bool has(const struct place *p, const char *name) {
    char path[PATH_MAX];
    struct err e;
    assert_int_equal(file_join(path, sizeof path, p->store.dir, name, &e), 0);
    return file_exists(path);
}

/* Draws with a gnuplot that is this shell script. */
static int draw_with(struct place *p, const char *script, int64_t limit_ns, struct plots *plots,
                     struct err *e) {
    char path[96];
    snprintf(path, sizeof path, "%s/gnuplot", p->root);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
    const struct plots_options o = {.programs = "plots", .gnuplot = path, .limit_ns = limit_ns};
    return plots_make(plots, &p->verdicts, &o, e);
}

static void assert_no_pictures(const struct place *p, const struct plots *plots,
                               const struct err *e, const char *says) {
    assert_int_equal(e->class, ERR_MACHINE);
    if (!strstr(e->text, says)) {
        fail_msg("'%s' does not say '%s'", e->text, says);
    }
    assert_string_equal(plots->missing, e->text);
    assert_int_equal(plots->count, 0);
    assert_false(has(p, "plots/throughput--.-hello.svg"));
    assert_false(has(p, "plots/throughput--.-hello.svg.tmp"));
    assert_true(has(p, "plots/data/throughput--.-hello.dat"));
}

static void check_broken(void **state, const char *script, int64_t limit_ns, const char *says) {
    struct place *p = *state;
    struct plots plots;
    struct err e = {0};
    assert_int_equal(draw_with(p, script, limit_ns, &plots, &e), -1);
    assert_no_pictures(p, &plots, &e, says);
    plots_release(&plots);
}

static void test_missing(void **state) {
    struct place *p = *state;
    struct plots plots;
    struct err e = {0};
    const struct plots_options o = {.programs = "plots", .gnuplot = "no-such-gnuplot"};
    assert_int_equal(plots_make(&plots, &p->verdicts, &o, &e), -1);
    assert_no_pictures(p, &plots, &e, "package gnuplot");
    plots_release(&plots);
}

static void test_fails(void **state) {
    check_broken(state, "echo 'line 3: all is lost' >&2; exit 2", 0,
                 "exited with status 2 drawing throughput--.-hello: line 3: all is lost");
}

static void test_killed(void **state) {
    check_broken(state, "kill -9 $$", 0, "was ended by signal 9");
}

static void test_hangs(void **state) {
    check_broken(state, "echo half > throughput--.-hello.svg.tmp; exec sleep 1000", 200000000,
                 "took more than 0.2 s");
}

static void test_draws_nothing(void **state) {
    check_broken(state, "exit 0", 0, "gnuplot made no");
}

static void test_no_programs(void **state) {
    struct place *p = *state;
    struct plots plots;
    struct err e = {0};
    const struct plots_options o = {.programs = p->root};
    assert_int_equal(plots_make(&plots, &p->verdicts, &o, &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "--plots"));
    plots_release(&plots);
}

/* A stand-in that draws: names of files stay inside the folder, old pictures go. */
static void test_names_and_leftovers(void **state) {
    struct place *p = *state;
    struct plots plots;
    struct err e = {0};
    const char *script = "name=$(sed -n \"s/^PLOT = '\\(.*\\)'$/\\1/p\" \"$2\")\n"
                         "echo svg | tee \"$name.svg.tmp\" > \"narrow/$name.svg.tmp\"\n"
                         "echo png > \"$name.png.tmp\"";
    assert_int_equal(draw_with(p, script, 0, &plots, &e), 0);
    assert_true(plots.count >= 2);
    for (size_t i = 0; i < plots.count; i++) {
        assert_null(strchr(plots.plot[i].name, '/'));
    }
    assert_true(has(p, "plots/throughput--.-hello.svg"));
    assert_true(has(p, "plots/narrow/throughput--.-hello.svg"));
    assert_true(has(p, "plots/percentiles--.-hello.png"));
    plots_release(&plots);
    assert_int_equal(draw_with(p, "exit 1", 0, &plots, &e), -1);
    assert_false(has(p, "plots/throughput--.-hello.svg"));
    assert_false(has(p, "plots/narrow/throughput--.-hello.svg"));
    plots_release(&plots);
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_missing),
        RUN_TEST(test_fails),
        RUN_TEST(test_killed),
        RUN_TEST(test_hangs),
        RUN_TEST(test_draws_nothing),
        RUN_TEST(test_no_programs),
        RUN_TEST(test_names_and_leftovers),
    };
    return cmocka_run_group_tests_name("plots", tests, NULL, NULL);
}
