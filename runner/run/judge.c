#include "run/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quality.h"

struct signal {
    enum quality_id id;
    double value; /* in the unit of its check; NaN = unknown */
};

#define SIGNALS     14
#define SLICE_S     0.005 /* of CPU: one turn of one process */
#define STALL_TIMES 5     /* of the median latency */

static double judge_count(int64_t n) {
    return n < 0 ? NAN : (double)n;
}

/* Across the trial, or since its block began: the greater. The block's last trial bears the shift
 * of the whole block. */
static double judge_shift(const struct environment_result *env) {
    const double trial = (env->speed_after / env->speed_before - 1) * 100;
    const double block = (env->speed_after / env->speed_block - 1) * 100;
    return isnan(trial) || fabs(block) > fabs(trial) ? block : trial;
}

/* Part of the local ports that connections and those closed before them hold. */
static double judge_ports(const struct trial_record *r, int64_t local_ports) {
    const int64_t waiting = r->environment.time_wait;
    return local_ports > 0 && waiting >= 0
               ? 100 * (double)(r->connections + waiting) / (double)local_ports
               : NAN;
}

/* Part of the kernel's table of tracked connections that is taken; none of a table that is not
 * there. */
static double judge_conntrack(const struct trial_record *r, int64_t max) {
    const int64_t count = r->environment.conntrack;
    if (max <= 0) {
        return 0;
    }
    return count >= 0 ? 100 * (double)count / (double)max : NAN;
}

/* What others used at least, %: what ticks may have made of nothing is taken off. Unknown where it
 * is less than a time slice, of a window so short that its limit is: no machine is quieter. */
static double judge_foreign(const struct trial_record *r) {
    const struct environment_result *env = &r->environment;
    const double error = isnan(env->foreign_error) ? 0 : env->foreign_error;
    const double foreign = fmax(0, env->foreign_cpus - error);
    const double seconds = (double)r->load.duration_us / 1e6;
    const double limit = quality_check(QUALITY_FOREIGN_CPU)->invalid / 100;
    const bool is_short = seconds > 0 && limit * seconds < SLICE_S;
    return isnan(env->foreign_cpus) || (is_short && foreign * seconds < SLICE_S) ? NAN
                                                                                 : foreign * 100;
}

double judge_server_share(const struct trial_record *r, bool generator_alone) {
    /* A thread that shares its CPU keeps connections idle while the other one runs, too. */
    double busy = generator_alone ? fmin(r->load.thread_busy, 1) : 1;
    return isnan(r->load.thread_busy) ? NAN : 1 - busy / 2;
}

/* A wait of all connections, in ms, where it is far beyond the usual latency; a server that is just
 * slow does not stall. */
static double judge_stall(const struct trial_record *r) {
    if (r->stall_us < 0 || r->raw.p50_us < 0) {
        return NAN;
    }
    return r->stall_us > STALL_TIMES * r->raw.p50_us ? (double)r->stall_us / 1000 : 0;
}

/* Whether replies take so long that the window holds few of them a connection. */
static bool judge_is_slow(const struct trial_record *r) {
    return (double)r->load.duration_us / 2 <= (double)(STALL_TIMES * r->raw.p50_us);
}

/* %; the part of a reply that the window's end cut off is in no latency: where replies are few that
 * alone is much. */
static double judge_active(const struct trial_record *r, double share) {
    const bool known = r->raw.p50_us >= 0 && r->load.duration_us >= 0;
    return known && judge_is_slow(r) ? NAN : r->active_ratio / share * 100;
}

double judge_silent(const struct trial_record *r) {
    if (r->load.silent < 0 || r->raw.p50_us < 0 || r->load.duration_us < 0) {
        return NAN;
    }
    return judge_is_slow(r) ? 0 : (double)r->load.silent;
}

/* Whether the machine may have kept the server, or the load generator, from running: each of these
 * makes the trial invalid, so that a silence that proves nothing is never a sound trial's. */
static bool judge_was_kept(const struct trial_record *r) {
    return quality_judge(QUALITY_STEAL, r->environment.steal_ratio * 100) == QUALITY_INVALID ||
           quality_judge(QUALITY_FOREIGN_CPU, judge_foreign(r)) == QUALITY_INVALID ||
           r->environment.throttled > 0;
}

bool judge_hangs(const struct trial_record *r) {
    return 2 * judge_silent(r) > r->connections && r->environment.listen_overflows <= 0 &&
           !judge_was_kept(r);
}

/* Part of the requests that went wrong, %. A late reply is counted among the requests, a failed
 * connection is not. */
static double judge_errors(const struct load_result *l) {
    const int64_t beside[] = {l->errors_connect, l->errors_read, l->errors_write};
    double all = (double)l->requests;
    double wrong = 0;
    if (l->requests < 0 || l->errors_status < 0 || l->errors_timeout < 0) {
        return NAN;
    }
    wrong += (double)(l->errors_status + l->errors_timeout);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        if (beside[i] < 0) {
            return NAN;
        }
        all += (double)beside[i];
        wrong += (double)beside[i];
    }
    return all > 0 ? wrong / all * 100 : NAN;
}

