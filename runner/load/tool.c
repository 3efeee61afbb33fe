#include "load/tool.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "load/ending.h"

#define SECOND         INT64_C(1000000000)
#define DEFAULT_MARGIN (10 * SECOND)

struct tool {
    struct load load;
    const struct tool_kind *kind;
    struct loop *loop;
    struct child *child;
    int fd[2]; /* settings, result; -1 = none */
    int connections;
    int64_t timeout_us;
    int64_t started_ns, duration_ns, margin_ns;
    char *text; /* its standard output */
    size_t len;
    bool too_long;
    bool (*gone)(void *ctx);
    void *ctx;
};

static struct tool *tool_of(struct load *l) {
    return (struct tool *)l;
}

void tool_word(struct tool_command *c, const char *format, ...) {
    va_list args;
    if (c->n == TOOL_WORDS) {
        c->cut = true;
        return;
    }
    va_start(args, format);
    int n = vsnprintf(c->word[c->n], TOOL_WORD_MAX, format, args);
    va_end(args);
    c->cut = c->cut || n < 0 || n >= TOOL_WORD_MAX;
    c->argv[c->n] = c->word[c->n];
    c->argv[++c->n] = NULL;
}

void tool_word_url(struct tool_command *c, const struct load_spec *spec) {
    bool v6 = strchr(spec->host, ':') != NULL;
    tool_word(c, "http://%s%s%s:%d%s", v6 ? "[" : "", spec->host, v6 ? "]" : "", spec->port,
              spec->request.path);
}

bool tool_rate_fits(int64_t rate_millionths, int64_t us, int64_t requests, double percent) {
    double expected = (double)rate_millionths / 1e6 * ((double)us / 1e6);
    /* One request more or less is no lie of a slow server. */
    return fabs(expected - (double)requests) <= (double)requests * percent / 100 + 1;
}

/* ---- starting it */

enum load_failure tool_accepts(const struct tool_kind *kind, const struct load_spec *spec,
                               struct err *e) {
    const char *name = kind->ops->name;
    const struct load_request *r = &spec->request;
    char mode[MODE_TEXT_SIZE];
    if (spec->phase != LOAD_WINDOW) {
        err_set(e, ERR_USAGE, "%s measures windows only", name);
    } else if (mode_text(&spec->mode, mode, sizeof mode) > 0) {
        err_set(e, ERR_USAGE,
                "%s is not asked for '%s': it sends requests for a time; leave that out", name,
                mode);
    } else if ((r->method && strcmp(r->method, "GET") != 0) || r->body ||
               (r->headers && *r->headers) || r->close) {
        err_set(e, ERR_USAGE, "%s sends a plain GET only: choose another workload", name);
    } else if (!r->path || r->path[0] != '/') {
        err_set(e, ERR_USAGE, "path '%s': must begin with /", r->path ? r->path : "");
    } else if (spec->connections < 1 || spec->threads < 1 || spec->threads > spec->connections ||
               (kind->max_connections > 0 && spec->connections > kind->max_connections)) {
        err_set(e, ERR_USAGE, "%s cannot open %d connections by %d threads: choose other numbers",
                name, spec->connections, spec->threads);
    } else if (spec->duration_ns <= 0 || spec->duration_ns % SECOND != 0) {
        err_set(e, ERR_USAGE,
                "%s measures whole seconds: a window of %.3f s is not possible; round it", name,
                (double)spec->duration_ns / 1e9);
    } else {
        return LOAD_OK;
    }
    return LOAD_SPEC;
}

static void tool_on_line(void *ctx, const char *line) {
    struct tool *t = ctx;
    size_t len = strlen(line);
    if (t->len + len + 2 > TOOL_OUTPUT_MAX) {
        t->too_long = true;
        return;
    }
    memcpy(t->text + t->len, line, len);
    t->len += len;
    t->text[t->len++] = '\n';
    t->text[t->len] = '\0';
}

static int tool_write_settings(struct tool *t, const struct load_spec *spec, struct err *e) {
    int copy = dup(t->fd[0]);
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!out) {
        int rc = memory_file_failed("write the settings", e);
        if (copy >= 0) {
            close(copy);
        }
        return rc;
    }
    t->kind->settings(out, spec);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad;
    return bad ? memory_file_failed("write the settings", e) : 0;
}

