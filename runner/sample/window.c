#include "sample/window.h"

#include <math.h>

#include "base/clock.h"
#include "sample/cgroup.h"

#define TREE_MAX 1024

#define TICKS_ERROR 2  /* of each CPU: one at either end */
#define TICKS_LEAST 10 /* of a window over which ticks say anything */

static void window_take_database(struct window *w, const struct database *d) {
    pid_t pids[TREE_MAX];
    w->database_place = d ? d->place : DATABASE_NONE;
    proc_cpu_read(NULL, 0, &w->database);
    if (d && d->place == DATABASE_HERE) {
        proc_cpu_read(pids, proc_tree(d->root, pids, TREE_MAX), &w->database);
    }
}

void window_take(struct window *w, const pid_t *server, size_t n, pid_t reaper,
                 const struct database *database) {
    pid_t pids[TREE_MAX];
    size_t found = proc_trees(server, n, pids, TREE_MAX);
    kernel_read_tcp(&w->tcp);
    if (n > 0) {
        kernel_add_tcp_of(server[0], &w->tcp);
    }
    kernel_read_sockets(&w->sockets);
    kernel_read_conntrack("", &w->conntrack);
    w->throttled = cgroup_read_throttled("", pids, found, &w->throttled_whole);
    /* These belong to one moment. */
    proc_cpu_read(pids, found, &w->server);
    proc_cpu_add_reaped(reaper, &w->server);
    window_take_database(w, database);
    w->at_ns = clock_mono_ns();
    w->runner_ns = proc_self_cpu_ns();
    w->run_ns = cgroup_read_run_ns("");
    if (w->run_ns < 0) {
        w->run_ns = kernel_read_run_ns();
    }
    kernel_read_cpu(&w->cpu);
}

/* A counter's increase; -1 when either end is unknown or it went backwards. */
static int64_t window_delta(int64_t before, int64_t after) {
    return before >= 0 && after >= before ? after - before : -1;
}

/* Seconds of CPU that were not idle, or NaN. */
static double window_busy_s(const struct window *before, const struct window *after,
                            int64_t ticks_per_second, bool *exact) {
    int64_t run = window_delta(before->run_ns, after->run_ns);
    *exact = run >= 0;
    if (*exact) {
        return (double)run / 1e9;
    }
    const struct kernel_cpu *a = &before->cpu;
    const struct kernel_cpu *b = &after->cpu;
    int64_t parts[] = {
        window_delta(a->user, b->user),       window_delta(a->nice, b->nice),
        window_delta(a->system, b->system),   window_delta(a->irq, b->irq),
        window_delta(a->softirq, b->softirq),
    };
    double ticks = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] < 0) {
            return (double)NAN;
        }
        ticks += (double)parts[i];
    }
    return ticks / (double)ticks_per_second;
}

/* CPU that the database used, in ns; -1 where it is somewhere on this machine and not to be seen.
 */
static int64_t window_database(const struct window *before, const struct window *after,
                               int64_t ticks_per_second) {
    struct proc_usage used;
    if (before->database_place != DATABASE_HERE) {
        return before->database_place == DATABASE_HIDDEN ? -1 : 0;
    }
    proc_usage_between(&before->database, &after->database, ticks_per_second, &used);
    return used.cpu_ns;
}

/* An increase is one, whoever was seen; none is known to be none only where the server's own groups
 * were seen, too. */
static int64_t window_throttled(const struct window *before, const struct window *after) {
    const int64_t more = window_delta(before->throttled, after->throttled);
    return more > 0 || (before->throttled_whole && after->throttled_whole) ? more : -1;
}

void window_between(const struct window *before, const struct window *after, int64_t generator_ns,
                    int64_t ticks_per_second, struct window_delta *out) {
    double wall = (double)(after->at_ns - before->at_ns) / 1e9;
    int64_t runner = window_delta(before->runner_ns, after->runner_ns);
    int64_t steal = window_delta(before->cpu.steal, after->cpu.steal);
    out->wall_s = wall;
    out->throttled = window_throttled(before, after);
    out->listen_overflows = window_delta(before->tcp.listen_overflows, after->tcp.listen_overflows);
    out->listen_drops = window_delta(before->tcp.listen_drops, after->tcp.listen_drops);
    out->retransmits = window_delta(before->tcp.retransmits, after->tcp.retransmits);
    out->time_wait = after->sockets.time_wait;
    out->conntrack = after->conntrack.count;
    proc_usage_between(&before->server, &after->server, ticks_per_second, &out->server);
    out->steal_ratio = out->foreign_cpus = out->foreign_error = (double)NAN;
    out->runner_cpus = out->database_cpus = (double)NAN;
    out->foreign_exact = false;
    if (!(wall > 0) || ticks_per_second <= 0) {
        return;
    }
    if (runner >= 0) {
        out->runner_cpus = (double)runner / 1e9 / wall;
    }
    const int64_t database = window_database(before, after, ticks_per_second);
    if (database >= 0 && before->database_place != DATABASE_NONE) {
        out->database_cpus = (double)database / 1e9 / wall;
    }
    if (steal >= 0 && after->cpu.cpus > 0) {
        out->steal_ratio =
            (double)steal / (double)ticks_per_second / (wall * (double)after->cpu.cpus);
    }
    double busy = window_busy_s(before, after, ticks_per_second, &out->foreign_exact);
    double ticks = wall * (double)ticks_per_second;
    if (!out->foreign_exact && ticks < TICKS_LEAST) {
        return;
    }
    if (out->server.cpu_ns >= 0 && database >= 0 && generator_ns >= 0 && runner >= 0 &&
        !isnan(busy)) {
        double ours = (double)(out->server.cpu_ns + database + generator_ns + runner) / 1e9;
        out->foreign_cpus = fmax(0, (busy - ours) / wall);
        out->foreign_error = out->foreign_exact ? 0 : TICKS_ERROR * (double)after->cpu.cpus / ticks;
    }
}
