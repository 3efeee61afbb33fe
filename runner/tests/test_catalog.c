/* store/catalog: which folders are runs, how they are named, and which may be removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/catalog.h"

#define ID(n) "2026013" #n "-120000-9f3a"

static char root[64];

static void put(const char *path, const char *text) {
    struct err e = {0};
    if (file_write_atomic(path, text, strlen(text), &e) != 0) {
        fail_msg("%s", e.text);
    }
}

/* A folder under root with a manifest of that id. */
static void make_run(const char *name, const char *id) {
    char path[256];
    char text[256];
    struct err e = {0};
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(file_mkdirs(path, &e), 0);
    snprintf(path, sizeof path, "%s/%s/manifest.json", root, name);
    snprintf(text, sizeof text,
             "{\"format\":\"loopbench-run\",\"format_version\":1,\"run_id\":\"%s\",\"started\":"
             "\"%.8s\",\"state\":\"complete\"}",
             id, id);
    put(path, text);
    snprintf(path, sizeof path, "%s/%s/trials.jsonl", root, name);
    put(path, "");
    snprintf(path, sizeof path, "%s/%s/plots", root, name);
    assert_int_equal(file_mkdirs(path, &e), 0);
    snprintf(path, sizeof path, "%s/%s/plots/a.svg", root, name);
    put(path, "x");
}

static bool is_there(const char *name) {
    char path[256];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", root, name);
    return lstat(path, &st) == 0;
}

static int setup(void **state) {
    (void)state;
    snprintf(root, sizeof root, "/tmp/loopbench-catalog-XXXXXX");
    assert_non_null(mkdtemp(root));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return catalog_remove_tree(AT_FDCWD, root);
}

static void run_ids_have_one_shape(void **state) {
    (void)state;
    assert_true(catalog_is_run_id("20260131-120000-9f3a"));
    static const char *const bad[] = {
        "",
        "latest",
        "20260131-120000-9f3",
        "20260131-120000-9f3ab",
        "20260131-120000-9F3A",
        "20260131_120000-9f3a",
        "2026013x-120000-9f3a",
        "20260131-120000-9f3a/",
        "../20260131-120000-9f3a",
        "20260131-120000-..",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(catalog_is_run_id(bad[i]));
    }
}

static void lists_runs_and_nothing_else(void **state) {
    (void)state;
    struct catalog c;
    struct err e = {0};
    char path[256];
    make_run(ID(2), ID(2));
    make_run(ID(1), ID(1));
    make_run("mine", ID(3));
    make_run(ID(4), ID(5)); /* copied under another name */
    make_run("published/kept", ID(0));
    snprintf(path, sizeof path, "%s/foreign", root);
    assert_int_equal(file_mkdirs(path, &e), 0);
    snprintf(path, sizeof path, "%s/foreign/manifest.json", root);
    put(path, "{\"name\":\"x\"}");
    snprintf(path, sizeof path, "%s/latest", root);
    assert_int_equal(symlink(ID(1), path), 0);
    assert_int_equal(catalog_read(&c, root, &e), 0);
    assert_int_equal(c.count, 5);
    static const struct {
        const char *name;
        bool own, latest, published;
    } want[] = {{"published/kept", false, false, true},
                {ID(1), true, true, false},
                {ID(2), true, false, false},
                {"mine", false, false, false},
                {ID(4), false, false, false}};
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(c.run[i].name, want[i].name);
        assert_true(c.run[i].own == want[i].own && c.run[i].latest == want[i].latest &&
                    c.run[i].published == want[i].published && !c.run[i].live);
    }
    catalog_release(&c);
    assert_int_equal(catalog_read(&c, "/tmp/loopbench-no-such-folder", &e), 0);
    assert_int_equal(c.count, 0);
    catalog_release(&c);
}

