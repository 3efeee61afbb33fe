#include "run/trial_keep.h"

#include "load/summary.h"

static void keep_sample(struct memory_sample *to, const struct proc_memory *from) {
    to->rss = from->rss;
    to->anon = from->anon;
    to->file = from->file;
    to->shmem = from->shmem;
    to->pss = from->pss;
}

void trial_keep_idle(struct trial_record *r, const struct proc_memory *m) {
    keep_sample(&r->memory.idle, m);
}

void trial_keep_load(struct trial_record *r, const struct load_outcome *o,
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
    r->load.silent = o->silent;
    r->load.threads = o->threads > 0 ? o->threads : r->load.threads;
    r->rate = (double)load_good(o) * 1e6 / (double)o->duration_us;
}

void trial_keep_latency(struct trial_record *r, const struct load_outcome *o) {
    load_summarise(&o->raw, &r->raw);
    load_summarise(&o->corrected, &r->corrected);
    if (o->told.max_us >= 0) {
        r->raw = o->told;
    }
    r->stall_us = load_stall_us(&o->raw, r->connections);
    r->active_ratio = o->active_ratio;
}

void trial_keep_environment(struct trial_record *r, const struct window_delta *d) {
    struct environment_result *env = &r->environment;
    env->steal_ratio = d->steal_ratio;
    env->foreign_cpus = d->foreign_cpus;
    env->foreign_error = d->foreign_error;
    env->runner_cpus = d->runner_cpus;
    env->database_cpus = d->database_cpus;
    env->throttled = d->throttled;
    env->listen_overflows = d->listen_overflows;
    env->listen_drops = d->listen_drops;
    env->retransmits = d->retransmits;
    env->time_wait = d->time_wait;
    env->conntrack = d->conntrack;
}

void trial_keep_window(struct trial_record *r, const struct window_delta *d) {
    struct server_result *s = &r->server;
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
    trial_keep_environment(r, d);
}

static void keep_series(struct memory_result *m, const struct sampler_result *seen) {
    m->series.n = 0;
    for (int i = 0; i < seen->series.n && i < MEMORY_SERIES_MAX; i++) {
        m->series.ms[i] = seen->series.ms[i];
        m->series.rss[i] = seen->series.rss[i];
        m->series.n++;
    }
}

void trial_keep_memory(struct trial_record *r, const struct sampler_result *seen,
                       const struct proc_memory *now) {
    struct memory_result *m = &r->memory;
    if (seen->samples > 0) {
        keep_sample(&m->loaded, &seen->loaded);
        m->loaded.socket = seen->socket_memory;
    }
    keep_series(m, seen);
    m->peak_pss = seen->peak_pss > m->idle.pss ? seen->peak_pss : m->idle.pss;
    r->server.processes = seen->processes > 0 ? seen->processes : UNKNOWN_INT;
    if (seen->processes > 1) {
        m->peak_rss = m->loaded.rss > m->idle.rss ? m->loaded.rss : m->idle.rss;
    } else if (now) {
        m->peak_rss = now->peak_rss;
    }
}
