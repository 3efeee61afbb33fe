#include "load/load.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "load/ending.h"
#include "load/wrk_files.h"
#include "load/wrk_judge.h"
#include "load/wrk_result.h"
#include "load/wrk_script.h"
#include "load/wrk_version.h"

#define SECOND          INT64_C(1000000000)
#define DEFAULT_MARGIN  (10 * SECOND)
#define DEFAULT_TIMEOUT (2 * SECOND)
#define INTERRUPT_AGAIN (SECOND / 10)
#define LOOK_AGAIN      (SECOND / 1000)
#define SETTLE_MAX_US   20000
#define FOREVER         (24 * 3600) /* s; wrk's own time where requests end it */

struct wrk {
    struct load load;
    struct loop *loop;
    struct child *child;
    struct wrk_files files;
    struct wrk_wanted wanted;
    int threads;
    int64_t started_ns, margin_ns;
    bool ends_by_interrupt;
    /* where requests are counted */
    int threads_done;
    int64_t quiet_ns; /* how long it may say nothing */
    int64_t heard_ns; /* when it last said something */
    bool (*gone)(void *ctx);
    void *ctx;
};

static bool wrk_counts(const struct load_spec *spec) {
    return spec->mode.requests > 0 && spec->phase == LOAD_WINDOW;
}

static enum load_failure wrk_accepts(const struct load_spec *spec, struct err *e) {
    if (spec->threads < 1 || spec->connections < 1) {
        err_set(e, ERR_USAGE, "wrk needs at least one thread and one connection");
    } else if (spec->connections % spec->threads != 0) {
        /* wrk opens floor(c/t) per thread and says nothing about the rest. */
        err_set(e, ERR_USAGE,
                "%d connections cannot be shared equally by %d wrk threads: choose a multiple of "
                "%d, or other threads",
                spec->connections, spec->threads, spec->threads);
    } else if (mode_check(&spec->mode, spec->connections, spec->threads, e) != 0) {
        return LOAD_SPEC;
    } else if (!wrk_counts(spec) && (spec->duration_ns <= 0 || (spec->phase == LOAD_WINDOW &&
                                                                spec->duration_ns % SECOND != 0))) {
        err_set(e, ERR_USAGE,
                "wrk measures whole seconds: a window of %.3f s is not possible; round it",
                (double)spec->duration_ns / 1e9);
    } else if (spec->timeout_ns < 0 || spec->timeout_ns % SECOND != 0) {
        err_set(e, ERR_USAGE, "wrk's timeout is in whole seconds: %.3f s is not possible; round it",
                (double)spec->timeout_ns / 1e9);
    } else {
        return LOAD_OK;
    }
    return LOAD_SPEC;
}

/* What the threads say while requests are counted. */
static void wrk_on_line(void *ctx, const char *line) {
    struct wrk *w = ctx;
    if (strcmp(line, WRK_SCRIPT_DONE) == 0) {
        w->threads_done++;
    } else if (strcmp(line, WRK_SCRIPT_BUSY) != 0) {
        return;
    }
    w->heard_ns = clock_mono_ns();
}

static struct child *wrk_launch(struct wrk *w, const struct load_spec *spec, struct err *e) {
    char threads[16], connections[16], duration[32], timeout[32], wanted[32], url[320];
    bool v6 = strchr(spec->host, ':') != NULL;
    int64_t seconds = w->wanted.counts ? FOREVER : spec->duration_ns / SECOND;
    if (w->ends_by_interrupt) {
        seconds += 2; /* never the end of it: it is ended by SIGINT before */
    }
    snprintf(threads, sizeof threads, "%d", spec->threads);
    snprintf(connections, sizeof connections, "%d", spec->connections);
    snprintf(duration, sizeof duration, "%" PRId64 "s", seconds);
    snprintf(timeout, sizeof timeout, "%" PRId64 "s",
             (spec->timeout_ns ? spec->timeout_ns : DEFAULT_TIMEOUT) / SECOND);
    snprintf(wanted, sizeof wanted, "%" PRId64, spec->duration_ns / 1000);
    snprintf(url, sizeof url, "http://%s%.255s%s:%d/", v6 ? "[" : "", spec->host, v6 ? "]" : "",
             spec->port);
    const char *const argv[] = {
        wrk_version_program(spec->program),
        "-t",
        threads,
        "-c",
        connections,
        "-d",
        duration,
        "--timeout",
        timeout,
        "-s",
        w->files.script,
        "--",
        url,
        w->files.result,
        spec->phase == LOAD_WINDOW ? "window" : "warmup",
        wanted,
        NULL,
    };
    struct child_spec child = {
        .argv = argv,
        .cpus = spec->cpus,
        .fds = w->files.fd,
        .n_fds = 2,
        .ignores_interrupt = true, /* a short warm-up may be over before wrk has started */
        .on_line = w->wanted.counts ? wrk_on_line : NULL,
        .ctx = w,
    };
    return child_start(w->loop, &child, e);
}

