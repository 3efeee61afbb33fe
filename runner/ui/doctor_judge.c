/* Judging the machine: every threshold, reason and remedy stands in base/quality.h. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "base/machine_rules.h"
#include "base/quality.h"
#include "load/wrk_version.h"
#include "report/calibration.h"
#include "stats/slices.h"
#include "ui/doctor.h"

#define UNKNOWN ((double)NAN)

static void doctor_add(struct doctor_report *report, const char *name, enum doctor_state state,
                       const char *why, const char *fix, const char *value, ...)
    __attribute__((format(printf, 6, 7)));
static void doctor_quality(struct doctor_report *report, enum quality_id id, double measured,
                           const char *value, ...) __attribute__((format(printf, 4, 5)));

static void doctor_vadd(struct doctor_report *report, const char *name, enum doctor_state state,
                        const char *why, const char *fix, const char *value, va_list ap)
    __attribute__((format(printf, 6, 0)));

static void doctor_vadd(struct doctor_report *report, const char *name, enum doctor_state state,
                        const char *why, const char *fix, const char *value, va_list ap) {
    if (report->n == DOCTOR_MAX_CHECKS) {
        return;
    }
    struct doctor_check *c = &report->checks[report->n++];
    snprintf(c->name, sizeof c->name, "%s", name);
    vsnprintf(c->value, sizeof c->value, value, ap);
    c->state = state;
    snprintf(c->why, sizeof c->why, "%s", why);
    snprintf(c->fix, sizeof c->fix, "%s", state == DOCTOR_WARN || state == DOCTOR_BAD ? fix : "");
}

static void doctor_add(struct doctor_report *report, const char *name, enum doctor_state state,
                       const char *why, const char *fix, const char *value, ...) {
    va_list ap;
    va_start(ap, value);
    doctor_vadd(report, name, state, why, fix, value, ap);
    va_end(ap);
}

static enum doctor_state state_of(enum quality_id id, double measured) {
    static const enum doctor_state states[] = {
        [QUALITY_OK] = DOCTOR_OK,
        [QUALITY_WARN] = DOCTOR_WARN,
        [QUALITY_INVALID] = DOCTOR_BAD,
        [QUALITY_UNKNOWN] = DOCTOR_UNKNOWN,
    };
    return states[quality_judge(id, measured)];
}

/* A check of the quality table; NaN is unknown whatever the text says. */
static void doctor_quality(struct doctor_report *report, enum quality_id id, double measured,
                           const char *value, ...) {
    const struct quality_check *q = quality_check(id);
    enum doctor_state state = state_of(id, measured);
    va_list ap;
    va_start(ap, value);
    if (state == DOCTOR_UNKNOWN) {
        char why[sizeof report->checks[0].why];
        snprintf(why, sizeof why, "cannot be told; if bad: %s", q->why);
        doctor_add(report, q->name, state, why, q->fix, "unknown");
    } else {
        doctor_vadd(report, q->name, state, q->why, q->fix, value, ap);
    }
    va_end(ap);
}

/* ---- facts that a report judges, too, from a manifest: machine_rules.h */

static double doctor_known(int64_t n) {
    return n < 0 ? UNKNOWN : (double)n;
}

static void doctor_facts(const struct doctor_options *o, const struct machine *m,
                         const struct doctor_watch *w, struct machine_facts *f) {
    const struct cpusplit *split = &w->split;
    machine_facts_init(f);
    f->connections = o->max_connections;
    f->backlog = (double)o->backlog;
    f->somaxconn = doctor_known(m->limits.somaxconn);
    f->syn_backlog = doctor_known(m->limits.tcp_max_syn_backlog);
    f->load1 = m->load1;
    f->cpus = (double)(m->cpu.threads > 0 ? m->cpu.threads : m->cpu.allowed_count);
    f->quota = m->cgroup.cpu_quota;
    if (w->split_known) {
        cpu_set_t both;
        CPU_OR(&both, &split->server, &split->generator);
        f->used = CPU_COUNT(&both);
        f->disjoint = split->disjoint;
        f->shares_core = w->cores_known ? split->shares_core : UNKNOWN;
        f->cpus_short = split->server_short || split->generator_short;
    }
    f->boost = doctor_known(m->cpu.boost);
    f->aslr = doctor_known(m->kernel.aslr);
    f->governor = m->cpu.governor;
    f->thp = m->memory.thp;
    f->clocksource = m->kernel.clocksource;
}

