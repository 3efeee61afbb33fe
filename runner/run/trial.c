#include "run/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/workload.h"
#include "load/summary.h"
#include "run/counted.h"
#include "run/replies.h"
#include "run/settle.h"
#include "sample/proc.h"
#include "sample/sampler.h"
#include "sample/window.h"

#define MAX_PIDS 512

/* The state of a trial while it runs. */
struct trial {
    const struct setup *setup;
    const struct workload *workload;
    struct trial_record *record;
    const struct target_ops *ops;
    const struct load_ops *generator; /* of the window */
    bool counted;                     /* the server is asked what it counted */
    struct target *target;
    pid_t pids[MAX_PIDS];
    size_t n_pids;
    bool logs; /* it is one of ours and writes an access log */
    struct replies replies;
    bool interrupted;
    bool failed;
    struct target_self self; /* before the window, of a target whose processes cannot be seen */
};

static enum trial_failure trial_map_target(enum target_failure f) {
    switch (f) {
    case TARGET_START:
        return FAIL_START;
    case TARGET_READY:
        return FAIL_READY;
    case TARGET_CRASHED:
        return FAIL_CRASHED;
    case TARGET_STOP:
        return FAIL_STOP;
    case TARGET_OK:
    case TARGET_INTERRUPTED:
        break;
    }
    return FAIL_OTHER;
}

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

/* The first failure of a trial is the one recorded. */
static void trial_fail(struct trial *t, enum trial_failure why, const char *reason,
                       const char *output) {
    struct trial_record *r = t->record;
    t->failed = true;
    if (r->status == TRIAL_FAILED) {
        return;
    }
    r->status = TRIAL_FAILED;
    r->failure = why;
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    size_t len = strlen(output);
    size_t skip = len >= sizeof r->output ? len - sizeof r->output + 1 : 0;
    snprintf(r->output, sizeof r->output, "%s", output + skip);
}

static bool trial_target_gone(void *ctx) {
    const struct trial *t = ctx;
    return !t->ops->alive(t->target);
}

static void trial_copy_memory(struct memory_sample *to, const struct proc_memory *from) {
    to->rss = from->rss;
    to->anon = from->anon;
    to->file = from->file;
    to->shmem = from->shmem;
    to->pss = from->pss;
}

/* Its own account, for want of a better one. */
static bool trial_ask_self(const struct trial *t, struct target_self *out) {
    return t->n_pids == 0 && t->ops->self && t->ops->self(t->target, out);
}

static bool trial_by_stats(const struct trial *t) {
    return strcmp(t->record->server.source, "stats") == 0;
}

static bool trial_start(struct trial *t, const struct target_spec *spec) {
    struct err e = {0};
    enum target_failure f = t->ops->start(t->setup->loop, spec, &t->target, &e);
    if (f == TARGET_OK) {
        f = t->ops->ready(t->target, &e);
    }
    if (f == TARGET_INTERRUPTED) {
        t->interrupted = true;
        return false;
    }
    if (f != TARGET_OK) {
        trial_fail(t, trial_map_target(f), e.text, t->target ? t->ops->output(t->target) : "");
        return false;
    }
    t->n_pids = t->ops->pids(t->target, t->pids, MAX_PIDS);
    t->record->server.pid = t->n_pids > 0 ? (int64_t)t->pids[0] : UNKNOWN_INT;
    snprintf(t->record->server.source, sizeof t->record->server.source, "%s",
             t->n_pids > 0                 ? "proc"
             : trial_ask_self(t, &t->self) ? "stats"
                                           : "none");
    return true;
}

/* Memory of the target with all its descendants. */
static int trial_read_memory(const struct trial *t, struct proc_memory *out) {
    pid_t all[MAX_PIDS];
    size_t n = proc_trees(t->pids, t->n_pids, all, MAX_PIDS);
    return proc_memory_read(all, n, out);
}

