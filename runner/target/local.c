/* A target that is a process on this machine. */
#include "target/target.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "target/local_argv.h"
#include "target/local_probe.h"

#define SECOND        INT64_C(1000000000)
#define READY_TIMEOUT (10 * SECOND)
#define STOP_GRACE    (5 * SECOND)
#define RETRY_FIRST   (SECOND / 500)
#define RETRY_LONGEST (SECOND / 20)

struct local {
    struct target target;
    struct loop *loop;
    int interrupted; /* how often the loop was before it was started */
    const struct target_spec *spec;
    struct child *child;
    char **argv;
    bool announces;   /* it must print a ready line */
    char *ready_line; /* once seen */
    bool stopped;
    enum target_failure ending; /* once stopped */
    char why[512];
};

static struct local *local_of(struct target *t) {
    return (struct local *)t;
}

static const struct local *local_view(const struct target *t) {
    return (const struct local *)t;
}

static void local_on_line(void *ctx, const char *line) {
    struct local *l = ctx;
    if (l->announces && !l->ready_line && line[0] == '{') {
        l->ready_line = strdup(line);
    }
}

/* Whoever has pressed Ctrl-C sees that it was heard, and what for the runner still waits. */
static void local_on_wait(void *ctx, int64_t left_ns) {
    const struct local *l = ctx;
    const char *term = getenv("TERM");
    const bool drawn = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    fprintf(
        stderr,
        "%sloopbench: interrupted; waiting up to %.0f s for %s to stop, once more (Ctrl-C) kills "
        "it\n",
        drawn ? "\r\x1b[K" : "", /* over the progress bar */
        ceil((double)left_ns / 1e9), l->spec->name);
}

static void local_free(struct target *t) {
    struct local *l = local_of(t);
    if (!l) {
        return;
    }
    child_free(l->child);
    argv_free(l->argv);
    free(l->ready_line);
    free(l);
}

static enum target_failure local_start(struct loop *loop, const struct target_spec *spec,
                                       struct target **out, struct err *e) {
    struct local *l = calloc(1, sizeof *l);
    if (!l) {
        err_set(e, ERR_MACHINE, "out of memory");
        return TARGET_START;
    }
    l->target.ops = &target_local;
    l->loop = loop;
    l->interrupted = loop->interrupted;
    l->spec = spec;
    l->announces = !argv_wants_port(spec->argv);
    snprintf(l->target.host, sizeof l->target.host, "%s", spec->host ? spec->host : "127.0.0.1");
    if (!l->announces) {
        l->target.port = probe_free_port(l->target.host);
        if (l->target.port < 0) {
            err_set(e, ERR_MACHINE, "%s: no free port on %s; end what holds them", spec->name,
                    l->target.host);
            local_free(&l->target);
            return TARGET_START;
        }
    }
    l->argv = argv_expand(spec->argv, &(struct argv_values){.host = l->target.host,
                                                            .log = spec->log,
                                                            .port = l->target.port,
                                                            .workers = spec->workers,
                                                            .backlog = spec->backlog});
    if (!l->argv) {
        err_set(e, ERR_MACHINE, "out of memory");
        local_free(&l->target);
        return TARGET_START;
    }
    struct child_spec child = {
        .argv = (const char *const *)l->argv,
        .env = spec->env,
        .cwd = spec->cwd,
        .cpus = spec->cpus,
        .guarded = true,
        .on_line = local_on_line,
        .on_wait = local_on_wait,
        .ctx = l,
    };
    l->child = child_start(loop, &child, e);
    if (!l->child) {
        err_prefix(e, "%s", spec->name);
        local_free(&l->target);
        return TARGET_START;
    }
    l->target.reaper = child_reaper(l->child);
    *out = &l->target;
    return TARGET_OK;
}

static bool local_has_exited(void *ctx) {
    const struct local *l = ctx;
    return child_exited(l->child);
}

static bool local_has_announced(void *ctx) {
    const struct local *l = ctx;
    return l->ready_line || child_exited(l->child);
}

