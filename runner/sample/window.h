/* window.h — what moved during the measured window: two snapshots and their difference.
 *
 * Where kernels account CPU time by ticks (most do), /proc/stat is a sample: of a second it is off
 * by some hundredths of a CPU, and it misses much of what runs in short bursts. The scheduler's
 * own sums are exact, so busy comes from cgroup v1's root or /proc/schedstat where there is one,
 * and from /proc/stat only else. There each CPU is taken to be off by up to 2 ticks, one at either
 * end; a window of less than 10 ticks tells nothing, and foreign_cpus is unknown. Interrupt time
 * belongs to busy: without separate interrupt accounting it is part of the processes' own figures,
 * and loopback traffic is full of it. */
#ifndef SAMPLE_WINDOW_H
#define SAMPLE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample/database.h"
#include "sample/kernel.h"
#include "sample/proc.h"

/* A snapshot. */
struct window {
    int64_t at_ns; /* clock_mono_ns() */
    struct kernel_cpu cpu;
    struct kernel_tcp tcp;
    struct kernel_sockets sockets;
    struct kernel_conntrack conntrack;
    int64_t throttled;    /* of the runner's and the server's control groups */
    bool throttled_whole; /* the server's were seen */
    int64_t run_ns;       /* CPU of all tasks of the machine, exactly; -1 = not to be had */
    int64_t runner_ns;    /* CPU of the runner */
    struct proc_cpu server;
    enum database_place database_place;
    struct proc_cpu database;
};

/* Over the window. Unknown is NaN or -1. */
struct window_delta {
    double wall_s;
    double steal_ratio;   /* of all CPU time, 0..1 */
    double foreign_cpus;  /* busy − server − database − generator − runner; never below 0 */
    double foreign_error; /* what foreign_cpus may be off by; 0 where busy was counted */
    bool foreign_exact;   /* busy was counted, not sampled by ticks */
    double runner_cpus;
    double database_cpus; /* of a database on this machine; 0 where it is on another */
    int64_t throttled;
    int64_t listen_overflows, listen_drops, retransmits;
    int64_t time_wait; /* sockets in TIME_WAIT at the end */
    int64_t conntrack; /* connections that the kernel tracks, at the end */
    struct proc_usage server;
};

/* Takes a snapshot. server: the roots; their descendants are found here. reaper: a process of
 * ours that waits for what daemonised from it (proc_cpu_add_reaped), 0 = none. database: what the
 * server stores in, NULL = nothing of the kind; where it is hidden, so is what is foreign. The
 * server's part is unknown when none of its processes can be read. */
void window_take(struct window *w, const pid_t *server, size_t n, pid_t reaper,
                 const struct database *database);

/* The difference of two snapshots. generator_ns: CPU the generator used meanwhile, -1 = unknown
 * (foreign_cpus is unknown then). Pure: tests feed it. ticks_per_second is sysconf(_SC_CLK_TCK). */
void window_between(const struct window *before, const struct window *after, int64_t generator_ns,
                    int64_t ticks_per_second, struct window_delta *out);

#endif