static enum load_failure tool_launch(struct tool *t, const struct load_spec *spec, struct err *e) {
    char path[2][MEMORY_FILE_PATH_SIZE];
    struct tool_command *c = calloc(1, sizeof *c);
    t->text = calloc(1, TOOL_OUTPUT_MAX);
    if (!c || !t->text) {
        free(c);
        err_set(e, ERR_MACHINE, "out of memory");
        return LOAD_MISSING;
    }
    enum load_failure f = LOAD_MISSING;
    if (memory_file_create("settings", &t->fd[0], path[0], e) == 0 &&
        memory_file_create("result", &t->fd[1], path[1], e) == 0 &&
        (!t->kind->settings || tool_write_settings(t, spec, e) == 0)) {
        tool_word(c, "%s", spec->program ? spec->program : t->kind->ops->name);
        t->kind->command(c, spec, (spec->duration_ns + t->kind->extra_ns) / SECOND, path[0],
                         path[1]);
        f = LOAD_OK;
    }
    if (f == LOAD_OK && c->cut) {
        err_set(e, ERR_USAGE, "%s: the address is too long", t->kind->ops->name);
        f = LOAD_SPEC;
    }
    if (f == LOAD_OK) {
        struct child_spec child = {
            .argv = c->argv,
            .env = t->kind->env,
            .cpus = spec->cpus,
            .fds = t->fd,
            .n_fds = 2,
            .on_line = tool_on_line,
            .ctx = t,
        };
        t->started_ns = clock_mono_ns();
        t->child = child_start(t->loop, &child, e);
        f = t->child ? LOAD_OK : LOAD_MISSING;
    }
    free(c);
    return f;
}

enum load_failure tool_start(const struct tool_kind *kind, struct loop *loop,
                             const struct load_spec *spec, struct load **out, struct err *e) {
    enum load_failure f = tool_accepts(kind, spec, e);
    struct tool *t = f == LOAD_OK ? calloc(1, sizeof *t) : NULL;
    if (f != LOAD_OK) {
        return f;
    }
    if (!t) {
        err_set(e, ERR_MACHINE, "out of memory");
        return LOAD_MISSING;
    }
    *t = (struct tool){
        .load = {.ops = kind->ops},
        .kind = kind,
        .loop = loop,
        .fd = {-1, -1},
        .connections = spec->connections,
        .timeout_us = tool_timeout_s(spec) * 1000000,
        .duration_ns = spec->duration_ns,
        .margin_ns = kind->extra_ns + (spec->margin_ns ? spec->margin_ns : DEFAULT_MARGIN),
    };
    f = tool_launch(t, spec, e);
    if (f != LOAD_OK) {
        tool_free(&t->load);
        return f;
    }
    *out = &t->load;
    return LOAD_OK;
}

pid_t tool_pid(const struct load *l) {
    return child_pid(((const struct tool *)l)->child);
}

/* ---- its end */

static bool tool_is_over(void *ctx) {
    const struct tool *t = ctx;
    return child_exited(t->child) || (t->gone && t->gone(t->ctx));
}

static enum load_failure tool_give_up(struct tool *t, enum load_failure why) {
    child_stop(t->child, SIGKILL, SECOND);
    return why;
}

static enum load_failure tool_await(struct tool *t, struct err *e) {
    const char *name = t->kind->ops->name;
    int64_t left = t->started_ns + t->duration_ns + t->margin_ns - clock_mono_ns();
    switch (loop_wait(t->loop, tool_is_over, t, left > 0 ? left : 0)) {
    case LOOP_TIMEOUT:
        err_set(e, ERR_FAILED, "%s did not end within %.1f s of the %.3f s it was given: killed",
                name, (double)t->margin_ns / 1e9, (double)t->duration_ns / 1e9);
        return tool_give_up(t, LOAD_TIMEOUT);
    case LOOP_INTERRUPTED:
        err_set(e, ERR_FAILED, "interrupted");
        return tool_give_up(t, LOAD_INTERRUPTED);
    case LOOP_DONE:
        break;
    }
    if (!child_exited(t->child)) {
        err_set(e, ERR_FAILED, "%s was stopped: its target is gone", name);
        return tool_give_up(t, LOAD_STOPPED);
    }
    child_wait(t->child, SECOND); /* its last output */
    return LOAD_OK;
}