/* The last line of its output that says something. */
static void local_last_words(const struct local *l, char *out, size_t size) {
    const char *tail = child_tail(l->child);
    size_t end = strlen(tail);
    while (end > 0 && (unsigned char)tail[end - 1] <= ' ') {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && tail[begin - 1] != '\n') {
        begin--;
    }
    size_t len = end - begin < size ? end - begin : size - 1;
    snprintf(out, size, "%.*s", (int)len, tail + begin);
}

/* "NAME exited with status 3 WHEN: last words" */
static void local_say_exit(const struct local *l, const char *when, struct err *e) {
    char how[128], words[256];
    child_wait(l->child, SECOND / 20); /* what it said last is in the pipe */
    child_describe(l->child, how, sizeof how);
    local_last_words(l, words, sizeof words);
    err_set(e, ERR_FAILED, "%s %s %s%s%s", l->spec->name, how, when, words[0] ? ": " : "", words);
}

static enum target_failure local_not_ready(const struct local *l, const char *why, struct err *e) {
    int64_t allowed = l->spec->ready_timeout_ns ? l->spec->ready_timeout_ns : READY_TIMEOUT;
    err_set(e, ERR_FAILED, "%s is not ready after %.1f s: %s", l->spec->name, (double)allowed / 1e9,
            why);
    return TARGET_READY;
}

static enum target_failure local_gone(const struct local *l, struct err *e) {
    local_say_exit(l, "before it was ready", e);
    return TARGET_START;
}

static enum target_failure local_interrupted(const struct local *l, struct err *e) {
    err_set(e, ERR_FAILED, "interrupted while %s was starting", l->spec->name);
    return TARGET_INTERRUPTED;
}

static enum target_failure local_await_line(struct local *l, int64_t end_ns, struct err *e) {
    switch (loop_wait(l->loop, local_has_announced, l, end_ns - clock_mono_ns())) {
    case LOOP_TIMEOUT:
        return local_not_ready(l, "it did not print its ready line", e);
    case LOOP_INTERRUPTED:
        return local_interrupted(l, e);
    case LOOP_DONE:
        break;
    }
    if (!l->ready_line) {
        child_wait(l->child, SECOND / 20); /* it may have said so and then exited */
        return local_gone(l, e);
    }
    if (ready_line_parse(l->ready_line, l->target.host, sizeof l->target.host, &l->target.port,
                         e) != 0) {
        err_prefix(e, "%s", l->spec->name);
        return TARGET_READY;
    }
    return TARGET_OK;
}

/* Asks until it answers with 200. What has said that it is ready gets no second chance to answer
 * otherwise; a foreign server may still be loading. */
static enum target_failure local_await_answer(struct local *l, int64_t end_ns, struct err *e) {
    const char *path = l->spec->ready_path ? l->spec->ready_path : "/hello";
    char why[256] = "it does not listen";
    int64_t pause = RETRY_FIRST;
    bool answered = false;
    for (;;) {
        int status = 0;
        int64_t left = end_ns - clock_mono_ns();
        if (l->loop->interrupted != l->interrupted) { /* between two waits, which do not see it */
            return local_interrupted(l, e);
        }
        enum probe_result r = left <= 0 ? PROBE_TIMEOUT
                                        : probe_get(l->loop, l->target.host, l->target.port, path,
                                                    left, local_has_exited, l, &status);
        loop_poll(l->loop); /* an exit that has just happened */
        if (r == PROBE_INTERRUPTED) {
            return local_interrupted(l, e);
        }
        if (child_exited(l->child)) {
            return local_gone(l, e);
        }
        if (r == PROBE_ANSWERED && status == 200) {
            return TARGET_OK;
        }
        if (r == PROBE_TIMEOUT) {
            /* What earlier ones were answered with says more than one that the end cut off. */
            if (left > 0 && (left >= SECOND || !answered)) {
                snprintf(why, sizeof why, "GET %.200s is not answered", path);
            }
            return local_not_ready(l, why, e);
        }
        answered = answered || r == PROBE_ANSWERED || r == PROBE_GARBAGE;
        if (r == PROBE_ANSWERED) {
            snprintf(why, sizeof why, "GET %.200s is answered with status %d", path, status);
        } else if (r == PROBE_GARBAGE) {
            snprintf(why, sizeof why, "GET %.200s is answered with something that is not HTTP",
                     path);
        } else {
            snprintf(why, sizeof why, "GET %.200s is refused", path);
        }
        if (l->announces && r != PROBE_REFUSED) {
            err_set(e, ERR_FAILED, "%s says that it is ready, but %s", l->spec->name, why);
            return TARGET_READY;
        }
        if (loop_wait(l->loop, local_has_exited, l, pause) == LOOP_INTERRUPTED) {
            return local_interrupted(l, e);
        }
        pause = pause * 2 < RETRY_LONGEST ? pause * 2 : RETRY_LONGEST;
    }
}