static void runs_are_found_by_name(void **state) {
    (void)state;
    char path[256];
    char want[256];
    struct err e = {0};
    make_run(ID(1), ID(1));
    make_run("published/kept", ID(0));
    snprintf(want, sizeof want, "%s/latest", root);
    assert_int_equal(symlink(ID(1), want), 0);
    assert_int_equal(catalog_resolve(root, "latest", path, sizeof path, &e), 0);
    assert_string_equal(path, want);
    snprintf(want, sizeof want, "%s/published/kept", root);
    assert_int_equal(catalog_resolve(root, "kept", path, sizeof path, &e), 0);
    assert_string_equal(path, want);
    assert_int_equal(catalog_resolve("elsewhere", want, path, sizeof path, &e), 0);
    static const char *const bad[] = {"", "no", "..", "published"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        e = (struct err){0};
        assert_int_equal(catalog_resolve(root, bad[i], path, sizeof path, &e), -1);
        assert_int_equal(e.class, ERR_USAGE);
    }
    char *longest = malloc(9000);
    assert_non_null(longest);
    memset(longest, 'x', 8999);
    longest[8999] = '\0';
    assert_int_equal(catalog_resolve(root, longest, path, sizeof path, &e), -1);
    free(longest);
}

static void only_runs_are_removed(void **state) {
    (void)state;
    struct err e = {0};
    char path[256];
    char outside[128];
    make_run(ID(1), ID(1));
    make_run("mine", ID(3));
    make_run("target", ID(4));
    /* Nothing behind a link is touched. */
    snprintf(outside, sizeof outside, "%s/target", root);
    snprintf(path, sizeof path, "%s/%s/plots/link.svg", root, ID(1));
    assert_int_equal(symlink(outside, path), 0);
    assert_int_equal(catalog_remove(root, ID(1), &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    assert_non_null(strstr(e.text, "plots/link.svg in it is not loopbench's"));
    assert_true(is_there(ID(1)));
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/%s", root, ID(5));
    assert_int_equal(symlink(outside, path), 0);
    assert_int_equal(catalog_remove(root, ID(5), &e), -1);
    assert_int_equal(e.class, ERR_USAGE);
    assert_int_equal(catalog_remove(root, "mine", &e), -1);
    assert_int_equal(catalog_remove(root, "../x", &e), -1);
    assert_int_equal(catalog_remove(root, ID(2), &e), -1);
    assert_int_equal(catalog_remove(root, ID(1), &e), 1);
    assert_false(is_there(ID(1)));
    assert_true(is_there("mine/plots/a.svg") && is_there("target/plots/a.svg") && is_there(ID(5)));
}

static void a_run_being_written_stays(void **state) {
    (void)state;
    struct err e = {0};
    struct catalog c;
    char path[256];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    make_run(ID(1), ID(1));
    snprintf(path, sizeof path, "%s/%s/trials.jsonl", root, ID(1));
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0);
    assert_int_equal(catalog_read(&c, root, &e), 0);
    assert_true(c.count == 1 && c.run[0].live);
    catalog_release(&c);
    assert_int_equal(catalog_remove(root, ID(1), &e), 0);
    assert_true(is_there(ID(1)));
    close(fd);
    assert_int_equal(catalog_remove(root, ID(1), &e), 1);
}

static void what_a_removal_left_is_swept(void **state) {
    (void)state;
    char outside[128];
    char path[256];
    make_run(".removed-" ID(1), ID(1));
    make_run(".removed-mine", ID(2));
    make_run("target", ID(4));
    snprintf(outside, sizeof outside, "%s/target", root);
    snprintf(path, sizeof path, "%s/.removed-%s/plots/link", root, ID(1));
    assert_int_equal(symlink(outside, path), 0);
    catalog_sweep(root);
    assert_false(is_there(".removed-" ID(1)));
    assert_true(is_there("target/plots/a.svg")); /* behind a link */
    assert_true(is_there(".removed-mine"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_ids_have_one_shape),
        CASE(lists_runs_and_nothing_else),
        CASE(runs_are_found_by_name),
        CASE(only_runs_are_removed),
        CASE(a_run_being_written_stays),
        CASE(what_a_removal_left_is_swept),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
