#include "plan/plan.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More would take years; what asks for it is a slip. */
#define PLAN_TRIALS_MAX 1000000

static int plan_no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory making the plan");
}

/* GSL's Mersenne Twister takes 32 bits of seed, the recorded one has 64: all of them and the round
 * go through the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). A stream of its own
 * for each round keeps a round's order the same however many rounds there are. */
static unsigned long plan_round_seed(uint64_t seed, int round) {
    uint64_t z = seed + 0x9e3779b97f4a7c15u * ((uint64_t)round + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (unsigned long)(z & 0xffffffffu);
}

static void plan_set_target(struct plan_target *t, const char *name, const char *suffix,
                            const char *base, enum plan_role role) {
    *t = (struct plan_target){.role = role};
    snprintf(t->name, sizeof t->name, "%s%s", name, suffix);
    snprintf(t->base, sizeof t->base, "%s", base);
}

/* Each target by each load generator: they are what is compared then. */
static int plan_list_generators(struct plan *p, const struct config *c, struct err *e) {
    size_t n = c->targets.n * c->generators.n;
    if (!names_has(&c->generators, "wrk")) {
        return err_set(
            e, ERR_USAGE,
            "generators: wrk is missing; the others are held against it, and it warms up");
    }
    if (n > VALUES_LIST_MAX) {
        return err_set(e, ERR_USAGE,
                       "%zu targets by %zu load generators are more than %d; choose "
                       "fewer",
                       c->targets.n, c->generators.n, VALUES_LIST_MAX);
    }
    p->target = calloc(n, sizeof *p->target);
    if (!p->target) {
        return plan_no_memory(e);
    }
    for (size_t i = 0; i < n; i++) {
        struct plan_target *t = &p->target[p->target_count++];
        const char *name = c->targets.name[i / c->generators.n];
        const char *generator = c->generators.name[i % c->generators.n];
        char suffix[PLAN_NAME_SIZE];
        snprintf(suffix, sizeof suffix, "-by-%.48s", generator);
        if (strlen(name) + strlen(suffix) >= sizeof t->name) {
            return err_set(e, ERR_USAGE, "'%s%s' is too long a name; choose a shorter one", name,
                           suffix);
        }
        plan_set_target(t, name, suffix, name, PLAN_TARGET);
        snprintf(t->generator, sizeof t->generator, "%s", generator);
    }
    return 0;
}

static int plan_list_targets(struct plan *p, const struct config *c, struct err *e) {
    const struct target_config *control = config_control(c);
    if (c->generators.n > 0) {
        return plan_list_generators(p, c, e);
    }
    p->target = calloc(c->targets.n + 2, sizeof *p->target);
    if (!p->target) {
        return plan_no_memory(e);
    }
    for (size_t i = 0; i < c->targets.n; i++) {
        const char *name = c->targets.name[i];
        plan_set_target(&p->target[p->target_count++], name, "", name, PLAN_TARGET);
    }
    if (control) {
        plan_set_target(&p->target[p->target_count++], control->name, CONFIG_CONTROL_SUFFIX,
                        control->name, PLAN_CONTROL);
    }
    if (c->null_server && !names_has(&c->targets, CONFIG_NULL_TARGET)) {
        plan_set_target(&p->target[p->target_count++], CONFIG_NULL_TARGET, "", CONFIG_NULL_TARGET,
                        PLAN_NULL);
    }
    return 0;
}

static bool plan_serves(const struct config *c, const struct plan_target *t, const char *workload) {
    const struct target_config *found = config_target(c, t->base);
    return found && config_serves(found, workload);
}

/* The blocks of every round, in the order of the configuration. */
static int plan_list_blocks(struct plan *p, const struct config *c, struct err *e) {
    size_t cells = c->workloads.n * c->connections.n;
    if ((double)cells * (double)c->rounds * (double)p->target_count > PLAN_TRIALS_MAX) {
        return err_set(e, ERR_USAGE,
                       "%" PRId64 " rounds of %zu targets at %zu levels are more "
                       "than %d trials; choose fewer",
                       c->rounds, p->target_count, cells, PLAN_TRIALS_MAX);
    }
    p->rounds = (int)c->rounds;
    p->block = calloc(cells * (size_t)c->rounds + 1, sizeof *p->block);
    if (!p->block) {
        return plan_no_memory(e);
    }
    for (int round = 0; round < p->rounds; round++) {
        for (size_t i = 0; i < cells; i++) {
            const char *workload = c->workloads.name[i / c->connections.n];
            struct plan_block block = {.round = round};
            snprintf(block.workload, sizeof block.workload, "%s", workload);
            block.connections = (int)c->connections.value[i % c->connections.n];
            for (size_t t = 0; t < p->target_count; t++) {
                block.count += plan_serves(c, &p->target[t], workload);
            }
            p->trial_count += block.count;
            p->block[p->block_count] = block;
            p->block_count += block.count > 0;
        }
    }
    return p->trial_count > 0 ? 0
                              : err_set(e, ERR_USAGE,
                                        "no chosen target serves a chosen workload; "
                                        "nothing is left to measure");
}

/* Draws the order: blocks within their round, targets within their block. */
static void plan_draw(struct plan *p, const struct config *c, gsl_rng *rng) {
    size_t first = 0;
    size_t seq = 0;
    while (first < p->block_count) {
        int round = p->block[first].round;
        size_t end = first;
        while (end < p->block_count && p->block[end].round == round) {
            end++;
        }
        gsl_rng_set(rng, plan_round_seed(p->seed, round));
        gsl_ran_shuffle(rng, p->block + first, end - first, sizeof *p->block);
        for (size_t b = first; b < end; b++) {
            size_t order[VALUES_LIST_MAX + 2];
            size_t n = 0;
            for (size_t t = 0; t < p->target_count; t++) {
                if (plan_serves(c, &p->target[t], p->block[b].workload)) {
                    order[n++] = t;
                }
            }
            gsl_ran_shuffle(rng, order, n, sizeof *order);
            p->block[b].first = seq;
            for (size_t i = 0; i < n; i++, seq++) {
                p->trial[seq] = (struct plan_trial){(int64_t)seq, b, order[i]};
            }
        }
        first = end;
    }
}

int plan_make(struct plan *p, const struct config *c, struct err *e) {
    *p = (struct plan){.seed = c->seed};
    if (plan_list_targets(p, c, e) != 0 || plan_list_blocks(p, c, e) != 0) {
        plan_release(p);
        return -1;
    }
    p->trial = calloc(p->trial_count + 1, sizeof *p->trial);
    gsl_rng *rng = p->trial ? gsl_rng_alloc(gsl_rng_mt19937) : NULL;
    if (!rng) {
        plan_release(p);
        return plan_no_memory(e);
    }
    plan_draw(p, c, rng);
    gsl_rng_free(rng);
    return 0;
}

void plan_release(struct plan *p) {
    free(p->target);
    free(p->block);
    free(p->trial);
    *p = (struct plan){0};
}

int plan_max_connections(const struct plan *p) {
    int max = 0;
    for (size_t i = 0; i < p->block_count; i++) {
        max = p->block[i].connections > max ? p->block[i].connections : max;
    }
    return max;
}

int64_t plan_repeats_max(const struct plan *p, const struct config *c) {
    return ((int64_t)p->block_count * c->repeat_percent + 99) / 100;
}

int64_t plan_estimate_ns(const struct plan *p, const struct config *c) {
    int64_t window_ns = c->requests > 0 ? 0 : c->duration_ns;
    return (int64_t)p->trial_count * (c->warmup_ns + window_ns + PLAN_TRIAL_OVERHEAD_NS);
}
