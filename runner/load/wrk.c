#include "load/load.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "load/recover.h"
#include "load/wrk_result.h"
#include "load/wrk_script.h"
#include "load/wrk_version.h"

#define SECOND          INT64_C(1000000000)
#define CHECK_TIMEOUT   (10 * SECOND)
#define DEFAULT_MARGIN  (10 * SECOND)
#define DEFAULT_TIMEOUT (2 * SECOND)
#define INTERRUPT_AGAIN (SECOND / 10)

struct wrk {
    struct load load;
    struct loop *loop;
    struct child *child;
    char folder[PATH_MAX]; /* private; holds the script and the result */
    char script[PATH_MAX], result[PATH_MAX];
    enum load_phase phase;
    int connections;
    int64_t started_ns, duration_ns, margin_ns;
    bool ends_by_interrupt;
    bool (*gone)(void *ctx);
    void *ctx;
};

static const char *wrk_program(const char *program) {
    return program ? program : "wrk";
}

static enum load_failure wrk_check(struct loop *loop, const char *program, char *version,
                                   size_t size, struct err *e) {
    const char *const argv[] = {wrk_program(program), "-v", NULL};
    struct child_spec spec = {.argv = argv};
    char found[4096];
    if (file_which(argv[0], found, sizeof found) != 0) {
        err_set(e, ERR_MACHINE, "%s is not installed: install it (Debian: apt install wrk)",
                argv[0]);
        return LOAD_MISSING;
    }
    struct child *child = child_start(loop, &spec, e);
    if (!child) {
        return LOAD_MISSING;
    }
    enum loop_wait w = child_wait(child, CHECK_TIMEOUT);
    int fit = w == LOOP_DONE ? wrk_version_parse(child_tail(child), version, size) : -1;
    child_free(child);
    if (w == LOOP_INTERRUPTED) {
        err_set(e, ERR_FAILED, "interrupted while asking %s for its version", argv[0]);
        return LOAD_INTERRUPTED;
    }
    if (fit < 0) {
        err_set(e, ERR_MACHINE, "%s -v %s: is this wrk? Install wrk 4.1 or later", found,
                w == LOOP_DONE ? "does not print wrk's version" : "does not end");
        return LOAD_MISSING;
    }
    if (fit == 0) {
        err_set(e, ERR_MACHINE, "%s is version %s: install wrk 4.1 or later", found, version);
        return LOAD_MISSING;
    }
    return LOAD_OK;
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
    } else if (spec->duration_ns <= 0 ||
               (spec->phase == LOAD_WINDOW && spec->duration_ns % SECOND != 0)) {
        err_set(e, ERR_USAGE, "wrk measures whole seconds: a window of %.3f s is not possible",
                (double)spec->duration_ns / 1e9);
    } else if (spec->timeout_ns < 0 || spec->timeout_ns % SECOND != 0) {
        err_set(e, ERR_USAGE, "wrk's timeout is in whole seconds: %.3f s is not possible",
                (double)spec->timeout_ns / 1e9);
    } else {
        return LOAD_OK;
    }
    return LOAD_SPEC;
}

/* A folder of our own with the script in it. Returns 0 or -1 with *e. */
static int wrk_prepare(struct wrk *w, const struct load_spec *spec, struct err *e) {
    const char *tmp = getenv("TMPDIR");
    if (file_join(w->folder, sizeof w->folder, tmp && *tmp ? tmp : "/tmp", "loopbench-wrk-XXXXXX",
                  e) != 0) {
        w->folder[0] = '\0';
        return -1;
    }
    if (!mkdtemp(w->folder)) {
        err_set(e, ERR_MACHINE, "cannot create a temporary folder %s: %s", w->folder,
                strerror(errno));
        w->folder[0] = '\0';
        return -1;
    }
    if (file_join(w->script, sizeof w->script, w->folder, "request.lua", e) != 0 ||
        file_join(w->result, sizeof w->result, w->folder, "result", e) != 0) {
        return -1;
    }
    FILE *out = fopen(w->script, "wbe");
    if (!out) {
        return err_set(e, ERR_MACHINE, "cannot write %s: %s", w->script, strerror(errno));
    }
    int rc = wrk_script_write(out, spec, e);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad;
    if (rc == 0 && bad) {
        rc = err_set(e, ERR_MACHINE, "cannot write %s: %s", w->script, strerror(errno));
    }
    return rc;
}

