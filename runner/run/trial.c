#include "run/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/workload.h"
#include "run/counted.h"
#include "run/judge.h"
#include "run/settle.h"
#include "run/trial_keep.h"
#include "run/trial_target.h"
#include "sample/sampler.h"
#include "sample/window.h"

#define SLOW_BACKLOG_NS    INT64_C(1000000000)
#define UNKNOWN_BACKLOG_NS INT64_C(10000000000) /* after a warm-up without a reply */

static enum trial_failure trial_map_load(enum load_failure f) {
    switch (f) {
    case LOAD_REFUSED:
        return FAIL_REFUSED;
    case LOAD_HUNG:
        return FAIL_HUNG;
    case LOAD_TIMEOUT:
        return FAIL_TIMEOUT;
    case LOAD_STOPPED:
        return FAIL_CRASHED;
    default:
        return FAIL_GENERATOR;
    }
}

/* Runs the load generator once. Returns true when it measured something usable; *out is to be
 * released in any case. */
static bool trial_load(struct trial *t, enum load_phase phase, int64_t duration_ns,
                       struct load_outcome *out, struct sampler_result *seen) {
    const struct config *c = t->setup->config;
    const struct load_ops *g = phase == LOAD_WINDOW ? t->generator : t->setup->generator;
    struct err e = {0};
    struct load_spec spec = {
        .program = g == t->setup->generator ? c->wrk : NULL,
        .host = t->target->host,
        .port = t->target->port,
        .request =
            {
                .method = t->workload->method,
                .path = t->workload->path,
                .headers = t->workload->headers,
                .body = t->workload->body,
                .body_len = t->workload->body_len,
            },
        .connections = t->record->connections,
        .threads = (int)c->threads,
        .phase = phase,
        .mode = config_mode(c),
        .duration_ns = duration_ns,
        .timeout_ns = c->timeout_ns,
        .margin_ns = c->trial_margin_ns,
        .cpus = &t->setup->cpus.generator,
    };
    struct load *load = NULL;
    load_outcome_init(out);
    enum load_failure f = g->start(t->setup->loop, &spec, &load, &e);
    if (f == LOAD_OK) {
        struct sampler *sampler = NULL;
        if (seen) {
            sampler = sampler_start(t->setup->loop, t->pids, t->n_pids, g->pid(load), &e);
        }
        f = g->finish(load, trial_target_gone, t, out, &e);
        if (seen) {
            sampler_stop(sampler, seen); /* also of none: then what it would have seen is unknown */
        }
    }
    g->free(load);
    if (load) { /* else none ran */
        t->generator_ns = out->cpu_ns < 0 ? -1 : t->generator_ns + out->cpu_ns;
    }
    if (f == LOAD_INTERRUPTED) {
        t->interrupted = true;
        return false;
    }
    if (f == LOAD_OK) {
        t->answered += out->requests > 0 ? out->requests : 0;
        return true;
    }
    if (trial_target_gone(t)) { /* then what the generator says is only a consequence */
        trial_fail_gone(t);
        return false;
    }
    trial_fail(t, trial_map_load(f), e.text,
               out->output[0] ? out->output : t->ops->output(t->target));
    return false;
}

/* Asks while nothing is measured; a target that holds the connection and sends no reply hangs. */
static void trial_ask(struct trial *t, int64_t backlog_ns, const char *when) {
    int64_t waited = 0;
    char why[160];
    if (replies_ask(&t->replies, backlog_ns, &waited)) {
        return;
    }
    if (trial_target_gone(t)) {
        trial_fail_gone(t);
        return;
    }
    const int64_t checked = replies_checked(&t->replies);
    snprintf(why, sizeof why,
             "no reply in %.1f s to a request of the runner's own %s; %" PRId64
             " replies came before",
             (double)waited / 1e9, when, t->answered + (checked > 0 ? checked : 0));
    trial_fail(t, FAIL_HUNG, why, t->ops->output(t->target));
}

/* A connection that hangs is flagged; where most of them do, nobody measured that many. */
static bool trial_connections_answered(struct trial *t) {
    const struct trial_record *r = t->record;
    char why[160];
    if (!judge_hangs(r)) {
        return true;
    }
    snprintf(why, sizeof why,
             "%.0f of %d connections received nothing in the last half of the window; %" PRId64
             " replies came before",
             judge_silent(r), r->connections, r->load.requests);
    trial_fail(t, FAIL_HUNG, why, t->ops->output(t->target));
    return false;
}

/* Fails the trial when a reply that the runner looked at is wrong. */
static bool trial_replies_right(struct trial *t) {
    const char *wrong = replies_wrong(&t->replies);
    if (wrong) {
        trial_fail(t, FAIL_CONTENT, wrong, t->ops->output(t->target));
    }
    return !wrong;
}

/* Waits until the target has answered what the warm-up left, however slow it is; backlog_ns is what
 * that takes at half of the warm-up's pace. One that sleeps over its replies looks at rest all the
 * while, so where it is slow a request of the runner's own comes after them. False: no window. */
static bool trial_settle(struct trial *t, int64_t backlog_ns) {
    const int64_t max_ns = backlog_ns > SETTLE_MAX_NS ? backlog_ns : SETTLE_MAX_NS;
    if (settle_wait(t->setup->loop, t->pids, t->n_pids, max_ns) == LOOP_INTERRUPTED) {
        t->interrupted = true;
        return false;
    }
    if (backlog_ns > SLOW_BACKLOG_NS) {
        trial_ask(t, backlog_ns, "before the window");
    }
    return !t->failed;
}

