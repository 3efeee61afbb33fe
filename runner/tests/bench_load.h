/* bench_load.h — what the tests of load generators have in common: a loop, a target to load, one
 * execution of a generator, and the table of the ways it can end. */
#ifndef TESTS_BENCH_LOAD_H
#define TESTS_BENCH_LOAD_H

/* After cmocka.h, which wants headers of its own before it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "load/load.h"
#include "skipped.h"
#include "target/target.h"

#define SECOND   INT64_C(1000000000)
#define FAKE_WRK "runner/tests/fake-wrk"

struct bench {
    struct loop loop;
    struct target *target;
    char tmp[64]; /* a folder of its own, where a test wants one */
    struct load_outcome out;
    struct err e;
};

static const char *const bench_argv[] = {
    "runner/tests/fake-target", "--listen", "127.0.0.1:0", "--name", "a", NULL};
static const struct target_spec bench_target = {.name = "a", .argv = bench_argv};

/* Starts the target that FAKE_TARGET makes of it. */
static inline struct target *bench_start_target(struct bench *b) {
    struct target *t = NULL;
    if (target_local.start(&b->loop, &bench_target, &t, &b->e) != TARGET_OK ||
        target_local.ready(t, &b->e) != TARGET_OK) {
        fail_msg("%s", b->e.text);
    }
    return t;
}

static inline int bench_set_up(void **state) {
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    *state = b;
    setenv("FAKE_WRK", "ok", 1);
    assert_int_equal(loop_init(&b->loop, &b->e), 0);
    load_outcome_init(&b->out);
    b->target = bench_start_target(b);
    return 0;
}

static inline int bench_tear_down(void **state) {
    struct bench *b = *state;
    load_outcome_release(&b->out);
    target_local.free(b->target);
    loop_release(&b->loop);
    if (b->tmp[0]) {
        assert_int_equal(rmdir(b->tmp), 0); /* nothing was left in it */
    }
    free(b);
    return 0;
}

/* The folder. */
static inline void bench_make_tmp(struct bench *b) {
    snprintf(b->tmp, sizeof b->tmp, "/tmp/loopbench-test-XXXXXX");
    assert_non_null(mkdtemp(b->tmp));
}

static inline struct load_spec bench_spec(const struct bench *b, const char *program) {
    return (struct load_spec){
        .program = program,
        .host = b->target->host,
        .port = b->target->port,
        .request = {.path = "/hello"},
        .connections = 10,
        .threads = 1,
        .phase = LOAD_WINDOW,
        .duration_ns = SECOND,
    };
}

static inline bool bench_target_is_gone(void *ctx) {
    const struct target *t = ctx;
    return !t->ops->alive(t);
}

/* What came out is in b->out, until the next execution. */
static inline enum load_failure bench_run_by(struct bench *b, const struct load_ops *ops,
                                             const struct load_spec *spec) {
    struct load *load = NULL;
    load_outcome_release(&b->out);
    load_outcome_init(&b->out);
    b->e = (struct err){0};
    enum load_failure f = ops->start(&b->loop, spec, &load, &b->e);
    if (f == LOAD_OK) {
        f = ops->finish(load, bench_target_is_gone, b->target, &b->out, &b->e);
    }
    ops->free(load);
    return f;
}

static inline enum load_failure bench_run(struct bench *b, const struct load_spec *spec) {
    return bench_run_by(b, &load_wrk, spec);
}

static inline void bench_run_well(struct bench *b, const struct load_spec *spec) {
    enum load_failure f = bench_run(b, spec);
    if (f != LOAD_OK) {
        fail_msg("%s: %s", load_failure_name(f), b->e.text);
    }
}

/* One way to end, and what it comes to. */
struct bench_end {
    const char *behaviour; /* of the fake */
    enum load_failure failure;
    const char *words; /* in the message */
};

/* Only what never ends is waited for briefly; the others have all the time they need. */
static inline void bench_hurry(struct load_spec *spec, const struct bench_end *end) {
    spec->margin_ns = end->failure == LOAD_TIMEOUT ? -SECOND + SECOND / 5 : 0; /* 0.2 s in all */
}

/* Fails unless `f`, with b->e and b->out, is that end of `name`. */
static inline void bench_judge(const struct bench *b, const char *name, const struct bench_end *end,
                               enum load_failure f) {
    if (f != end->failure || !strstr(b->e.text, end->words)) {
        fail_msg("%s %s: %s: %s", name, end->behaviour, load_failure_name(f), b->e.text);
    }
    assert_int_equal(b->e.class, ERR_FAILED);
    assert_true(strlen(b->out.output) < sizeof b->out.output);
}

/* Fails unless the message of a refusal says what and why. */
static inline void bench_refused(const struct bench *b, size_t n, const char *words,
                                 enum load_failure f) {
    assert_int_equal(f, LOAD_SPEC);
    assert_int_equal(b->e.class, ERR_USAGE);
    if (!strstr(b->e.text, words)) {
        fail_msg("case %zu: '%s' lacks '%s'", n, b->e.text, words);
    }
}

static inline void bench_need_wrk(void) {
    char path[4096];
    if (file_which("wrk", path, sizeof path) != 0) {
        SKIP_CASE("wrk is not installed");
    }
}

#endif