static void trial_read_idle(struct trial *t) {
    struct proc_memory m;
    if (trial_by_stats(t)) {
        t->record->memory.idle.rss = t->self.rss;
    } else if (trial_read_memory(t, &m) == 0) {
        trial_copy_memory(&t->record->memory.idle, &m);
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
    if (f == LOAD_INTERRUPTED) {
        t->interrupted = true;
        return false;
    }
    if (f == LOAD_OK) {
        return true;
    }
    if (trial_target_gone(t)) { /* then what the generator says is only a consequence */
        struct err why = {0};
        enum target_failure s = t->ops->stop(t->target, &why);
        trial_fail(t, trial_map_target(s == TARGET_OK ? TARGET_CRASHED : s),
                   s == TARGET_OK ? "the target ended while it was measured" : why.text,
                   t->ops->output(t->target));
        return false;
    }
    trial_fail(t, trial_map_load(f), e.text,
               out->output[0] ? out->output : t->ops->output(t->target));
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

static bool trial_warm_up(struct trial *t) {
    int64_t wanted = t->setup->config->warmup_ns;
    struct load_outcome out;
    if (wanted == 0) {
        t->record->warmup_us = 0;
        replies_ask(&t->replies);
        return trial_replies_right(t);
    }
    replies_pace(&t->replies);
    bool good = trial_load(t, LOAD_WARMUP, wanted, &out, NULL);
    /* Of a window whose requests the server counts, none is the runner's own. */
    replies_pace_by(&t->replies, good && !t->counted ? out.requests : 0, out.duration_us);
    t->record->warmup_us = out.duration_us;
    load_outcome_release(&out);
    if (good && settle_wait(t->setup->loop, t->pids, t->n_pids) == LOOP_INTERRUPTED) {
        t->interrupted = true;
        return false;
    }
    return good && trial_replies_right(t);
}

static void trial_keep_load(struct trial_record *r, const struct load_outcome *o,
                            const struct sampler_result *seen) {
    r->load.duration_us = o->duration_us;
    r->load.requests = o->requests;
    r->load.bytes = o->bytes;
    r->load.errors_connect = o->errors_connect;
    r->load.errors_read = o->errors_read;
    r->load.errors_write = o->errors_write;
    r->load.errors_timeout = o->errors_timeout;
    r->load.errors_status = o->errors_status;
    r->load.cpu_s = o->cpu_s;
    r->load.thread_busy = seen->thread_busy;
    r->load.latency_step_us = o->latency_step_us;
    r->load.threads = o->threads > 0 ? o->threads : r->load.threads;
    int64_t good = o->requests - (o->errors_status > 0 ? o->errors_status : 0);
    r->rate = (double)good * 1e6 / (double)o->duration_us;
}

/* What it used between two accounts of its own. */
static void trial_keep_self(struct trial *t, struct window_delta *d) {
    struct target_self now;
    if (!trial_by_stats(t) || !trial_ask_self(t, &now)) {
        return;
    }
    if (t->self.user_ns >= 0 && t->self.system_ns >= 0 && now.user_ns >= t->self.user_ns &&
        now.system_ns >= t->self.system_ns) {
        d->server.user_ns = now.user_ns - t->self.user_ns;
        d->server.system_ns = now.system_ns - t->self.system_ns;
        d->server.cpu_ns = d->server.user_ns + d->server.system_ns;
    }
    t->record->memory.loaded.rss = now.rss;
    t->record->memory.peak_rss = now.peak_rss;
}

static void trial_keep_window(struct trial_record *r, const struct window_delta *d) {
    struct server_result *s = &r->server;
    struct environment_result *env = &r->environment;
    s->cpu_ns = d->server.cpu_ns;
    s->user_ns = d->server.user_ns;
    s->system_ns = d->server.system_ns;
    s->switches_voluntary = d->server.voluntary;
    s->switches_involuntary = d->server.involuntary;
    if (s->cpu_ns >= 0) {
        /* Over the generator's own window: before and after it the server has nothing to do. */
        s->cpus_used = (double)s->cpu_ns / 1e3 / (double)r->load.duration_us;
        s->cpu_us_per_request = (double)s->cpu_ns / 1e3 / (double)r->load.requests;
    }
    env->steal_ratio = d->steal_ratio;
    env->foreign_cpus = d->foreign_cpus;
    env->foreign_error = d->foreign_error;
    env->runner_cpus = d->runner_cpus;
    env->throttled = d->throttled;
    env->listen_overflows = d->listen_overflows;
    env->listen_drops = d->listen_drops;
    env->retransmits = d->retransmits;
    env->time_wait = d->time_wait;
    env->conntrack = d->conntrack;
}

static void trial_keep_memory(struct trial *t, const struct sampler_result *seen) {
    struct memory_result *m = &t->record->memory;
    struct proc_memory now;
    if (seen->samples > 0) {
        trial_copy_memory(&m->loaded, &seen->loaded);
        m->loaded.socket = seen->socket_memory;
    }
    m->series.n = 0;
    for (int i = 0; i < seen->series.n && i < MEMORY_SERIES_MAX; i++) {
        m->series.ms[i] = seen->series.ms[i];
        m->series.rss[i] = seen->series.rss[i];
        m->series.n++;
    }
    m->peak_pss = seen->peak_pss > m->idle.pss ? seen->peak_pss : m->idle.pss;
    t->record->server.processes = seen->processes > 0 ? seen->processes : UNKNOWN_INT;
    if (seen->processes > 1) {
        m->peak_rss = m->loaded.rss > m->idle.rss ? m->loaded.rss : m->idle.rss;
    } else if (trial_read_memory(t, &now) == 0) {
        m->peak_rss = now.peak_rss;
    }
}

/* Replies that are all errors are no measurement of the workload, whatever they cost. */
static void trial_check_replies(struct trial *t) {
    const struct load_result *l = &t->record->load;
    char why[128];
    if (l->requests > 0 && l->errors_status == l->requests) {
        snprintf(why, sizeof why,
                 "every reply was an error: %" PRId64 " of %" PRId64 " had a status of 400 or more",
                 l->errors_status, l->requests);
        trial_fail(t, FAIL_OTHER, why, t->ops->output(t->target));
        t->record->rate = UNKNOWN_REAL;
    }
}

static void trial_measure(struct trial *t, struct hist *raw) {
    struct trial_record *r = t->record;
    struct load_outcome out;
    struct sampler_result seen = {0};
    struct window before;
    struct window after;
    struct window_delta delta;
    struct stats_counted before_counted;
    /* Workers may have forked since the start. */
    t->n_pids = t->ops->pids(t->target, t->pids, MAX_PIDS);
    trial_ask_self(t, &t->self);
    counted_begin(t->counted ? t->target : NULL, &before_counted);
    window_take(&before, t->pids, t->n_pids, t->target->reaper);
    if (trial_load(t, LOAD_WINDOW, t->setup->config->duration_ns, &out, &seen)) {
        /* Some may have daemonised meanwhile. */
        t->n_pids = t->ops->pids(t->target, t->pids, MAX_PIDS);
        window_take(&after, t->pids, t->n_pids, t->target->reaper);
        counted_end(t->target, &before_counted, &r->server);
        window_between(&before, &after, out.cpu_ns, sysconf(_SC_CLK_TCK), &delta);
        trial_keep_self(t, &delta);
        trial_keep_load(r, &out, &seen);
        trial_keep_window(r, &delta);
        trial_keep_memory(t, &seen);
        load_summarise(&out.raw, &r->raw);
        load_summarise(&out.corrected, &r->corrected);
        if (out.told.max_us >= 0) {
            r->raw = out.told; /* for want of a histogram */
        }
        r->stall_us = load_stall_us(&out.raw, r->connections);
        r->active_ratio = out.active_ratio;
        *raw = out.raw;
        out.raw = (struct hist){0};
        trial_check_replies(t);
        replies_ask(&t->replies);
        if (!trial_replies_right(t)) {
            r->rate = UNKNOWN_REAL;
        }
    } else if (out.duration_us > 0 && out.requests >= 0) {
        trial_keep_load(r, &out, &seen); /* a failure's figures, where there are any */
        r->rate = UNKNOWN_REAL;
    }
    load_outcome_release(&out);
}

static void trial_stop(struct trial *t) {
    struct err e = {0};
    if (!t->target) {
        return;
    }
    enum target_failure f = t->ops->stop(t->target, &e);
    if (f != TARGET_OK && !t->interrupted) {
        trial_fail(t, trial_map_target(f), e.text, t->ops->output(t->target));
    }
    t->ops->free(t->target);
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
    if (trial_start(&t, &spec)) {
        trial_read_idle(&t);
        if (s->config->verify) {
            replies_start(&t.replies, s->loop, t.target, t.workload, target->builtin);
        }
        if (trial_warm_up(&t)) {
            trial_measure(&t, raw);
        }
    }
    r->replies_checked = replies_stop(&t.replies);
    trial_stop(&t);
    /* Told to log and silent, it was measured without what it was to do. */
    if (t.logs && !t.failed && !t.interrupted && setup_log_size(s) == 0) {
        trial_fail(&t, FAIL_OTHER, "the access log is empty", "");
    }
    setup_free_command(command);
    r->wall_s = (double)(clock_mono_ns() - begun) / 1e9;
    if (t.interrupted) {
        hist_release(raw);
        e->class = ERR_NONE;
        return -1;
    }
    return 0;
}
