/* synthetic.h — a run that never took place, in memory: trials whose figures are chosen by the
 * test, with a little seeded noise and a drift that all trials of a block share. */
#ifndef TESTS_SYNTHETIC_H
#define TESTS_SYNTHETIC_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cells.h"
#include "store/store.h"

#define SYNTHETIC_TARGETS 8

struct synthetic_target {
    const char *name, *base; /* base NULL: itself */
    enum target_role role;
    double cpu; /* µs per request; NaN: not measured */
    double rate, p50, p99, rss;
};

struct synthetic {
    struct synthetic_target target[SYNTHETIC_TARGETS]; /* ended by one without a name */
    int rounds, planned;                               /* planned 0: as many */
    const int *levels;
    int level_count;
    double noise;       /* of each figure, relative; 0.005 */
    int64_t samples;    /* latencies of a trial */
    const char *margin; /* option recorded in the manifest, or NULL */
    const char *baseline;
    struct store store;
    struct cells cells;
};

static inline double synthetic_noise(uint64_t *state, double size) {
    /* A sum of uniforms is near enough to a normal law, and the same everywhere. */
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) / 9007199254740992.0;
    }
    return exp(size * (sum - 6));
}

static inline json_t *synthetic_manifest(const struct synthetic *s) {
    json_t *targets = json_array();
    json_t *levels = json_array();
    for (const struct synthetic_target *t = s->target; t->name; t++) {
        json_array_append_new(targets, json_pack("{s:s, s:s, s:s, s:i}", "name", t->name, "base",
                                                 t->base ? t->base : t->name, "role",
                                                 record_role_name(t->role), "workers", 1));
    }
    for (int i = 0; i < s->level_count; i++) {
        json_array_append_new(levels, json_integer(s->levels[i]));
    }
    return json_pack("{s:s, s:{s:s*, s:s*}, s:{s:i, s:[s], s:o}, s:o, s:{s:s}}", "run_id", "test",
                     "options", "margin", s->margin, "baseline", s->baseline, "plan", "rounds",
                     s->planned ? s->planned : s->rounds, "workloads", "hello", "connections",
                     levels, "targets", targets, "generator", "name", "wrk");
}

static inline struct trial_record synthetic_record(const struct synthetic *s,
                                                   const struct synthetic_target *t, int round,
                                                   int connections, double drift, uint64_t *rng) {
    struct trial_record r;
    record_init(&r);
    r.round = round;
    r.role = t->role;
    r.connections = connections;
    r.status = TRIAL_OK;
    snprintf(r.target, sizeof r.target, "%s", t->name);
    snprintf(r.base, sizeof r.base, "%s", t->base ? t->base : t->name);
    snprintf(r.workload, sizeof r.workload, "hello");
    r.server.cpu_us_per_request = t->cpu * drift * synthetic_noise(rng, s->noise);
    r.server.cpus_used = 0.99;
    r.load.thread_busy = 0.7;
    r.load.requests = s->samples;
    r.rate = t->rate / drift * synthetic_noise(rng, s->noise);
    r.raw.samples = s->samples;
    r.raw.p50_us = (int64_t)(t->p50 * drift * synthetic_noise(rng, s->noise));
    r.raw.p99_us = (int64_t)(t->p99 * drift * synthetic_noise(rng, s->noise));
    r.memory.peak_rss = (int64_t)(t->rss * synthetic_noise(rng, s->noise / 10));
    return r;
}

/* Fills s->store; the test may change records before it builds cells. */
static inline void synthetic_make(struct synthetic *s) {
    uint64_t rng = 20260131;
    int targets = 0;
    while (s->target[targets].name) {
        targets++;
    }
    s->store = (struct store){.manifest = synthetic_manifest(s), .state = STORE_COMPLETE};
    snprintf(s->store.dir, sizeof s->store.dir, "results/test");
    s->store.records =
        calloc((size_t)(s->rounds * s->level_count * targets) * 3, sizeof *s->store.records);
    for (int round = 0; s->store.records && round < s->rounds; round++) {
        for (int l = 0; l < s->level_count; l++) {
            const double drift = synthetic_noise(&rng, 0.03);
            for (int t = 0; t < targets; t++) {
                struct trial_record *r = &s->store.records[s->store.count];
                *r = synthetic_record(s, &s->target[t], round, s->levels[l], drift, &rng);
                r->seq = (int64_t)s->store.count++;
                r->block = round * s->level_count + l;
            }
        }
    }
}

/* The record of the last attempt of a target's trial in a round. */
static inline struct trial_record *synthetic_at(struct synthetic *s, const char *target, int round,
                                                int connections) {
    struct trial_record *found = NULL;
    for (size_t i = 0; i < s->store.count; i++) {
        struct trial_record *r = &s->store.records[i];
        if (strcmp(r->target, target) == 0 && r->round == round && r->connections == connections &&
            (!found || r->attempt > found->attempt)) {
            found = r;
        }
    }
    return found;
}

/* The block again: copies of its last attempt as the next one, without flags. */
static inline void synthetic_repeat(struct synthetic *s, int round, int connections) {
    const size_t n = s->store.count;
    int last = 0;
    for (size_t i = 0; i < n; i++) {
        const struct trial_record *r = &s->store.records[i];
        if (r->round == round && r->connections == connections && r->attempt > last) {
            last = r->attempt;
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct trial_record *r = &s->store.records[i];
        if (r->round == round && r->connections == connections && r->attempt == last) {
            s->store.records[s->store.count] = *r;
            s->store.records[s->store.count].attempt = last + 1;
            s->store.records[s->store.count++].flags[0] = '\0';
        }
    }
}

static inline void synthetic_release(struct synthetic *s) {
    cells_release(&s->cells);
    json_decref(s->store.manifest);
    free(s->store.records);
}

#endif