/* ---- what was watched */

static void judge_watch(const struct doctor_watch *w, struct doctor_report *report) {
    double steal = w->steal_ratio * 100;
    double foreign = w->foreign_cpus * 100;
    double spread = w->speed_spread * 100;
    doctor_quality(report, QUALITY_STEAL, steal, "%.1f%% over %.1f s", steal, w->window_s);
    doctor_quality(report, QUALITY_FOREIGN_CPU, foreign, "%.1f%% of a CPU over %.1f s", foreign,
                   w->window_s);
    doctor_quality(report, QUALITY_SPEED_SHIFT, spread, "%.1f%% between spins", spread);
    doctor_quality(report, QUALITY_THROTTLED, w->throttled < 0 ? UNKNOWN : (double)w->throttled,
                   "%" PRId64 " times over %.1f s", w->throttled, w->window_s);
}

/* What so many rounds would show, in percent; NaN where the spread is unknown. */
static double shown_percent(const struct yuen *spread, size_t rounds) {
    const double alpha = verdict_alpha(CALIBRATION_MANY);
    return 100 * expm1(yuen_smallest_shown(spread, rounds, alpha, CALIBRATION_POWER));
}

/* What the spread of the exchanges would let a run see, and how many rounds make up for it. */
static void judge_steadiness(const struct doctor_watch *w, struct doctor_report *report) {
    static const size_t more[] = {17, 31}; /* those of the profiles above quick */
    const struct quality_check *q = quality_check(QUALITY_STEADINESS);
    double work[DOCTOR_SLICES];
    char fix[sizeof report->checks->fix];
    const struct yuen spread = slices_spread(w->exchange_us, DOCTOR_SLICES, work);
    const double shown = shown_percent(&spread, 11);
    size_t rounds = 0;
    if (isnan(shown)) {
        doctor_quality(report, QUALITY_STEADINESS, shown, "unknown");
        return;
    }
    for (size_t i = 0; rounds == 0 && i < sizeof more / sizeof more[0]; i++) {
        rounds = shown_percent(&spread, more[i]) <= q->warn ? more[i] : 0;
    }
    if (rounds > 0) {
        snprintf(fix, sizeof fix, "%s; or about %zu rounds would show %.0f%%", q->fix, rounds,
                 q->warn);
    } else {
        snprintf(fix, sizeof fix, "%s: not even 31 rounds would show %.0f%%", q->fix, q->warn);
    }
    doctor_add(report, q->name, state_of(QUALITY_STEADINESS, shown), q->why, fix,
               "about %.0f%% with 11 rounds", fmax(1, shown));
}

static void judge_cpus(const struct doctor_watch *w, const struct machine_facts *f,
                       struct doctor_report *report) {
    char server[32];
    char generator[32];
    const struct cpusplit *split = &w->split;
    cpus_format(&split->server, server, sizeof server);
    cpus_format(&split->generator, generator, sizeof generator);
    doctor_quality(report, QUALITY_PINNING, machine_rule(QUALITY_PINNING, f),
                   "server %s, generator %s", server, generator);
    doctor_quality(report, QUALITY_SMT, machine_rule(QUALITY_SMT, f), "%s",
                   split->shares_core ? "one core on both sides" : "no core on both sides");
    if (f->cpus_short > 0) { /* no row where all is well */
        doctor_quality(report, QUALITY_CPUS, machine_rule(QUALITY_CPUS, f), "%s",
                       split->server_short ? "fewer than server workers"
                                           : "fewer than generator threads");
    }
}

/* ---- limits */

