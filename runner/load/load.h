/* load.h — load generators behind one struct of operations. load_wrk does all that a run can ask
 * for; the others send a plain GET for a time, to be held against it (crosscheck).
 *
 * A phase of a trial (warm-up or window) is: start, finish (or abort), free. What a generator
 * measured comes from its result, never from the runner's clock and never from screen text. */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/hist.h"
#include "base/latency.h"
#include "base/loop.h"
#include "base/mode.h"

enum load_failure {
    LOAD_OK = 0,
    LOAD_MISSING,     /* the generator is not installed, too old, or cannot be executed */
    LOAD_SPEC,        /* it cannot do what is asked (connections not divisible by threads, …) */
    LOAD_EXIT,        /* it exited with a status other than 0 */
    LOAD_KILLED,      /* a signal ended it */
    LOAD_RESULT,      /* no result, or a torn or foreign one */
    LOAD_LIES,        /* its figures contradict each other */
    LOAD_EARLY,       /* it measured less time than was wanted */
    LOAD_TIMEOUT,     /* it ran on after the wanted time and the margin; it was killed */
    LOAD_HUNG,        /* it ran, but no reply completed */
    LOAD_REFUSED,     /* it could not connect, or no reply completed and connections failed */
    LOAD_STOPPED,     /* the caller's predicate ended it: the target is gone */
    LOAD_INTERRUPTED, /* the runner was interrupted while it waited */
};

enum load_phase {
    LOAD_WARMUP, /* any length; no histogram */
    LOAD_WINDOW, /* whole seconds; everything */
};

/* One request as it is sent, again and again. */
struct load_request {
    const char *method;  /* NULL = GET */
    const char *path;    /* begins with / */
    const char *headers; /* further lines, each ended by CRLF; NULL or "" = none; Host is added */
    const char *body;    /* NULL = none; Content-Length is added otherwise */
    size_t body_len;
    bool close; /* add Connection: close */
};

struct load_spec {
    const char *program; /* NULL = the generator's usual name, found by PATH */
    const char *host;
    int port;
    struct load_request request;
    int connections;
    int threads; /* divides connections */
    enum load_phase phase;
    struct mode mode;
    int64_t duration_ns; /* wanted; not used where mode.requests are counted */
    int64_t timeout_ns;  /* a slower reply is an error; whole seconds; 0 = 2 s */
    /* How long after duration_ns it is killed; where requests are counted, how long it may go
     * without one, beyond timeout and think time; 0 = 10 s */
    int64_t margin_ns;
    const cpu_set_t *cpus; /* where it may run; NULL = where the runner may */
};

struct load_outcome {
    /* As the generator measured it. Where requests are counted: from the first request to the last
     * reply. */
    int64_t duration_us;
    int64_t requests; /* replies, whatever their status */
    int64_t bytes;    /* received */
    /* errors_timeout: replies that came later than the timeout, of a pipeline batches; they are
     * among the requests. One that never came is counted nowhere, or with what broke its
     * connection. */
    int64_t errors_connect, errors_read, errors_write, errors_timeout, errors_status;
    int64_t late; /* replies among the requests that came too late; -1 = nobody counted them */
    /* Connections that received nothing in the last half of the window; -1 where nobody looked, and
     * where they may well be silent: think time, counted requests, a connection for each request.
     */
    int64_t silent;
    double cpu_s;   /* CPU of the whole generator process */
    int64_t cpu_ns; /* the same, for window_end() */
    /* Latencies. Empty for a warm-up, and where requests are pipelined: a sample is a whole batch
     * there. */
    struct hist corrected; /* as the generator hands it over; none where requests are counted */
    struct hist raw;       /* as observed */
    /* load_active_ratio() of the window, think time taken as active; NaN where it is not known: in
     * a warm-up, and where connecting is part of every request. */
    double active_ratio;
    int64_t wall_us, idle_us;    /* the generator's own run time; think time handed out */
    struct latency_summary told; /* where raw is empty: what the generator sums it up to */
    int64_t latency_step_us; /* the smallest difference between two latencies that it can tell */
    int threads;             /* it ran; 0 = as many as the spec says */
    char output[1024];       /* the generator's last output when it failed */
};

struct load_ops;

/* What every generator's run begins with. */
struct load {
    const struct load_ops *ops;
};

struct load_ops {
    const char *name;    /* "wrk" */
    const char *package; /* what Debian calls the package that brings it */

    /* Whether the program (NULL = usual name) is there and fit for use; its version into
     * `version`. LOAD_MISSING with the remedy otherwise. */
    enum load_failure (*check)(struct loop *loop, const char *program, char *version, size_t size,
                               struct err *e);

    /* Whether the spec can be done at all; ERR_USAGE otherwise. Starts nothing. */
    enum load_failure (*accepts)(const struct load_spec *spec, struct err *e);

    /* Starts it and returns at once; *out is to be freed by free(). The spec is not kept. */
    enum load_failure (*start)(struct loop *loop, const struct load_spec *spec, struct load **out,
                               struct err *e);

    pid_t (*pid)(const struct load *l);

    /* Waits for its end and reads what it measured. gone(ctx) (may be NULL) ends the wait and the
     * generator: LOAD_STOPPED. *out is always initialised and is to be released; its figures are -1
     * where they are not known. */
    enum load_failure (*finish)(struct load *l, bool (*gone)(void *ctx), void *ctx,
                                struct load_outcome *out, struct err *e);

    /* Ends it at once; what it measured is lost. */
    void (*abort)(struct load *l);

    /* Ends what still runs, removes its temporary files and frees it; NULL is ignored. */
    void (*free)(struct load *l);
};

/* wrk 4.1 or later: closed loop. */
extern const struct load_ops load_wrk;

/* ApacheBench 2.3, h2load of nghttp2 with HTTP/1.1, and siege 4.0: closed loops, measured windows
 * only, one GET without further headers. */
extern const struct load_ops load_ab, load_h2load, load_siege;

/* Generator i, wrk first; NULL past the last. */
const struct load_ops *load_at(size_t i);

/* The generator of that name, or NULL. */
const struct load_ops *load_find(const char *name);

void load_outcome_init(struct load_outcome *o);
void load_outcome_release(struct load_outcome *o);

/* Replies that are work done: neither of a wrong status nor late, as far as those are known. One
 * that is both is taken off twice, for nobody counts them; never below 0. -1 where there are no
 * figures. */
int64_t load_good(const struct load_outcome *o);

/* "exit", "killed", … for messages and tests. */
const char *load_failure_name(enum load_failure f);

#endif