static struct child *wrk_launch(const struct wrk *w, const struct load_spec *spec, struct err *e) {
    char threads[16], connections[16], duration[32], timeout[32], wanted[32], url[320];
    bool v6 = strchr(spec->host, ':') != NULL;
    int64_t seconds = spec->duration_ns / SECOND;
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
        wrk_program(spec->program),
        "-t",
        threads,
        "-c",
        connections,
        "-d",
        duration,
        "--timeout",
        timeout,
        "-s",
        w->script,
        "--",
        url,
        w->result,
        spec->phase == LOAD_WINDOW ? "window" : "warmup",
        wanted,
        NULL,
    };
    struct child_spec child = {.argv = argv, .cpus = spec->cpus};
    return child_start(w->loop, &child, e);
}

static void wrk_free(struct load *load) {
    struct wrk *w = (struct wrk *)load;
    if (!w) {
        return;
    }
    child_free(w->child);
    if (w->folder[0]) {
        unlink(w->script);
        unlink(w->result);
        rmdir(w->folder);
    }
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
    w->phase = spec->phase;
    w->connections = spec->connections;
    w->duration_ns = spec->duration_ns;
    w->margin_ns = spec->margin_ns ? spec->margin_ns : DEFAULT_MARGIN;
    w->ends_by_interrupt = spec->duration_ns % SECOND != 0;
    if (wrk_prepare(w, spec, e) != 0) {
        wrk_free(&w->load);
        return e->class == ERR_USAGE ? LOAD_SPEC : LOAD_MISSING;
    }
    w->child = wrk_launch(w, spec, e);
    if (!w->child) {
        wrk_free(&w->load);
        return LOAD_MISSING;
    }
    w->started_ns = clock_mono_ns();
    *out = &w->load;
    return LOAD_OK;
}

static pid_t wrk_pid(const struct load *load) {
    return child_pid(((const struct wrk *)load)->child);
}

static bool wrk_is_over(void *ctx) {
    const struct wrk *w = ctx;
    return child_exited(w->child) || (w->gone && w->gone(w->ctx));
}

/* Waits for the end, by itself or by SIGINT where the wanted time is not whole seconds. wrk ignores
 * SIGINT until its threads run, and one that comes just before its sleep() does not shorten it, so
 * the signal is repeated. */
static enum loop_wait wrk_await(struct wrk *w) {
    int64_t end = w->started_ns + w->duration_ns + w->margin_ns;
    int64_t next = w->ends_by_interrupt ? w->started_ns + w->duration_ns : end;
    for (;;) {
        enum loop_wait got = loop_wait(w->loop, wrk_is_over, w, next - clock_mono_ns());
        if (got != LOOP_TIMEOUT || next >= end) {
            return got;
        }
        child_kill(w->child, SIGINT);
        next = clock_mono_ns() + INTERRUPT_AGAIN;
        next = next < end ? next : end;
    }
}

/* The last line it printed that says something; cut to fit a one-line reason. */
static void wrk_last_words(const struct child *c, char *out, size_t size) {
    const char *tail = child_tail(c);
    size_t end = strlen(tail);
    while (end > 0 && (tail[end - 1] == '\n' || tail[end - 1] == '\r' || tail[end - 1] == ' ')) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && tail[begin - 1] != '\n') {
        begin--;
    }
    if (begin == end) {
        snprintf(out, size, "it printed nothing");
    } else {
        size_t len = end - begin < size ? end - begin : size - 1;
        snprintf(out, size, "%.*s", (int)len, tail + begin);
    }
}