static bool trial_warm_up(struct trial *t) {
    int64_t wanted = t->setup->config->warmup_ns;
    struct load_outcome out;
    if (wanted == 0) {
        t->record->warmup_us = 0;
        trial_ask(t, 0, "before the window");
        return trial_replies_right(t) && !t->failed;
    }
    replies_pace(&t->replies);
    bool good = trial_load(t, LOAD_WARMUP, wanted, &out, NULL);
    const struct load_result paced = {.requests = good ? out.requests : 0,
                                      .duration_us = out.duration_us};
    t->record->warmup_us = out.duration_us;
    load_outcome_release(&out);
    replies_pace_by(&t->replies, 0, 0);
    const int64_t backlog_ns = paced.requests > 0
                                   ? replies_backlog_ns(&paced, t->record->connections)
                                   : UNKNOWN_BACKLOG_NS;
    good = good && trial_settle(t, backlog_ns);
    /* Of a window whose requests the server counts, none is the runner's own. */
    replies_pace_by(&t->replies, t->counted ? 0 : paced.requests, paced.duration_us);
    return good && trial_replies_right(t);
}

/* Replies that are all errors are no measurement of the workload, whatever they cost. */
static void trial_check_replies(struct trial *t) {
    const struct load_result *l = &t->record->load;
    char why[160];
    if (l->requests > 0 && !(t->record->rate > 0)) {
        const int64_t late = l->errors_timeout > 0 ? l->errors_timeout : 0;
        snprintf(why, sizeof why,
                 "every reply was an error: %" PRId64 " of %" PRId64
                 " had a status of 400 or more, %" PRId64 " came later than the timeout",
                 l->errors_status, l->requests, late);
        trial_fail(t, FAIL_OTHER, why, t->ops->output(t->target));
        t->record->rate = UNKNOWN_REAL;
    }
}

static void trial_measure(struct trial *t, struct hist *raw) {
    struct trial_record *r = t->record;
    struct load_outcome out;
    struct sampler_result seen = {0};
    struct window_delta delta;
    struct proc_memory now;
    struct stats_counted before_counted;
    trial_find_pids(t);
    trial_begin_self(t);
    counted_begin(t->counted ? t->target : NULL, &before_counted);
    trial_look(t);
    if (trial_load(t, LOAD_WINDOW, t->setup->config->duration_ns, &out, &seen)) {
        trial_see_between(t, &delta);
        counted_end(t->target, &before_counted, &r->server);
        t->measured = true;
        trial_keep_self(t, &delta);
        trial_keep_load(r, &out, &seen);
        trial_keep_window(r, &delta);
        /* The peak of several processes is none of the kernel's. */
        const bool one = seen.processes <= 1 && trial_read_memory(t, &now) == 0;
        trial_keep_memory(r, &seen, one ? &now : NULL);
        trial_keep_latency(r, &out);
        *raw = out.raw;
        out.raw = (struct hist){0};
        trial_check_replies(t);
        if (trial_connections_answered(t)) {
            trial_ask(t, replies_backlog_ns(&r->load, r->connections), "after the window");
        }
        r->reply_bytes = replies_bytes(&t->replies);
        if (!trial_replies_right(t) || t->failed) {
            r->rate = UNKNOWN_REAL;
        }
    } else if (out.duration_us > 0 && out.requests >= 0) {
        trial_keep_load(r, &out, &seen); /* a failure's figures, where there are any */
        r->rate = UNKNOWN_REAL;
    }
    load_outcome_release(&out);
}

int trial_execute(const struct setup *s, const struct target_config *target, struct trial_record *r,
                  struct hist *raw, struct err *e) {
    struct trial t = {.setup = s, .record = r, .ops = setup_launcher(target)};
    struct target_spec spec;
    char **command = NULL;
    int64_t begun = clock_mono_ns();
    t.workload = setup_workload(target, r->workload, e);
    t.logs = (target->builtin || target->guest) && r->role != ROLE_NULL && s->log_fd >= 0;
    setup_clear_log(s);
    config_mode_text(s->config, r->mode, sizeof r->mode);
    if (!t.workload) {
        return -1;
    }
    t.generator = setup_load(s, r->load.generator);
    t.counted = s->config->generators.n > 0 && target->builtin;
    if (!t.generator) {
        return err_set(e, ERR_USAGE, "no load generator '%s'", r->load.generator);
    }
    if (setup_target(s, target, &spec, &command, e) != 0) {
        return -1;
    }
    clock_iso(r->started);
    r->status = TRIAL_OK;
    r->load.threads = (int)s->config->threads;
    snprintf(r->load.generator, sizeof r->load.generator, "%s", t.generator->name);
    /* Once, and here: it connects, and waits for an answer up to 2 s. */
    database_find(s->config->db, "/proc", &t.database);
    trial_look(&t);
    if (trial_start(&t, &spec)) {
        trial_read_idle(&t);
        trial_look(&t);
        if (s->config->verify) {
            replies_start(&t.replies, s->loop, t.target, t.workload, target->builtin);
        }
        if (trial_warm_up(&t)) {
            trial_measure(&t, raw);
        }
    }
    trial_keep_failed(&t);
    r->replies_checked = replies_checked(&t.replies);
    replies_stop(&t.replies);
    trial_stop(&t);
    trial_check_log(&t, target->builtin);
    setup_free_command(command);
    r->wall_s = (double)(clock_mono_ns() - begun) / 1e9;
    if (t.interrupted) {
        hist_release(raw);
        e->class = ERR_NONE;
        return -1;
    }
    return 0;
}
