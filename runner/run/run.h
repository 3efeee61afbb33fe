/* run.h — executes a plan: every trial measured, judged and stored before the next one starts. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"
#include "run/setup.h"
#include "store/writer.h"

/* What happens, for whoever wants to show it; the run itself prints nothing. */
struct run_events {
    void *ctx;
    /* The n-th trial (from 1) begins. */
    void (*trial_start)(void *ctx, int64_t n, const struct plan_block *block,
                        const struct plan_target *target, int attempt);
    void (*trial_end)(void *ctx, const struct trial_record *r);
    /* The block just measured is measured again, for that signal of that trial ("foreign-cpu 34%").
     */
    void (*block_again)(void *ctx, const struct plan_block *block, const char *target,
                        const char *why);
    /* Blocks were run again as many times as allowed; from here on disturbed ones are kept and
     * flagged. Once in a run. */
    void (*repeats_spent)(void *ctx, int64_t times);
};

struct run {
    struct setup setup;
    const struct plan *plan;
    struct writer *writer;
    struct run_events events;
    /* A block with an invalid trial is run again, at most twice, while fewer than this were. */
    int64_t repeats_max;
    /* results so far */
    int64_t measured, failed, skipped; /* trials; skipped: done before a resume */
    int64_t repeats; /* times that blocks were run again, those before a resume included */
    int64_t again;   /* of those measured: in a later attempt of their block, beside the plan */
    bool spent;      /* repeats_spent was said */
    bool interrupted;
    double speed; /* last reading of the machine's speed */
};

/* Runs all trials that the writer does not hold yet. Ctrl-C ends it after the current trial was
 * given up and cleaned away (r->interrupted). Returns 0, or -1 with *e when results cannot be
 * written; what was measured is kept in any case. */
int run_execute(struct run *r, struct err *e);

#endif
