/* A target that runs already. Where its process can be seen (on this machine, or through a PID
 * namespace shared with its container) it is measured like a local one, and a restart signal makes
 * it a fresh process for every trial; else it is asked for its own figures. */
#include "target/target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/external_process.h"
#include "target/http.h"
#include "target/local_probe.h"
#include "target/stats.h"

#define SECOND        INT64_C(1000000000)
#define READY_TIMEOUT (10 * SECOND)
#define PAUSE         (SECOND / 100)

struct external {
    struct target target;
    struct loop *loop;
    const struct target_spec *spec;
    int interrupts;         /* the loop's when it was started */
    pid_t pid;              /* 0 = not to be seen */
    struct http_conn watch; /* to the process that shall go: its end says that it is gone */
    char *line;             /* what /stats says, as a ready line would */
};

static struct external *external_of(struct target *t) {
    return (struct external *)t;
}

static const struct external *external_view(const struct target *t) {
    return (const struct external *)t;
}

/* Names become the address they have now; the load generator gets numbers. */
static int external_resolve(const char *host, char *out, size_t size, struct err *e) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    int rc = getaddrinfo(host, NULL, &hints, &all);
    if (rc != 0 || !all) {
        return err_set(e, ERR_FAILED, "%s cannot be resolved: %s; correct the host of its url",
                       host, gai_strerror(rc));
    }
    const struct addrinfo *best = all;
    for (const struct addrinfo *a = all; a; a = a->ai_next) {
        if (a->ai_family == AF_INET) {
            best = a;
            break;
        }
    }
    rc =
        getnameinfo(best->ai_addr, best->ai_addrlen, out, (socklen_t)size, NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(all);
    return rc == 0
               ? 0
               : err_set(e, ERR_FAILED, "%s has no usable address; write one into its url", host);
}

static bool external_alive(const struct target *t) {
    const struct external *x = external_view(t);
    return x->pid == 0 || kill(x->pid, 0) == 0 || errno == EPERM;
}

static enum target_failure external_check_same(const struct external *x, struct err *e) {
    const pid_t before = external_seen(x->spec->url.process, x->pid);
    if (before == 0 || before == x->pid) {
        return TARGET_OK;
    }
    err_set(e, ERR_FAILED,
            "%s ended between two trials and was started again (process %ld, now %ld): see its own "
            "log, and of its container docker inspect",
            x->spec->name, (long)before, (long)x->pid);
    return TARGET_CRASHED;
}

static void external_free(struct target *t) {
    struct external *x = external_of(t);
    if (x) {
        if (x->spec->url.process && x->pid != 0 && !external_alive(t)) {
            external_forget(x->spec->url.process); /* an end that a trial tells is told once */
        }
        http_close(&x->watch);
        free(x->line);
        free(x);
    }
}

static int64_t external_end(const struct external *x) {
    return clock_mono_ns() +
           (x->spec->ready_timeout_ns ? x->spec->ready_timeout_ns : READY_TIMEOUT);
}

static enum target_failure external_interrupted(const struct external *x, struct err *e) {
    err_set(e, ERR_FAILED, "interrupted while %s was starting", x->spec->name);
    return TARGET_INTERRUPTED;
}

/* A process that crashed may be started again by whoever looks after it: it gets the time that one
 * started by us would have. */
static enum target_failure external_await_process(struct external *x, struct err *e) {
    int64_t end_ns = external_end(x);
    int count = 0;
    while ((x->pid = external_find(x->spec->url.process, &count)) == 0 || count > 1) {
        if (count > 1) {
            err_set(e, ERR_FAILED,
                    "%s: %d processes are called '%s', and which of them answers cannot be told; "
                    "leave one running",
                    x->spec->name, count, x->spec->url.process);
            return TARGET_START;
        }
        if (clock_mono_ns() > end_ns) {
            err_set(e, ERR_FAILED,
                    "%s: no process '%s' is to be seen; start it, or let the runner see its PID "
                    "namespace",
                    x->spec->name, x->spec->url.process);
            return TARGET_START;
        }
        if (loop_wait(x->loop, NULL, NULL, PAUSE) == LOOP_INTERRUPTED) {
            return external_interrupted(x, e);
        }
    }
    return TARGET_OK;
}

/* Opens the connection whose end tells that the old process is gone, then signals it. */
static enum target_failure external_renew(struct external *x, struct err *e) {
    int64_t end_ns = external_end(x);
    enum http_result r;
    while ((r = http_connect(&x->watch, x->target.host, x->target.port, end_ns)) == HTTP_REFUSED) {
        if (clock_mono_ns() > end_ns) {
            break;
        }
        if (loop_wait(x->loop, NULL, NULL, PAUSE) == LOOP_INTERRUPTED) {
            return external_interrupted(x, e);
        }
    }
    if (r != HTTP_OK) {
        err_set(e, ERR_FAILED, "%s does not answer at %s:%d: %s", x->spec->name, x->target.host,
                x->target.port, http_result_text(r));
        return TARGET_START;
    }
    if (kill(x->pid, x->spec->url.restart_signal) != 0) {
        err_set(e, ERR_FAILED,
                "%s: signal %d cannot be sent to process %ld: %s; run as its user, or leave out "
                "restart-signal",
                x->spec->name, x->spec->url.restart_signal, (long)x->pid, strerror(errno));
        return TARGET_START;
    }
    return TARGET_OK;
}