static enum load_failure tool_judge_exit(const struct tool *t, struct err *e) {
    char how[128];
    char words[256];
    if (child_signum(t->child) == 0 && child_status(t->child) == 0) {
        return LOAD_OK;
    }
    child_describe(t->child, how, sizeof how);
    load_last_words(t->child, words, sizeof words);
    err_set(e, ERR_FAILED, "%s %s: %s", t->kind->ops->name, how, words);
    return child_signum(t->child) != 0                          ? LOAD_KILLED
           : strstr(child_tail(t->child), "Connection refused") ? LOAD_REFUSED
                                                                : LOAD_EXIT;
}

/* Whether it did what it was asked for. */
static enum load_failure tool_judge(const struct tool *t, const struct load_outcome *out,
                                    struct err *e) {
    const char *name = t->kind->ops->name;
    int64_t failed = (out->errors_connect > 0 ? out->errors_connect : 0) +
                     (out->errors_read > 0 ? out->errors_read : 0);
    if (out->requests == 0) {
        err_set(e, ERR_FAILED, "%s: no reply completed in %.3f s, %" PRId64 " failed", name,
                (double)out->duration_us / 1e6, failed);
        return failed > 0 ? LOAD_REFUSED : LOAD_HUNG;
    }
    if ((double)out->duration_us < (double)t->duration_ns / 1e3 * 0.985) {
        err_set(e, ERR_FAILED, "%s ended early: it measured %.3f s of %.3f s", name,
                (double)out->duration_us / 1e6, (double)t->duration_ns / 1e9);
        return LOAD_EARLY;
    }
    return LOAD_OK;
}

static enum load_failure tool_read(const struct tool *t, struct load_outcome *out, struct err *e) {
    char *file = NULL;
    size_t len = 0;
    const char *name = t->kind->ops->name;
    if (t->too_long) {
        err_set(e, ERR_FAILED, "%s: the output is not usable: it is too long", name);
        return LOAD_RESULT;
    }
    if (memory_file_read(t->fd[1], &file, &len, e) != 0) {
        return LOAD_RESULT;
    }
    struct tool_output o = {.text = t->text,
                            .file = file,
                            .connections = t->connections,
                            .timeout_us = t->timeout_us,
                            .asked_us = t->duration_ns / 1000};
    enum load_failure f = LOAD_RESULT;
    if (strlen(file) != len) {
        err_set(e, ERR_FAILED, "the result is not usable: it is no text");
    } else {
        f = t->kind->read(&o, out, e);
    }
    free(file);
    if (f != LOAD_OK) {
        err_prefix(e, "%s", name);
    }
    return f == LOAD_OK ? tool_judge(t, out, e) : f;
}

enum load_failure tool_finish(struct load *l, bool (*gone)(void *ctx), void *ctx,
                              struct load_outcome *out, struct err *e) {
    struct tool *t = tool_of(l);
    load_outcome_init(out);
    t->gone = gone;
    t->ctx = ctx;
    enum load_failure f = tool_await(t, e);
    if (f == LOAD_OK) {
        f = tool_judge_exit(t, e);
    }
    if (f == LOAD_OK) {
        f = tool_read(t, out, e);
    }
    load_keep_use(t->child, out);
    if (f != LOAD_OK) {
        load_keep_output(t->child, out);
    }
    return f;
}

void tool_abort(struct load *l) {
    child_stop(tool_of(l)->child, SIGKILL, SECOND);
}

void tool_free(struct load *l) {
    struct tool *t = tool_of(l);
    if (!t) {
        return;
    }
    child_free(t->child);
    for (size_t i = 0; i < 2; i++) {
        if (t->fd[i] >= 0) {
            close(t->fd[i]);
        }
    }
    free(t->text);
    free(t);
}

int64_t tool_timeout_s(const struct load_spec *spec) {
    return spec->timeout_ns > 0 ? spec->timeout_ns / 1000000000 : 2;
}

void tool_judge_late(const struct tool_output *o, struct load_outcome *out) {
    const bool none = o->timeout_us <= 0 || out->told.max_us <= o->timeout_us;
    out->errors_timeout = out->late = none ? 0 : -1;
}