/* No row where the kernel tracks nothing, as most do without a firewall or containers. */
static void judge_conntrack(int64_t count, int64_t max, struct doctor_report *report) {
    if (max <= 0) {
        return;
    }
    const double share = count < 0 ? UNKNOWN : 100.0 * (double)count / (double)max;
    doctor_quality(report, QUALITY_CONNTRACK, share, "%.0f%% of %" PRId64 " (%" PRId64 " tracked)",
                   share, max, count);
}

static void judge_limits(const struct doctor_options *o, const struct machine *m,
                         const struct doctor_watch *w, const struct machine_facts *f,
                         struct doctor_report *report) {
    const struct machine_limits *l = &m->limits;
    int c = o->max_connections;
    double needed = quality_files_needed((size_t)(c > 0 ? c : 0));
    double files = l->nofile_hard < 0                    ? UNKNOWN
                   : l->nofile_hard == MACHINE_UNLIMITED ? (double)INFINITY
                                                         : (double)l->nofile_hard - needed;
    if (l->nofile_hard == MACHINE_UNLIMITED) {
        doctor_quality(report, QUALITY_FILES, files, "no limit, %.0f needed", needed);
    } else {
        doctor_quality(report, QUALITY_FILES, files, "%" PRId64 ", %.0f needed", l->nofile_hard,
                       needed);
    }
    doctor_quality(report, QUALITY_BACKLOG, machine_rule(QUALITY_BACKLOG, f),
                   "%.0f for %d connections", machine_queue(f), c);
    double ports = UNKNOWN;
    int64_t range = l->port_last - l->port_first + 1;
    if (l->port_first >= 0 && range > 0 && w->time_wait >= 0) {
        ports = 100.0 * (double)(c + w->time_wait) / (double)range;
    }
    doctor_quality(report, QUALITY_PORTS, ports, "%.0f%% of %" PRId64 " (%" PRId64 " waiting)",
                   ports, range, w->time_wait);
    judge_conntrack(w->conntrack, l->conntrack_max, report);
    if (isinf(f->quota) || isnan(f->used)) {
        doctor_quality(report, QUALITY_QUOTA, machine_rule(QUALITY_QUOTA, f),
                       isinf(f->quota) ? "none" : "%.2f CPUs", f->quota);
    } else {
        doctor_quality(report, QUALITY_QUOTA, machine_rule(QUALITY_QUOTA, f),
                       "%.2f CPUs, a run uses %.0f", f->quota, f->used);
    }
    doctor_quality(report, QUALITY_LOAD, machine_rule(QUALITY_LOAD, f), "%.2f on %.0f CPUs",
                   f->load1, f->cpus);
}

/* ---- settings */

static void judge_settings(const struct machine *m, const struct machine_facts *f,
                           struct doctor_report *report) {
    doctor_quality(report, QUALITY_GOVERNOR, machine_rule(QUALITY_GOVERNOR, f), "%s", f->governor);
    doctor_quality(report, QUALITY_BOOST, machine_rule(QUALITY_BOOST, f), "%s",
                   m->cpu.boost ? "on" : "off");
    doctor_quality(report, QUALITY_THP, machine_rule(QUALITY_THP, f), "%s", f->thp);
    doctor_quality(report, QUALITY_ASLR, machine_rule(QUALITY_ASLR, f), "%s",
                   m->kernel.aslr ? "on" : "off");
    doctor_quality(report, QUALITY_CLOCKSOURCE, machine_rule(QUALITY_CLOCKSOURCE, f), "%s",
                   f->clocksource);
    doctor_quality(report, QUALITY_VIRTUAL,
                   m->virt.virtualised < 0 ? UNKNOWN : (double)m->virt.virtualised, "%s%s%s",
                   m->virt.virtualised ? "yes" : "no", m->virt.hypervisor[0] ? ": " : "",
                   m->virt.hypervisor);
}