static enum load_failure wrk_judge_end(const struct wrk *w, struct err *e) {
    char how[128], words[256];
    child_describe(w->child, how, sizeof how);
    wrk_last_words(w->child, words, sizeof words);
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
    if (!file_exists(w->result)) {
        wrk_last_words(w->child, words, sizeof words);
        err_set(e, ERR_FAILED, "wrk ended without handing over a result: %s", words);
        return LOAD_RESULT;
    }
    if (file_read_all(w->result, WRK_RESULT_MAX, &text, &len, e) != 0) {
        return LOAD_RESULT;
    }
    int rc = wrk_result_parse(text, len, out, e);
    free(text);
    return rc == 0 ? LOAD_OK : LOAD_RESULT;
}

static enum load_failure wrk_judge_figures(const struct wrk *w, struct load_outcome *out,
                                           struct err *e) {
    int64_t wanted_us = w->duration_ns / 1000;
    int64_t failed = out->errors_connect + out->errors_read + out->errors_write;
    if (w->phase == LOAD_WINDOW && out->duration_us < wanted_us - wanted_us / 100) {
        err_set(e, ERR_FAILED, "wrk ended early: it measured %.3f s of %.3f s",
                (double)out->duration_us / 1e6, (double)wanted_us / 1e6);
        return LOAD_EARLY;
    }
    if (out->requests == 0 && failed > 0) {
        err_set(e, ERR_FAILED,
                "no reply completed in %.3f s: %" PRId64 " connect, %" PRId64 " read, %" PRId64
                " write errors",
                (double)out->duration_us / 1e6, out->errors_connect, out->errors_read,
                out->errors_write);
        return LOAD_REFUSED;
    }
    if (w->phase == LOAD_WARMUP) {
        return LOAD_OK; /* a slow workload may complete nothing in half a second */
    }
    if (out->requests == 0) {
        err_set(e, ERR_FAILED, "no reply completed in %.3f s: the connections hang",
                (double)out->duration_us / 1e6);
        return LOAD_HUNG;
    }
    if (load_recover_raw(&out->corrected, out->duration_us, out->requests, out->errors_timeout,
                         w->connections, &out->raw, e) != 0) {
        return LOAD_LIES;
    }
    return LOAD_OK;
}

static enum load_failure wrk_give_up(struct wrk *w, enum load_failure why) {
    child_stop(w->child, SIGKILL, SECOND);
    return why;
}

static enum load_failure wrk_end(struct wrk *w, struct load_outcome *out, struct err *e) {
    switch (wrk_await(w)) {
    case LOOP_TIMEOUT:
        err_set(e, ERR_FAILED, "wrk did not end within %.1f s of the %.3f s it was given: killed",
                (double)w->margin_ns / 1e9, (double)w->duration_ns / 1e9);
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
    return f == LOAD_OK ? wrk_judge_figures(w, out, e) : f;
}

static enum load_failure wrk_finish(struct load *load, bool (*gone)(void *ctx), void *ctx,
                                    struct load_outcome *out, struct err *e) {
    struct wrk *w = (struct wrk *)load;
    load_outcome_init(out);
    w->gone = gone;
    w->ctx = ctx;
    enum load_failure f = wrk_end(w, out, e);
    const struct rusage *u = child_rusage(w->child);
    out->cpu_ns = (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * SECOND +
                  (u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
    out->cpu_s = (double)out->cpu_ns / 1e9;
    if (f != LOAD_OK) {
        const char *tail = child_tail(w->child);
        size_t len = strlen(tail);
        size_t keep = sizeof out->output - 1;
        snprintf(out->output, sizeof out->output, "%s", len > keep ? tail + len - keep : tail);
    }
    return f;
}

static void wrk_abort(struct load *load) {
    struct wrk *w = (struct wrk *)load;
    child_stop(w->child, SIGKILL, SECOND);
}

const struct load_ops load_wrk = {
    .name = "wrk",
    .check = wrk_check,
    .accepts = wrk_accepts,
    .start = wrk_start,
    .pid = wrk_pid,
    .finish = wrk_finish,
    .abort = wrk_abort,
    .free = wrk_free,
};
