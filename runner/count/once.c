#include "count/once.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "count/client.h"
#include "load/request.h"
#include "store/catalog.h"

#define SECOND        INT64_C(1000000000)
#define STALL         (5 * SECOND)
#define READY_TIMEOUT (10 * SECOND)
#define READY_AT_MOST (120 * SECOND)
#define GONE_AT_MOST  (SECOND / 2)
#define FULL          (64 << 10) /* bytes; a tool that has no more left to write into could not */

/* The target's spec with a tool's words put in. */
struct wrapped {
    struct target_spec spec;
    struct tool_words words;
    const char **argv, **env;
};

static size_t count_words(const char *const *list) {
    size_t n = 0;
    while (list && list[n]) {
        n++;
    }
    return n;
}

static const char **joined(const char *const *a, size_t n, const char *const *b) {
    const size_t m = count_words(b);
    const char **out = calloc(n + m + 1, sizeof *out);
    for (size_t i = 0; out && i < n; i++) {
        out[i] = a[i];
    }
    for (size_t i = 0; out && i < m; i++) {
        out[n + i] = b[i];
    }
    return out;
}

static int wrap(struct wrapped *w, const struct count_subject *s, const struct count_tool *tool,
                struct err *e) {
    const int64_t ready = s->spec.ready_timeout_ns ? s->spec.ready_timeout_ns : READY_TIMEOUT;
    const int64_t slow = (int64_t)((double)ready * tool->slower);
    *w = (struct wrapped){.spec = s->spec};
    w->spec.ready_timeout_ns = slow < READY_AT_MOST || slow == ready ? slow : READY_AT_MOST;
    w->spec.stop_grace_ns = (int64_t)((double)s->spec.stop_grace_ns * tool->slower);
    if (s->elsewhere) {
        return 0;
    }
    if (tool->words) {
        tool->words(s->paths, s->dir, &w->words);
    }
    w->argv = joined(w->words.argv, w->words.argc, s->spec.argv);
    w->env = joined(w->words.env, w->words.envc, s->spec.env);
    if (!w->argv || !w->env) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    w->spec.argv = w->argv;
    w->spec.env = w->env;
    return 0;
}

static enum once_end load(const struct count_subject *s, const struct count_tool *tool,
                          const struct target *t, int64_t requests, int64_t seconds,
                          struct count_total *out, struct err *e) {
    char *text = NULL;
    size_t len = 0;
    const struct load_request request = {
        .method = s->workload->method,
        .path = s->workload->path,
        .headers = s->workload->headers,
        .body = s->workload->body,
        .body_len = s->workload->body_len,
    };
    FILE *f = open_memstream(&text, &len);
    int rc = f ? request_write(f, &request, t->host, t->port, e) : -1;
    if (!f || fclose(f) != 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    }
    struct client_result result = {0};
    const struct client_spec client = {
        .host = t->host,
        .port = t->port,
        .request = text,
        .request_len = len,
        .status = s->workload->status,
        .connections = s->connections,
        .pipeline = s->pipeline,
        .requests = requests,
        .stall_ns = (int64_t)((double)STALL * tool->slower),
        .seconds = seconds,
        .steady = tool->clocked,
    };
    const enum client_end end = rc == 0 ? client_run(s->loop, &client, &result, e) : CLIENT_FAILED;
    free(text);
    out->of[COUNT_SENT] = result.sent;
    out->of[COUNT_RECEIVED] = result.received;
    out->seconds = result.seconds;
    return end == CLIENT_DONE     ? ONCE_COUNTED
           : end == CLIENT_FAILED ? ONCE_FAILED
                                  : ONCE_INTERRUPTED;
}

static enum once_end watch(const struct count_subject *s, const struct count_tool *tool,
                           struct target *t, int64_t requests, int64_t seconds,
                           struct count_total *out, struct err *e) {
    void *state = NULL;
    struct err why = {0};
    if (tool->begin && tool->begin(s->paths, t, &state, e) != 0) {
        return ONCE_FAILED;
    }
    enum once_end end = load(s, tool, t, requests, seconds, out, e);
    if (tool->end && tool->end(state, out, &why) != 0 && end == ONCE_COUNTED) {
        *e = why;
        end = ONCE_FAILED;
    }
    return end;
}

static bool is_gone(void *ctx) {
    const struct target *t = ctx;
    return !t->ops->alive(t);
}

/* A target that went down tells more than the client that lost it; its connections are closed
 * before its end is seen. */
static enum once_end conclude(enum once_end end, const struct count_subject *s, struct target *t,
                              struct err *e) {
    struct err why = {0};
    if (end == ONCE_FAILED && t->ops->alive) {
        loop_wait(s->loop, is_gone, t, GONE_AT_MOST);
    }
    const enum target_failure f = s->ops->stop(t, &why);
    if (end == ONCE_COUNTED && f != TARGET_OK) {
        *e = why;
        return ONCE_FAILED;
    }
    if (end == ONCE_FAILED && f == TARGET_CRASHED) {
        *e = why;
    }
    return end;
}

/* Why a tool left less than it should have. */
static void explain(const struct count_subject *s, const struct count_tool *tool, struct err *e) {
    struct statvfs v;
    if (statvfs(s->dir, &v) == 0 && (uint64_t)v.f_bavail * v.f_frsize < FULL) {
        const struct err why = *e;
        err_set(e, ERR_FAILED, "no space is left in %s, where tools write (set TMPDIR): %s", s->dir,
                why.text);
    } else if (tool->starts && s->spec.stop_signal == SIGKILL) {
        err_set(e, ERR_FAILED,
                "it is stopped by SIGKILL, and a process that is killed leaves no "
                "counts: choose another stop-signal");
    }
}

static enum once_end run(const struct count_subject *s, const struct count_tool *tool,
                         const struct target_spec *spec, int64_t requests, int64_t seconds,
                         struct count_total *out, struct err *e) {
    struct target *t = NULL;
    enum target_failure f = s->ops->start(s->loop, spec, &t, e);
    if (f == TARGET_OK) {
        f = s->ops->ready(t, e);
    }
    enum once_end end = f == TARGET_OK            ? watch(s, tool, t, requests, seconds, out, e)
                        : f == TARGET_INTERRUPTED ? ONCE_INTERRUPTED
                                                  : ONCE_FAILED;
    if (t && f == TARGET_OK) {
        end = conclude(end, s, t, e);
    }
    s->ops->free(t);
    if (end == ONCE_COUNTED && !s->elsewhere && tool->read && tool->read(s->dir, out, e) != 0) {
        explain(s, tool, e);
        end = ONCE_FAILED;
    }
    return end;
}

/* The folder itself stays, as private as it was made. */
static void empty_folder(const char *dir) {
    const struct dirent *entry;
    DIR *d = opendir(dir);
    while (d && (entry = readdir(d))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            catalog_remove_tree(dirfd(d), entry->d_name);
        }
    }
    if (d) {
        closedir(d);
    }
}

enum once_end count_once(const struct count_subject *s, const struct count_tool *tool,
                         int64_t requests, int64_t seconds, struct count_total *out,
                         struct err *e) {
    struct wrapped w;
    count_total_init(out);
    enum once_end end =
        wrap(&w, s, tool, e) == 0 ? run(s, tool, &w.spec, requests, seconds, out, e) : ONCE_FAILED;
    free(w.argv);
    free(w.env);
    empty_folder(s->dir);
    return end;
}