static void wrk_free(struct load *load) {
    struct wrk *w = (struct wrk *)load;
    if (!w) {
        return;
    }
    child_free(w->child);
    wrk_files_close(&w->files);
    free(w);
}

static enum load_failure wrk_start(struct loop *loop, const struct load_spec *spec,
                                   struct load **out, struct err *e) {
    enum load_failure f = wrk_accepts(spec, e);
    if (f != LOAD_OK) {
        return f;
    }
    struct wrk *w = calloc(1, sizeof *w);
    if (!w) {
        err_set(e, ERR_MACHINE, "out of memory");
        return LOAD_MISSING;
    }
    w->load.ops = &load_wrk;
    w->loop = loop;
    w->wanted = (struct wrk_wanted){
        .phase = spec->phase,
        .counts = wrk_counts(spec),
        .requests = spec->mode.requests,
        .pipeline = spec->mode.pipeline > 1 ? spec->mode.pipeline : 1,
        .close = spec->mode.close,
        .connections = spec->connections,
        .duration_ns = spec->duration_ns,
    };
    w->threads = spec->threads;
    w->margin_ns = spec->margin_ns ? spec->margin_ns : DEFAULT_MARGIN;
    w->quiet_ns = (spec->timeout_ns ? spec->timeout_ns : DEFAULT_TIMEOUT) + w->margin_ns +
                  spec->mode.think_max_ms * 1000000;
    w->ends_by_interrupt = !w->wanted.counts && spec->duration_ns % SECOND != 0;
    if (wrk_files_open(&w->files, spec, e) != 0) {
        free(w);
        return e->class == ERR_USAGE ? LOAD_SPEC : LOAD_MISSING;
    }
    w->started_ns = w->heard_ns = clock_mono_ns();
    w->child = wrk_launch(w, spec, e);
    if (!w->child) {
        wrk_free(&w->load);
        return LOAD_MISSING;
    }
    *out = &w->load;
    return LOAD_OK;
}

static pid_t wrk_pid(const struct load *load) {
    return child_pid(((const struct wrk *)load)->child);
}

static bool wrk_all_done(const struct wrk *w) {
    return w->wanted.counts && w->threads_done >= w->threads;
}

static bool wrk_is_over(void *ctx) {
    const struct wrk *w = ctx;
    return child_exited(w->child) || (w->gone && w->gone(w->ctx));
}

static bool wrk_is_over_or_done(void *ctx) {
    return wrk_is_over(ctx) || wrk_all_done(ctx);
}

/* Ends it by SIGINT. wrk ignores that until its threads run, and one that comes just before its
 * sleep() does not shorten it, so the signal is repeated. */
static enum loop_wait wrk_interrupt(struct wrk *w, int64_t end_ns) {
    for (;;) {
        child_kill(w->child, SIGINT);
        int64_t left = end_ns - clock_mono_ns();
        enum loop_wait got =
            loop_wait(w->loop, wrk_is_over, w, left < INTERRUPT_AGAIN ? left : INTERRUPT_AGAIN);
        if (got != LOOP_TIMEOUT || left <= 0) {
            return got;
        }
    }
}

/* Waits until its requests are answered; as long as it says that it goes on, however long. */
static enum loop_wait wrk_await_requests(struct wrk *w) {
    for (;;) {
        int64_t left = w->heard_ns + w->quiet_ns - clock_mono_ns();
        enum loop_wait got = loop_wait(w->loop, wrk_is_over_or_done, w, left > 0 ? left : 0);
        if (got != LOOP_TIMEOUT) {
            return got;
        }
        if (w->heard_ns + w->quiet_ns <= clock_mono_ns()) {
            return LOOP_TIMEOUT;
        }
    }
}

/* wrk's correction never ends when its time in µs is less than the requests of a connection, and
 * its clock may start late: in a main thread that got no CPU before all requests were through. Once
 * that thread sleeps, its clock has started; so much later it may be interrupted. */
static void wrk_settle(struct wrk *w) {
    const int64_t end_ns = clock_mono_ns() + w->margin_ns;
    const int64_t us = w->wanted.requests / w->wanted.connections;
    enum loop_wait got = LOOP_TIMEOUT;
    while (got == LOOP_TIMEOUT && !child_sleeps(w->child) && clock_mono_ns() < end_ns) {
        got = loop_wait(w->loop, wrk_is_over, w, LOOK_AGAIN);
    }
    if (got == LOOP_TIMEOUT) {
        loop_wait(w->loop, wrk_is_over, w, 1000 * (us < SETTLE_MAX_US ? us : SETTLE_MAX_US));
    }
}

/* Waits for the end, by itself, or by SIGINT where the wanted time is not whole seconds or requests
 * are counted. */
