/* The access log: lines, rings that wrap, a full disk, reopening. */
#include "common/access_log.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[64];
static char path[96];
static char other[96];
static char error[256];

static int set_up(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/test-access-log-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(path, sizeof path, "%s/access.log", folder);
    (void)snprintf(other, sizeof other, "%s/access.log.1", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    (void)unlink(path);
    (void)unlink(other);
    return rmdir(folder);
}

static struct access_log_writer *open_log(unsigned workers) {
    struct access_log_writer *writer = access_log_open(path, workers, error, sizeof error);
    assert_non_null(writer);
    return writer;
}

/* The whole file, terminated; to be freed. */
static char *read_file(const char *name) {
    FILE *file = fopen(name, "re");
    struct stat facts;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &facts), 0);
    char *text = calloc(1, (size_t)facts.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)facts.st_size, file), facts.st_size);
    (void)fclose(file);
    return text;
}

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    return lines;
}

static struct app_slice slice(const char *text) {
    return (struct app_slice){text, strlen(text)};
}

static void test_lines(void **state) {
    (void)state;
    struct access_log_writer *writer = open_log(1);
    struct access_log *log = access_log_of(writer, 0);
    time_t before = time(NULL);
    access_log_add(log, 200, "GET", slice("/hello"), 12);
    access_log_add(log, 404, "M-SEARCH", slice("/a b\n\x7f\xc3\xa9%"), 18446744073709551615u);
    access_log_add(log, 400, "-", (struct app_slice){NULL, 0}, 0);
    access_log_close(writer);
    time_t after = time(NULL);
    assert_null(access_log_why(writer));
    struct access_log_counts counts = access_log_count(writer);
    assert_int_equal(counts.lines, 3);
    assert_int_equal(counts.lost, 0);
    access_log_free(writer);

    char *text = read_file(path);
    static const char *const ends[] = {" 200 GET /hello 12",
                                       " 404 M-SEARCH /a%20b%0A%7F%C3%A9% 18446744073709551615",
                                       " 400 - - 0"};
    char *line = text;
    for (size_t i = 0; i < 3; i++) {
        char *end = strchr(line, '\n');
        struct tm t = {0};
        assert_non_null(end);
        *end = '\0';
        const char *rest = strptime(line, "%Y-%m-%dT%H:%M:%S", &t);
        assert_non_null(rest);
        time_t when = timegm(&t);
        assert_true(when >= before && when <= after);
        assert_int_equal(rest - line, 19);
        assert_true(rest[0] == '.' && rest[4] == 'Z');
        assert_int_equal(strspn(rest + 1, "0123456789"), 3);
        assert_string_equal(rest + 5, ends[i]);
        line = end + 1;
    }
    assert_string_equal(line, "");
    free(text);
}

static void test_longest_path(void **state) {
    static char target[APP_MAX_TARGET + 10];
    (void)state;
    memset(target, 0x80, sizeof target);
    struct access_log_writer *writer = open_log(1);
    access_log_add(access_log_of(writer, 0), 200, "GET", (struct app_slice){target, sizeof target},
                   1);
    access_log_close(writer);
    access_log_free(writer);
    char *text = read_file(path);
    assert_int_equal(strlen(text), 24 + strlen(" 200 GET ") + 3 * APP_MAX_TARGET + strlen(" 1\n"));
    free(text);
}

enum { WORKERS = 2, PER_WORKER = 100000 };

static void *add_many(void *arg) {
    struct access_log *log = arg;
    for (unsigned i = 0; i < PER_WORKER; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "/%u", i);
        access_log_add(log, 200, "GET", (struct app_slice){name, (size_t)len}, i);
        if (i % 5000 == 0) {
            struct timespec pause = {.tv_nsec = 2000000}; /* so that rings are not outrun */
            (void)nanosleep(&pause, NULL);
        }
    }
    return NULL;
}

