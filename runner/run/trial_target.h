/* trial_target.h — the target of one trial while it runs: started, watched, asked and stopped. */
#ifndef RUN_TRIAL_TARGET_H
#define RUN_TRIAL_TARGET_H

#include "run/replies.h"
#include "run/setup.h"
#include "sample/proc.h"
#include "sample/window.h"
#include "store/record.h"

#define TRIAL_MAX_PIDS 512

/* The state of a trial while it runs. */
struct trial {
    const struct setup *setup;
    const struct workload *workload;
    struct trial_record *record;
    const struct target_ops *ops;
    const struct load_ops *generator; /* of the window */
    bool counted;                     /* the server is asked what it counted */
    struct target *target;
    pid_t pids[TRIAL_MAX_PIDS];
    size_t n_pids;
    bool logs;        /* it is one of ours and writes an access log */
    int64_t answered; /* requests that the load generator has a reply to, warm-up included */
    struct replies replies;
    bool interrupted;
    bool failed;
    /* What a failure is judged by: how the machine was before what failed. */
    struct window before;
    struct database database;
    int64_t generator_ns;    /* CPU of load generators since; -1 = unknown */
    bool measured;           /* the record has the machine's signals already */
    struct target_self self; /* before the window, of a target whose processes cannot be seen */
};

/* The first failure of a trial is the one recorded, with the end of `output`. */
void trial_fail(struct trial *t, enum trial_failure why, const char *reason, const char *output);

/* Returns whether it is ready; otherwise the trial has failed or is interrupted. */
bool trial_start(struct trial *t, const struct target_spec *spec);

/* Which processes it has: workers may have forked, and some have daemonised. */
void trial_find_pids(struct trial *t);

/* Memory of the target with all its descendants. Returns 0 or -1. */
int trial_read_memory(const struct trial *t, struct proc_memory *out);

void trial_read_idle(struct trial *t);

/* Before the window: its own account of itself, for want of processes that can be seen. */
void trial_begin_self(struct trial *t);

/* Looks at the machine: what trial_see_between and trial_keep_failed tell is from now on. Also of a
 * trial whose target is not started yet. */
void trial_look(struct trial *t);

/* What moved since trial_look. */
void trial_see_between(struct trial *t, struct window_delta *d);

/* The machine's signals of a trial that failed before its window was over: whether the machine was
 * the cause is judged by them as of any other trial. What a target used that is gone is not known,
 * and so is not what was foreign. Nothing where the window's own signals are kept. */
void trial_keep_failed(struct trial *t);

/* After it: what it used between both accounts goes to *d and the record. */
void trial_keep_self(struct trial *t, struct window_delta *d);

/* `ctx` is the trial. */
bool trial_target_gone(void *ctx);

/* Fails the trial because the target is gone. */
void trial_fail_gone(struct trial *t);

/* A log that was thrown away is cheaper than one that was written. Once the target is stopped. */
void trial_check_log(struct trial *t, bool builtin);

/* Stops it, where it was started; an end that is not clean fails the trial. */
void trial_stop(struct trial *t);

#endif
