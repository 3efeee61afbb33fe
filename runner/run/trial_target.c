#include "run/trial_target.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/trial_keep.h"

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

void trial_fail(struct trial *t, enum trial_failure why, const char *reason, const char *output) {
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

bool trial_target_gone(void *ctx) {
    const struct trial *t = ctx;
    return !t->ops->alive(t->target);
}

void trial_fail_gone(struct trial *t) {
    struct err why = {0};
    enum target_failure f = t->ops->stop(t->target, &why);
    trial_fail(t, trial_map_target(f == TARGET_OK ? TARGET_CRASHED : f),
               f == TARGET_OK ? "the target ended while it was measured" : why.text,
               t->ops->output(t->target));
}

void trial_find_pids(struct trial *t) {
    t->n_pids = t->ops->pids(t->target, t->pids, TRIAL_MAX_PIDS);
}

/* Its own account, for want of a better one. */
static bool trial_ask_self(const struct trial *t, struct target_self *out) {
    return t->n_pids == 0 && t->ops->self && t->ops->self(t->target, out);
}

static bool trial_by_stats(const struct trial *t) {
    return strcmp(t->record->server.source, "stats") == 0;
}

bool trial_start(struct trial *t, const struct target_spec *spec) {
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
    trial_find_pids(t);
    t->record->server.pid = t->n_pids > 0 ? (int64_t)t->pids[0] : UNKNOWN_INT;
    snprintf(t->record->server.source, sizeof t->record->server.source, "%s",
             t->n_pids > 0                 ? "proc"
             : trial_ask_self(t, &t->self) ? "stats"
                                           : "none");
    return true;
}

int trial_read_memory(const struct trial *t, struct proc_memory *out) {
    pid_t all[TRIAL_MAX_PIDS];
    size_t n = proc_trees(t->pids, t->n_pids, all, TRIAL_MAX_PIDS);
    return proc_memory_read(all, n, out);
}

void trial_read_idle(struct trial *t) {
    struct proc_memory m;
    if (trial_by_stats(t)) {
        t->record->memory.idle.rss = t->self.rss;
    } else if (trial_read_memory(t, &m) == 0) {
        trial_keep_idle(t->record, &m);
    }
}

void trial_look(struct trial *t) {
    t->generator_ns = 0;
    window_take(&t->before, t->pids, t->n_pids, t->target ? t->target->reaper : 0, &t->database);
}

void trial_see_between(struct trial *t, struct window_delta *d) {
    struct window after;
    if (t->target) {
        trial_find_pids(t);
    }
    window_take(&after, t->pids, t->n_pids, t->target ? t->target->reaper : 0, &t->database);
    window_between(&t->before, &after, t->generator_ns, sysconf(_SC_CLK_TCK), d);
}

void trial_keep_failed(struct trial *t) {
    struct window_delta d;
    if (!t->failed || t->measured || t->interrupted) {
        return;
    }
    const bool gone = !t->target || trial_target_gone(t);
    trial_see_between(t, &d);
    if (gone) {
        d.foreign_cpus = d.foreign_error = (double)NAN;
    }
    trial_keep_environment(t->record, &d);
}

void trial_begin_self(struct trial *t) {
    trial_ask_self(t, &t->self);
}

void trial_keep_self(struct trial *t, struct window_delta *d) {
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

void trial_stop(struct trial *t) {
    struct err e = {0};
    if (!t->target) {
        return;
    }
    enum target_failure f = t->ops->stop(t->target, &e);
    t->interrupted = t->interrupted || f == TARGET_INTERRUPTED;
    if (f != TARGET_OK && !t->interrupted) {
        trial_fail(t, trial_map_target(f), e.text, t->ops->output(t->target));
    }
    t->ops->free(t->target);
}

void trial_check_log(struct trial *t, bool builtin) {
    if (!t->logs || t->failed || t->interrupted) {
        return;
    }
    if (setup_log_size(t->setup) == 0) {
        trial_fail(t, FAIL_OTHER, "the access log is empty", "");
        return;
    }
    /* Ours write all they have when they end; a guest may keep some back. */
    const int64_t lines = builtin ? setup_log_lines(t->setup) : -1;
    if (lines >= 0 && lines < t->answered) {
        char why[160];
        snprintf(why, sizeof why,
                 "the access log has %" PRId64 " lines for %" PRId64
                 " replies; is there room in TMPDIR?",
                 lines, t->answered);
        trial_fail(t, FAIL_OTHER, why, "");
        t->record->rate = UNKNOWN_REAL;
    }
}
