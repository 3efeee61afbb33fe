/* plan.h — what is measured in which order, decided before anything is (method.md section 2).
 *
 * A block measures every target once, back to back, for one round, workload and number of
 * connections. Targets are shuffled within each block, blocks within each round, from the recorded
 * seed: the same configuration and seed give the same plan on any machine. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"

#define PLAN_NAME_SIZE 64

/* In the order of the trial record's roles. */
enum plan_role { PLAN_TARGET, PLAN_CONTROL, PLAN_NULL };

struct plan_target {
    char name[PLAN_NAME_SIZE];
    char base[PLAN_NAME_SIZE]; /* the target a control repeats; else the same as name */
    enum plan_role role;
    char generator[PLAN_NAME_SIZE]; /* the load generator; "" = wrk, as ever */
};

struct plan_trial {
    int64_t seq;   /* its own index in plan.trial */
    size_t block;  /* index in plan.block */
    size_t target; /* index in plan.target */
};

struct plan_block {
    int round; /* 0-based */
    char workload[PLAN_NAME_SIZE];
    int connections;
    size_t first, count; /* its trials: plan.trial[first .. first + count) */
};

/* Owns its arrays. */
struct plan {
    uint64_t seed;
    int rounds;
    size_t target_count, block_count, trial_count;
    struct plan_target *target; /* as chosen, then the control, then the null server */
    struct plan_block *block;   /* in the order they are run */
    struct plan_trial *trial;   /* in the order they are run */
};

/* Makes the plan of a checked configuration. Returns 0, or -1 with *e (ERR_USAGE when nothing is
 * left to measure, ERR_MACHINE out of memory); *p is empty then. */
int plan_make(struct plan *p, const struct config *c, struct err *e);

void plan_release(struct plan *p);

/* The most connections any block opens. */
int plan_max_connections(const struct plan *p);

/* Expected time of the whole run in ns: warm-up, window (none where requests are counted: how long
 * they take nobody knows) and a fixed overhead for each trial. */
int64_t plan_estimate_ns(const struct plan *p, const struct config *c);

/* How many blocks may be run again: the configured part of them, rounded up, so that a small run
 * has one. A block that is run again twice counts twice. */
int64_t plan_repeats_max(const struct plan *p, const struct config *c);

/* What the plan adds to warm-up and window of one trial when it estimates: start, ready, coming to
 * rest after the warm-up (run/settle.h: 20 ms, seldom more), stop, and the load generator's own
 * start and end. On a quiet machine 0.1 s for a server of ours and some 0.1 s more for a guest; on
 * a busy one up to 0.6 s. The middle is right for what runs are: 165 trials of the quick profile,
 * with the blocks that were measured again, took 294 s where this says 289. */
#define PLAN_TRIAL_OVERHEAD_NS 250000000LL

#endif