void doctor_judge(const struct doctor_options *o, const struct machine *m,
                  const struct doctor_watch *w, struct doctor_report *report) {
    struct machine_facts facts;
    doctor_facts(o, m, w, &facts);
    judge_watch(w, report);
    judge_steadiness(w, report);
    judge_cpus(w, &facts, report);
    judge_limits(o, m, w, &facts, report);
    judge_settings(m, &facts, report);
}

/* ---- programs and folders */

static void judge_wrk(const struct doctor_options *o, const struct machine_programs *programs,
                      struct doctor_report *report) {
    char version[64] = "";
    char path[PATH_MAX];
    const char *program = o->wrk ? o->wrk : "wrk";
    int known = wrk_version_parse(programs->wrk, version, sizeof version);
    if (known < 0 && file_which(program, path, sizeof path) == 0) {
        doctor_add(report, "wrk", DOCTOR_BAD, "it makes the load",
                   "name wrk, 4.1 or later, with --wrk, or install the package wrk",
                   "%.80s does not answer as wrk", program);
        return;
    }
    doctor_add(report, "wrk", known == 1 ? DOCTOR_OK : DOCTOR_BAD, "it makes the load",
               "install the package wrk, 4.1 or later, or name it with --wrk", "%s",
               known >= 0 ? version : "missing");
}

static void judge_servers(const struct doctor_options *o, struct doctor_report *report) {
    static const char *const names[] = {"libevent", "libuv", "h2o", "null"};
    char missing[96] = "";
    size_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX];
        size_t used = strlen(missing);
        snprintf(path, sizeof path, "%s/server-%s", o->servers, names[i]);
        if (access(path, X_OK) != 0) {
            snprintf(missing + used, sizeof missing - used, "%s%s", n ? ", " : "", names[i]);
            n++;
        }
    }
    doctor_add(report, "servers", n ? DOCTOR_BAD : DOCTOR_OK, "they are what is measured",
               "run `make`, or name their folder with --servers", n ? "missing: %s" : "built%s",
               missing);
}

/* Tried, for permissions do not tell: root has them all, and /proc still takes nothing. */
static bool takes_folders(const char *folder) {
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/.loopbench-doctor-XXXXXX", folder);
    return mkdtemp(path) && rmdir(path) == 0;
}

/* The folder, or where it does not exist yet the nearest one above it, must take new files. */
static void judge_results(const struct doctor_options *o, struct doctor_report *report) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", o->results);
    while (path[0] && !file_exists(path)) {
        char *slash = strrchr(path, '/');
        if (!slash) {
            snprintf(path, sizeof path, ".");
        } else if (slash == path) {
            path[1] = '\0';
        } else {
            *slash = '\0';
        }
    }
    const bool writable = takes_folders(path);
    doctor_add(report, "results", writable ? DOCTOR_OK : DOCTOR_BAD, "a run is kept there",
               "choose another folder with --results", "%.80s %s", o->results,
               writable ? "is writable" : "is not writable");
}

void doctor_judge_files(const struct doctor_options *o, const struct machine_programs *programs,
                        struct doctor_report *report) {
    if (programs) {
        judge_wrk(o, programs, report);
        doctor_add(report, "gnuplot", programs->gnuplot[0] ? DOCTOR_OK : DOCTOR_WARN,
                   "it draws the plots; a run can be measured without it",
                   "install the package gnuplot-nox", "%s",
                   programs->gnuplot[0] ? programs->gnuplot : "missing");
    }
    if (o->servers) {
        judge_servers(o, report);
    }
    if (o->results) {
        judge_results(o, report);
    }
}

size_t doctor_count(const struct doctor_report *report, enum doctor_state state) {
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++) {
        n += report->checks[i].state == state;
    }
    return n;
}

bool doctor_sees_little(const struct doctor_report *report) {
    for (size_t i = 0; i < report->n; i++) {
        if (report->checks[i].state == DOCTOR_WARN &&
            strcmp(report->checks[i].name, quality_check(QUALITY_STEADINESS)->name) == 0) {
            return true;
        }
    }
    return false;
}