static enum target_failure local_ready(struct target *t, struct err *e) {
    struct local *l = local_of(t);
    int64_t allowed = l->spec->ready_timeout_ns ? l->spec->ready_timeout_ns : READY_TIMEOUT;
    int64_t end_ns = clock_mono_ns() + allowed;
    if (l->announces) {
        enum target_failure f = local_await_line(l, end_ns, e);
        if (f != TARGET_OK) {
            return f;
        }
    }
    if (l->spec->locate) {
        enum target_failure f = l->spec->locate(t, l->spec->locate_ctx, e);
        loop_poll(l->loop);
        if (f != TARGET_OK) {
            return f != TARGET_INTERRUPTED && child_exited(l->child) ? local_gone(l, e) : f;
        }
    }
    return local_await_answer(l, end_ns, e);
}

static bool local_alive(const struct target *t) {
    return !child_exited(local_view(t)->child);
}

static size_t local_pids(const struct target *t, pid_t *out, size_t max) {
    return local_alive(t) ? child_roots(local_view(t)->child, out, max) : 0;
}

static enum target_failure local_end(struct local *l, struct err *e) {
    int signum = l->spec->stop_signal ? l->spec->stop_signal : SIGTERM;
    int64_t grace = l->spec->stop_grace_ns ? l->spec->stop_grace_ns : STOP_GRACE;
    loop_poll(l->loop); /* an exit that has already happened is not ours */
    if (child_exited(l->child)) {
        local_say_exit(l, "before it was told to", e);
        child_stop(l->child, SIGKILL, 0); /* what it left */
        return TARGET_CRASHED;
    }
    const int interrupted = l->loop->interrupted;
    if (!child_stop(l->child, signum, grace)) {
        if (l->loop->interrupted > interrupted && l->loop->interrupted >= CHILD_INTERRUPTS) {
            err_set(e, ERR_FAILED, "interrupted again while %s was stopping: killed",
                    l->spec->name);
            return TARGET_INTERRUPTED;
        }
        err_set(e, ERR_FAILED,
                "%s did not stop within %.1f s of signal %d (%s): killed; give it a longer "
                "stop-grace, or the stop-signal that ends it (KILL always does)",
                l->spec->name, (double)grace / 1e9, signum, strsignal(signum));
        return TARGET_STOP;
    }
    bool clean = child_signum(l->child) == 0
                     ? child_status(l->child) == 0
                     : l->spec->dies_by_signal && child_signum(l->child) == signum;
    if (!clean) {
        local_say_exit(l, "when it was told to stop", e);
        return TARGET_STOP;
    }
    return TARGET_OK;
}

static enum target_failure local_stop(struct target *t, struct err *e) {
    struct local *l = local_of(t);
    if (!l->stopped) {
        struct err own = {0};
        l->ending = local_end(l, &own);
        l->stopped = true;
        snprintf(l->why, sizeof l->why, "%.*s", (int)sizeof l->why - 1, own.text);
    }
    if (l->ending != TARGET_OK) {
        err_set(e, ERR_FAILED, "%s", l->why);
    }
    return l->ending;
}

static const char *local_describe(const struct target *t) {
    return local_view(t)->ready_line;
}

static const char *local_output(const struct target *t) {
    return child_tail(local_view(t)->child);
}

const struct target_ops target_local = {
    .name = "process",
    .start = local_start,
    .ready = local_ready,
    .alive = local_alive,
    .pids = local_pids,
    .stop = local_stop,
    .describe = local_describe,
    .output = local_output,
    .free = local_free,
};