/* By how much, %, all replies together are longer or shorter than as many of the checked ones.
 * Beside them wrk's bytes hold the part that came of one reply on each connection (of a pipeline,
 * of one each that was sent), and nothing less than whole replies. Not judged where some are
 * errors, which are another flag's, or broke off. */
static double judge_reply_size(const struct trial_record *r, const struct judge_facts *facts) {
    const struct load_result *l = &r->load;
    if (strcmp(l->generator, "wrk") != 0 || r->reply_bytes <= 0 || l->requests <= 0 ||
        l->bytes < 0 || facts->replies_close || l->errors_status != 0 || l->errors_connect != 0 ||
        l->errors_read != 0 || l->errors_write != 0) {
        return NAN;
    }
    const double whole = (double)l->requests * (double)r->reply_bytes;
    const double begun = (double)r->reply_bytes * r->connections * facts->depth;
    const double more = (double)l->bytes - whole;
    const double beyond = more < 0 ? -more : fmax(0, more - begun);
    return 100 * beyond / whole;
}

static void judge_signals(const struct trial_record *r, const struct judge_facts *facts,
                          struct signal out[SIGNALS]) {
    const struct environment_result *env = &r->environment;
    const double share = judge_server_share(r, facts->generator_alone);
    const struct signal signals[SIGNALS] = {
        {QUALITY_STEAL, env->steal_ratio * 100},
        {QUALITY_FOREIGN_CPU, judge_foreign(r)},
        {QUALITY_THROTTLED, judge_count(env->throttled)},
        {QUALITY_SPEED_SHIFT, judge_shift(env)},
        {QUALITY_LISTEN_OVERFLOWS, judge_count(env->listen_overflows)},
        {QUALITY_LISTEN_DROPS, judge_count(env->listen_drops)},
        {QUALITY_RETRANSMITS, judge_count(env->retransmits)},
        {QUALITY_ACTIVE_SHARE, judge_active(r, share)},
        {QUALITY_SILENT, judge_silent(r)},
        {QUALITY_REPLY_SIZE, judge_reply_size(r, facts)},
        {QUALITY_STALL, judge_stall(r)},
        {QUALITY_ERRORS, judge_errors(&r->load)},
        {QUALITY_CONNTRACK, judge_conntrack(r, facts->conntrack_max)},
        {QUALITY_PORTS, judge_ports(r, facts->local_ports)},
    };
    for (size_t i = 0; i < SIGNALS; i++) {
        out[i] = signals[i];
    }
}

/* That a signal could not be read is said where it could have made the trial invalid: its silence
 * is no proof of rest. A trial that failed was not measured to the end, and has none. */
static bool judge_is_said(const struct trial_record *r, enum quality_id id,
                          enum quality_level level) {
    return level == QUALITY_WARN || level == QUALITY_INVALID ||
           (level == QUALITY_UNKNOWN && r->status == TRIAL_OK &&
            !isnan(quality_check(id)->invalid));
}

static bool judge_is_invalid(const struct signal signals[SIGNALS]) {
    for (size_t i = 0; i < SIGNALS; i++) {
        if (quality_judge(signals[i].id, signals[i].value) == QUALITY_INVALID) {
            return true;
        }
    }
    return false;
}

bool judge_trial(struct trial_record *r, const struct judge_facts *facts) {
    struct signal signals[SIGNALS];
    size_t used = 0;
    judge_signals(r, facts, signals);
    const bool invalid = judge_is_invalid(signals);
    r->flags[0] = '\0';
    for (size_t i = 0; i < SIGNALS; i++) {
        enum quality_level level = quality_judge(signals[i].id, signals[i].value);
        /* Work of others on wrk's CPU leaves connections idle, too, and is told by its own flag. */
        if (!judge_is_said(r, signals[i].id, level) ||
            (invalid && signals[i].id == QUALITY_ACTIVE_SHARE)) {
            continue;
        }
        int n = snprintf(r->flags + used, sizeof r->flags - used, "%s%s-%s", used ? " " : "",
                         quality_check(signals[i].id)->name, quality_level_name(level));
        if (n < 0 || (size_t)n >= sizeof r->flags - used) {
            r->flags[used] = '\0';
            break;
        }
        used += (size_t)n;
    }
    return invalid;
}

bool judge_reason(const struct trial_record *r, const struct judge_facts *facts, char *out,
                  size_t size) {
    struct signal signals[SIGNALS];
    judge_signals(r, facts, signals);
    for (size_t i = 0; i < SIGNALS; i++) {
        if (quality_judge(signals[i].id, signals[i].value) == QUALITY_INVALID) {
            const struct quality_check *c = quality_check(signals[i].id);
            const bool percent = c->unit[0] == '%';
            snprintf(out, size, "%s %.*f%s", c->name, percent && signals[i].value < 10 ? 1 : 0,
                     signals[i].value, percent ? "%" : "");
            return true;
        }
    }
    snprintf(out, size, "%s", "");
    return false;
}