/* Rings wrap many times; every line is in the file whole, or counted as lost. */
static void test_many_lines(void **state) {
    pthread_t threads[WORKERS];
    (void)state;
    struct access_log_writer *writer = open_log(WORKERS);
    for (unsigned i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, access_log_of(writer, i)), 0);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
    }
    access_log_close(writer);
    struct access_log_counts counts = access_log_count(writer);
    access_log_free(writer);
    assert_int_equal(counts.lines, (uint64_t)WORKERS * PER_WORKER);
    char *text = read_file(path);
    assert_int_equal(count_lines(text), counts.lines - counts.lost);
    for (const char *at = text; *at != '\0'; at = strchr(at, '\n') + 1) {
        char *end;
        assert_memory_equal(at + 24, " 200 GET /", 10);
        unsigned long name = strtoul(at + 34, &end, 10);
        assert_int_equal(*end, ' ');
        assert_int_equal(strtoul(end + 1, &end, 10), name);
        assert_int_equal(*end, '\n');
    }
    free(text);
}

static void test_appends(void **state) {
    (void)state;
    for (unsigned i = 1; i <= 2; i++) {
        struct access_log_writer *writer = open_log(1);
        access_log_add(access_log_of(writer, 0), 200, "GET", slice("/"), i);
        access_log_close(writer);
        access_log_free(writer);
    }
    char *text = read_file(path);
    assert_int_equal(count_lines(text), 2);
    free(text);
}

static void test_reopen(void **state) {
    (void)state;
    struct access_log_writer *writer = open_log(1);
    access_log_add(access_log_of(writer, 0), 200, "GET", slice("/before"), 1);
    assert_int_equal(rename(path, other), 0);
    access_log_add(access_log_of(writer, 0), 200, "GET", slice("/renamed"), 2);
    access_log_reopen(writer);
    while (access(path, F_OK) != 0) {
        (void)usleep(1000);
    }
    access_log_add(access_log_of(writer, 0), 200, "GET", slice("/after"), 3);
    access_log_close(writer);
    access_log_free(writer);
    char *old = read_file(other);
    char *new = read_file(path);
    assert_int_equal(count_lines(old), 2);
    assert_int_equal(count_lines(new), 1);
    assert_non_null(strstr(old, "/renamed 2\n"));
    assert_non_null(strstr(new, "/after 3\n"));
    free(old);
    free(new);
}

static void test_full_disk(void **state) {
    (void)state;
    if (symlink("/dev/full", path) != 0) {
        fail();
    }
    struct access_log_writer *writer = open_log(1);
    for (unsigned i = 0; i < 100; i++) {
        access_log_add(access_log_of(writer, 0), 200, "GET", slice("/hello"), 12);
    }
    access_log_close(writer);
    struct access_log_counts counts = access_log_count(writer);
    assert_int_equal(counts.lines, 100);
    assert_int_equal(counts.lost, 100);
    assert_string_equal(access_log_why(writer), "No space left on device");
    access_log_free(writer);
}

/* A pipe nobody reads: the ring fills, the worker goes on. */
static void test_stuck(void **state) {
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    struct access_log_writer *writer = open_log(1);
    for (unsigned i = 0; i < 50000; i++) {
        access_log_add(access_log_of(writer, 0), 200, "GET", slice("/hello"), 12);
    }
    struct access_log_counts counts = access_log_count(writer);
    assert_int_equal(counts.lines, 50000);
    assert_true(counts.lost > 0);
    close(reader); /* now writing fails at once */
    access_log_close(writer);
    counts = access_log_count(writer);
    assert_true(counts.lost > 40000 && counts.lost <= 50000);
    assert_non_null(access_log_why(writer));
    access_log_free(writer);
}

static void test_cannot_open(void **state) {
    char missing[128];
    char expected[256];
    (void)state;
    (void)snprintf(missing, sizeof missing, "%s/none/access.log", folder);
    (void)snprintf(expected, sizeof expected,
                   "--access-log %s: No such file or directory: name a file that can be written to",
                   missing);
    assert_null(access_log_open(missing, 1, error, sizeof error));
    assert_string_equal(error, expected);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_lines),  TEST(test_longest_path), TEST(test_many_lines), TEST(test_appends),
        TEST(test_reopen), TEST(test_full_disk),    TEST(test_stuck),      TEST(test_cannot_open),
    };
#undef TEST
    (void)signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
