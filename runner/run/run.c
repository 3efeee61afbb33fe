#include "run/run.h"

#include <stdio.h>
#include <string.h>

#include "run/judge.h"
#include "run/trial.h"
#include "sample/speed.h"

#define MAX_ATTEMPTS 3 /* the first and two more (method.md section 5) */

static void run_name_trial(const struct run *r, const struct plan_trial *t, int attempt,
                           struct trial_record *out) {
    const struct plan_block *b = &r->plan->block[t->block];
    const struct plan_target *target = &r->plan->target[t->target];
    static const enum target_role roles[] = {
        [PLAN_TARGET] = ROLE_TARGET, [PLAN_CONTROL] = ROLE_CONTROL, [PLAN_NULL] = ROLE_NULL};
    record_init(out);
    out->seq = t->seq;
    out->attempt = attempt;
    out->round = b->round;
    out->block = (int)t->block;
    out->role = roles[target->role];
    out->connections = b->connections;
    snprintf(out->load.generator, sizeof out->load.generator, "%.*s",
             (int)sizeof out->load.generator - 1, target->generator);
    snprintf(out->target, sizeof out->target, "%s", target->name);
    snprintf(out->base, sizeof out->base, "%s", target->base);
    snprintf(out->workload, sizeof out->workload, "%s", b->workload);
}

/* What spoilt a block: the first trial whose signals ask for another attempt. And how fast the
 * machine was when the attempt began. */
struct spoilt {
    bool is;
    double speed; /* 0 = not begun */
    char target[RECORD_NAME_SIZE];
    char why[JUDGE_REASON_MAX];
};

static void run_note_spoilt(struct spoilt *s, const struct trial_record *r,
                            const struct judge_facts *facts) {
    if (!s->is) {
        s->is = true;
        snprintf(s->target, sizeof s->target, "%s", r->target);
        judge_reason(r, facts, s->why, sizeof s->why);
    }
}

/* One trial from start to disk. Returns 0, or -1 to end the run. */
static int run_trial(struct run *r, const struct plan_trial *t, int attempt, struct spoilt *spoilt,
                     struct err *e) {
    const struct plan_block *b = &r->plan->block[t->block];
    const struct plan_target *target = &r->plan->target[t->target];
    struct trial_record record;
    struct hist raw = {0};
    run_name_trial(r, t, attempt, &record);
    if (r->events.trial_start) {
        r->events.trial_start(r->events.ctx, t->seq + 1, b, target, attempt);
    }
    int rc =
        trial_execute(&r->setup, config_target(r->setup.config, target->base), &record, &raw, e);
    if (rc != 0) {
        r->interrupted = e->class == ERR_NONE;
        return -1;
    }
    spoilt->speed = spoilt->speed > 0 ? spoilt->speed : r->speed;
    record.environment.speed_block = spoilt->speed;
    record.environment.speed_before = r->speed;
    r->speed = speed_measure(&r->setup.cpus.server);
    record.environment.speed_after = r->speed;
    if (judge_trial(&record, &r->setup.facts)) {
        run_note_spoilt(spoilt, &record, &r->setup.facts);
    }
    rc = writer_append(r->writer, &record, &raw, e);
    hist_release(&raw);
    if (rc != 0) {
        return -1;
    }
    r->measured++;
    r->again += attempt > 0;
    r->failed += record.status == TRIAL_FAILED;
    if (r->events.trial_end) {
        r->events.trial_end(r->events.ctx, &record);
    }
    return 0;
}

/* What a resumed run already holds of this block: the attempt its unfinished part belongs to, and
 * whether a trial measured in that attempt asks for another. */
static int run_attempt_so_far(const struct run *r, const struct plan_block *b,
                              struct spoilt *spoilt) {
    const struct store *before = writer_before(r->writer);
    int attempt = 0;
    *spoilt = (struct spoilt){0};
    for (size_t i = 0; before && i < before->count; i++) {
        const struct trial_record *t = &before->records[i];
        if (t->seq < (int64_t)b->first || t->seq >= (int64_t)(b->first + b->count)) {
            continue;
        }
        if (t->attempt > attempt) {
            attempt = t->attempt;
            *spoilt = (struct spoilt){0};
        }
        spoilt->speed = t->environment.speed_block; /* NaN, of an older version, is none */
        if (t->attempt == attempt && strstr(t->flags, "-invalid")) {
            run_note_spoilt(spoilt, t, &r->setup.facts);
        }
    }
    return attempt;
}

static bool run_has(const struct run *r, int64_t seq, int attempt) {
    const struct store *before = writer_before(r->writer);
    const struct trial_record *last = before ? store_last(before, seq) : NULL;
    return last && last->attempt >= attempt;
}

/* Whether the spoilt block just measured is measured again. */
static bool run_again(struct run *r, const struct plan_block *b, const struct spoilt *spoilt,
                      int attempt) {
    if (!spoilt->is || r->repeats_max == 0 || attempt + 1 >= MAX_ATTEMPTS) {
        return false;
    }
    if (r->repeats >= r->repeats_max) {
        if (!r->spent && r->events.repeats_spent) {
            r->events.repeats_spent(r->events.ctx, r->repeats);
        }
        r->spent = true;
        return false;
    }
    r->repeats++;
    if (r->events.block_again) {
        r->events.block_again(r->events.ctx, b, spoilt->target, spoilt->why);
    }
    return true;
}

/* All targets of a block, back to back; again, whole, while the machine spoilt it. */
static int run_block(struct run *r, const struct plan_block *b, struct err *e) {
    struct spoilt spoilt;
    int attempt = run_attempt_so_far(r, b, &spoilt);
    for (;; attempt++, spoilt = (struct spoilt){0}) {
        for (size_t i = 0; i < b->count; i++) {
            const struct plan_trial *t = &r->plan->trial[b->first + i];
            if (run_has(r, t->seq, attempt)) {
                r->skipped += attempt == 0;
                continue;
            }
            int rc = r->setup.loop->interrupted ? -1 : run_trial(r, t, attempt, &spoilt, e);
            if (rc < 0) {
                r->interrupted = r->interrupted || r->setup.loop->interrupted;
                return -1;
            }
        }
        if (!run_again(r, b, &spoilt, attempt)) {
            return 0;
        }
    }
}

/* Blocks that a resumed run has run again already: every attempt after the first, even one that was
 * cut off, has had its share of the time. */
static int64_t run_repeats_so_far(const struct run *r) {
    int64_t n = 0;
    for (size_t i = 0; writer_before(r->writer) && i < r->plan->block_count; i++) {
        struct spoilt ignored;
        n += run_attempt_so_far(r, &r->plan->block[i], &ignored);
    }
    return n;
}

int run_execute(struct run *r, struct err *e) {
    r->repeats = run_repeats_so_far(r);
    r->speed = speed_measure(&r->setup.cpus.server);
    for (size_t i = 0; i < r->plan->block_count; i++) {
        if (run_block(r, &r->plan->block[i], e) != 0) {
            enum store_state state = STORE_INTERRUPTED;
            struct err ignored = {0};
            writer_end(r->writer, state, &ignored);
            return r->interrupted ? 0 : -1;
        }
    }
    return writer_end(r->writer, STORE_COMPLETE, e);
}
