/* target.h — a server to be measured, whatever starts it.
 *
 * A launcher is one struct of operations; the local process (target_local) is the first. A trial
 * does: start, ready, (measure), stop, free. Every function that can fail returns a
 * target_failure and says in *e what happened, in one line. Waiting happens on the loop, so that
 * timers and other children live on meanwhile. */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/loop.h"

enum target_failure {
    TARGET_OK = 0,
    TARGET_START,       /* it could not be executed, or exited before it was ready */
    TARGET_READY,       /* it runs but did not answer its ready request in time, or not with 200 */
    TARGET_CRASHED,     /* it had been ready and ended before it was told to */
    TARGET_STOP,        /* it had to be killed, or its exit was not clean */
    TARGET_INTERRUPTED, /* the runner was interrupted while it waited */
};

struct target;

/* What a container is held to, as docker-compose.yml holds its own; files: target_container. */
#define CONTAINER_MEMORY 1073741824 /* bytes */
#define CONTAINER_PIDS   512

/* Of a target in a container. */
struct target_container {
    const char
        *image;    /* its entry point gets argv, or argv[1..] where argv[0] is the entry point's */
    bool entry;    /* argv[0] is: do not pass it on */
    bool bridge;   /* behind the engine's bridge; else the machine's own network */
    int64_t files; /* file descriptors it may use */
};

/* Of a target that runs already. */
struct target_url {
    const char *host; /* a name or a numeric address */
    int port;
    const char *process; /* how /proc calls its process; NULL = it cannot be seen */
    int restart_signal;  /* makes it a fresh process under its PID; 0 = it is taken as it is */
};

struct target_spec {
    const char *name; /* for messages */
    /* NULL-terminated. {host} {port} {workers} {backlog} {log} are replaced wherever they stand.
     * Where {port} occurs the launcher chooses a free port, and another where it was taken before
     * the target was there; where it does not occur, the target must print the ready line
     * {"listening":"ADDR:PORT",…} as a line of its standard output. */
    const char *const *argv;
    const char *const *env; /* NAME=VALUE added to the runner's environment; NULL = none */
    const char *cwd;        /* NULL = the runner's */
    const cpu_set_t *cpus;  /* where it may run; NULL = where the runner may */
    const char *host;       /* what {host} means; NULL = 127.0.0.1 */
    int workers;            /* what {workers} means */
    int backlog;            /* what {backlog} means */
    const char *log;        /* what {log} means; NULL = /dev/null */
    const char *ready_path; /* the real request that proves it ready; NULL = "/hello" */
    int64_t ready_timeout_ns;
    int stop_signal; /* 0 = SIGTERM */
    int64_t stop_grace_ns;
    /* Clean is exit status 0; with this also being ended by the stop signal (guests that do not
     * handle it). */
    bool dies_by_signal;
    struct target_container container; /* for target_container */
    struct target_url url; /* for target_external; argv and what follows it mean nothing */
    /* Called once it runs and before it is asked anything: may wait, and correct t->host and
     * t->port. NULL = nothing is to be found out. */
    enum target_failure (*locate)(struct target *t, void *ctx, struct err *e);
    /* Removes what a start left that failed, before the next; NULL = nothing is left. */
    void (*clear)(void *ctx);
    void *locate_ctx; /* of both */
};

/* What a target says of its own use; -1 = it does not say. */
struct target_self {
    int64_t user_ns, system_ns; /* CPU since its start */
    int64_t rss, peak_rss;      /* bytes */
};

struct target_ops;

/* What every launcher's target begins with. */
struct target {
    const struct target_ops *ops;
    char host[64]; /* where it listens; final once ready() succeeded */
    int port;
    /* A process of ours that waits for what daemonised from it, so that what those used is known
     * when they have ended; 0 = none. */
    pid_t reaper;
};

struct target_ops {
    const char *name; /* "process" */

    /* Starts it and returns at once. On success *out is to be freed by free(). The spec and what it
     * points to must outlive the target. */
    enum target_failure (*start)(struct loop *loop, const struct target_spec *spec,
                                 struct target **out, struct err *e);

    /* Waits until it answers its ready request with status 200. An exit is noticed at once. */
    enum target_failure (*ready)(struct target *t, struct err *e);

    /* Whether it still runs; false without doubt once its end was seen by the loop. A plain
     * predicate, so that a wait can end on it. */
    bool (*alive)(const struct target *t);

    /* The processes at the root of what it runs (their descendants are found by whoever measures
     * them) into out, at most max; returns how many. 0 when it has ended or this launcher cannot
     * know. */
    size_t (*pids)(const struct target *t, pid_t *out, size_t max);

    /* Ends it (signal, grace, KILL) and judges how it ended: TARGET_CRASHED when it had ended
     * before, TARGET_STOP when it would not go or was not clean. Nothing of it is left whatever is
     * returned. Interrupts do not shorten this. May be called again: same answer. */
    enum target_failure (*stop)(struct target *t, struct err *e);

    /* What it says about itself: the ready line (JSON), or NULL. Valid until free(). */
    const char *(*describe)(const struct target *t);

    /* Its last output, at most 4 KiB; "" when there was none. Valid until free(). */
    const char *(*output)(const struct target *t);

    /* Asks it for its own use (GET /stats); false where it does not say. For a target whose
     * processes cannot be seen; NULL where that never is so. */
    bool (*self)(const struct target *t, struct target_self *out);

    /* Ends what still runs and frees it; NULL is ignored. */
    void (*free)(struct target *t);
};

/* A process on this machine. */
extern const struct target_ops target_local;

/* A container of its own for every start, by the docker command: pinned, read-only, without
 * capabilities, gone when it is stopped. */
extern const struct target_ops target_container;

/* A server that somebody else started and will end. With a restart signal start() makes it a fresh
 * process and ready() waits for that. */
extern const struct target_ops target_external;

/* "start", "ready", … for messages and tests. */
const char *target_failure_name(enum target_failure f);

#endif