static enum target_failure external_start(struct loop *loop, const struct target_spec *spec,
                                          struct target **out, struct err *e) {
    struct external *x = calloc(1, sizeof *x);
    enum target_failure f = TARGET_OK;
    if (!x) {
        err_set(e, ERR_MACHINE, "out of memory");
        return TARGET_START;
    }
    x->target.ops = &target_external;
    x->target.port = spec->url.port;
    x->loop = loop;
    x->interrupts = loop->interrupted;
    x->spec = spec;
    x->watch.fd = -1;
    if (external_resolve(spec->url.host, x->target.host, sizeof x->target.host, e) != 0) {
        err_prefix(e, "%s", spec->name);
        f = TARGET_START;
    }
    if (f == TARGET_OK && spec->url.process) {
        f = external_await_process(x, e);
    }
    if (f == TARGET_OK && spec->url.process && spec->url.restart_signal) {
        f = external_check_same(x, e);
    }
    if (f == TARGET_OK && spec->url.restart_signal) {
        f = external_renew(x, e);
    }
    if (f != TARGET_OK) {
        external_free(&x->target);
        return f;
    }
    *out = &x->target;
    return TARGET_OK;
}

static bool external_gone(void *ctx) {
    struct external *x = ctx;
    return !external_alive(&x->target);
}

static json_t *external_stats(const struct external *x) {
    return stats_ask(x->target.host, x->target.port);
}

static enum target_failure external_await_answer(struct external *x, int64_t end_ns,
                                                 struct err *e) {
    const char *path = x->spec->ready_path ? x->spec->ready_path : "/hello";
    int status = 0;
    for (;;) {
        int64_t left = end_ns - clock_mono_ns();
        if (x->loop->interrupted != x->interrupts) { /* between two waits, which look only ahead */
            return external_interrupted(x, e);
        }
        enum probe_result r = left <= 0 ? PROBE_TIMEOUT
                                        : probe_get(x->loop, x->target.host, x->target.port, path,
                                                    left, external_gone, x, &status);
        if (r == PROBE_ANSWERED && status == 200) {
            return TARGET_OK;
        }
        if (r == PROBE_INTERRUPTED ||
            loop_wait(x->loop, external_gone, x, PAUSE) == LOOP_INTERRUPTED) {
            return external_interrupted(x, e);
        }
        if (!external_alive(&x->target)) {
            err_set(e, ERR_FAILED, "%s ended before it was ready", x->spec->name);
            return TARGET_START;
        }
        if (left <= 0) {
            err_set(e, ERR_FAILED, "%s is not ready: GET %.200s at %s:%d is %s", x->spec->name,
                    path, x->target.host, x->target.port,
                    status ? "not answered with 200" : "not answered");
            return TARGET_READY;
        }
    }
}

static enum target_failure external_ready(struct target *t, struct err *e) {
    struct external *x = external_of(t);
    int64_t end_ns = external_end(x);
    if (x->watch.fd >= 0) {
        /* It closes its listener before its connections: who answers after this is the new one. */
        enum http_result r = http_receive_close(&x->watch, end_ns);
        http_close(&x->watch);
        x->watch.fd = -1;
        if (r != HTTP_OK) {
            err_set(e, ERR_FAILED, "%s did not renew itself on signal %d: %s", x->spec->name,
                    x->spec->url.restart_signal, http_result_text(r));
            return TARGET_READY;
        }
    }
    enum target_failure f = external_await_answer(x, end_ns, e);
    if (f == TARGET_OK) {
        json_t *said = external_stats(x);
        x->line = said ? json_dumps(said, JSON_COMPACT) : NULL;
        json_decref(said);
    }
    return f;
}

static size_t external_pids(const struct target *t, pid_t *out, size_t max) {
    const struct external *x = external_view(t);
    if (max == 0 || x->pid == 0 || !external_alive(t)) {
        return 0;
    }
    out[0] = x->pid;
    return 1;
}

static enum target_failure external_stop(struct target *t, struct err *e) {
    const struct external *x = external_view(t);
    if (!external_alive(t)) {
        err_set(e, ERR_FAILED,
                "%s ended while it was measured: see its own log, and of its container docker "
                "inspect (OOMKilled)",
                x->spec->name);
        return TARGET_CRASHED;
    }
    return TARGET_OK;
}

static const char *external_describe(const struct target *t) {
    return external_view(t)->line;
}

static const char *external_output(const struct target *t) {
    (void)t;
    return "";
}

static bool external_self(const struct target *t, struct target_self *out) {
    json_t *said = external_stats(external_view(t));
    *out = (struct target_self){
        .user_ns = stats_count(said, "cpu", "user_us", 1000),
        .system_ns = stats_count(said, "cpu", "system_us", 1000),
        .rss = stats_count(said, "memory", "rss_bytes", 1),
        .peak_rss = stats_count(said, "memory", "peak_rss_bytes", 1),
    };
    json_decref(said);
    return out->user_ns >= 0 || out->rss >= 0;
}

const struct target_ops target_external = {
    .name = "external",
    .start = external_start,
    .ready = external_ready,
    .alive = external_alive,
    .pids = external_pids,
    .stop = external_stop,
    .describe = external_describe,
    .output = external_output,
    .self = external_self,
    .free = external_free,
};