static enum loop_wait wrk_await(struct wrk *w) {
    int64_t wanted = w->started_ns + w->wanted.duration_ns;
    if (w->wanted.counts) {
        enum loop_wait got = wrk_await_requests(w);
        if (got == LOOP_DONE && !wrk_is_over(w)) {
            wrk_settle(w);
        }
        return got == LOOP_DONE && !wrk_is_over(w)
                   ? wrk_interrupt(w, clock_mono_ns() + w->margin_ns)
                   : got;
    }
    if (w->ends_by_interrupt) {
        enum loop_wait got = loop_wait(w->loop, wrk_is_over, w, wanted - clock_mono_ns());
        return got == LOOP_TIMEOUT ? wrk_interrupt(w, wanted + w->margin_ns) : got;
    }
    return loop_wait(w->loop, wrk_is_over, w, wanted + w->margin_ns - clock_mono_ns());
}

static enum load_failure wrk_judge_end(const struct wrk *w, struct err *e) {
    char how[128], words[256];
    child_describe(w->child, how, sizeof how);
    load_last_words(w->child, words, sizeof words);
    if (child_signum(w->child) != 0) {
        err_set(e, ERR_FAILED, "wrk %s: %s", how, words);
        return LOAD_KILLED;
    }
    if (child_status(w->child) != 0) {
        err_set(e, ERR_FAILED, "wrk %s: %s", how, words);
        return strstr(child_tail(w->child), "unable to connect to") ? LOAD_REFUSED : LOAD_EXIT;
    }
    return LOAD_OK;
}

static enum load_failure wrk_read_result(const struct wrk *w, struct load_outcome *out,
                                         struct err *e) {
    char *text = NULL;
    char words[256];
    size_t len = 0;
    if (wrk_files_read(&w->files, &text, &len, e) != 0) {
        return LOAD_RESULT;
    }
    if (len == 0) {
        free(text);
        load_last_words(w->child, words, sizeof words);
        err_set(e, ERR_FAILED, "wrk ended without handing over a result: %s", words);
        return LOAD_RESULT;
    }
    int rc = wrk_result_parse(text, len, out, e);
    free(text);
    return rc == 0 ? LOAD_OK : LOAD_RESULT;
}

static enum load_failure wrk_give_up(struct wrk *w, enum load_failure why) {
    child_stop(w->child, SIGKILL, SECOND);
    return why;
}

static enum load_failure wrk_end(struct wrk *w, struct load_outcome *out, struct err *e) {
    switch (wrk_await(w)) {
    case LOOP_TIMEOUT:
        if (w->wanted.counts && !wrk_all_done(w)) {
            err_set(e, ERR_FAILED,
                    "no reply for %.1f s, and not all of %" PRId64 " requests were answered: "
                    "stopped (a slow workload needs a longer --timeout)",
                    (double)w->quiet_ns / 1e9, w->wanted.requests);
            return wrk_give_up(w, LOAD_TIMEOUT);
        }
        err_set(e, ERR_FAILED, "wrk did not end within %.1f s of the %.3f s it was given: killed",
                (double)w->margin_ns / 1e9, (double)w->wanted.duration_ns / 1e9);
        return wrk_give_up(w, LOAD_TIMEOUT);
    case LOOP_INTERRUPTED:
        err_set(e, ERR_FAILED, "interrupted");
        return wrk_give_up(w, LOAD_INTERRUPTED);
    case LOOP_DONE:
        break;
    }
    if (!child_exited(w->child)) {
        err_set(e, ERR_FAILED, "wrk was stopped: its target is gone");
        return wrk_give_up(w, LOAD_STOPPED);
    }
    child_wait(w->child, SECOND / 10); /* its last output */
    enum load_failure f = wrk_judge_end(w, e);
    if (f == LOAD_OK) {
        f = wrk_read_result(w, out, e);
    }
    out->latency_step_us = 1;
    return f == LOAD_OK ? wrk_judge(&w->wanted, out, e) : f;
}

static enum load_failure wrk_finish(struct load *load, bool (*gone)(void *ctx), void *ctx,
                                    struct load_outcome *out, struct err *e) {
    struct wrk *w = (struct wrk *)load;
    load_outcome_init(out);
    w->gone = gone;
    w->ctx = ctx;
    enum load_failure f = wrk_end(w, out, e);
    load_keep_use(w->child, out);
    if (f != LOAD_OK) {
        load_keep_output(w->child, out);
    }
    return f;
}

static void wrk_abort(struct load *load) {
    struct wrk *w = (struct wrk *)load;
    child_stop(w->child, SIGKILL, SECOND);
}

const struct load_ops load_wrk = {
    .name = "wrk",
    .package = "wrk",
    .check = wrk_version_check,
    .accepts = wrk_accepts,
    .start = wrk_start,
    .pid = wrk_pid,
    .finish = wrk_finish,
    .abort = wrk_abort,
    .free = wrk_free,
};
