/* proc.h — what /proc says about processes: CPU, context switches, memory, threads, children.
 *
 * The parsers are pure (text in, figures out) and accept what odd kernels leave out; the readers
 * open /proc. A figure that is not there is -1, never 0. */
#ifndef SAMPLE_PROC_H
#define SAMPLE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* CPU used since the start, summed over threads (and over processes by proc_cpu_read). A process
 * that ended and was waited for is counted with the one that waited: its time moves from its own
 * figures to the other's, and the sum goes on. */
struct proc_cpu {
    int64_t run_ns;       /* the process's CPU clock, live and ended threads (where it cannot be
                             read: /proc/PID/task/TID/schedstat, live threads), and the ticks of
                             children waited for; -1 = not available */
    int64_t user_ticks;   /* /proc/PID/stat, live and ended threads and children waited for */
    int64_t system_ticks; /* same */
    int64_t voluntary, involuntary; /* context switches of live threads */
};

/* What was used between two readings of the same processes. */
struct proc_usage {
    int64_t cpu_ns, user_ns, system_ns; /* user + system = cpu */
    int64_t voluntary, involuntary;
};

/* Bytes. */
struct proc_memory {
    int64_t rss, anon, file, shmem; /* status: VmRSS, RssAnon, RssFile, RssShmem */
    int64_t pss;                    /* smaps_rollup; -1 where it may not be read */
    int64_t peak_rss;               /* status: VmHWM */
};

/* ---- parsers */

/* /proc/PID/task/TID/schedstat: its first number. Returns -1 for anything else. */
int64_t proc_parse_schedstat(const char *text);

/* utime and stime of /proc/PID/stat; the name may hold spaces and parentheses. Returns 0 or -1. */
int proc_parse_stat(const char *text, int64_t *user_ticks, int64_t *system_ticks);

/* The same of the children it has waited for, and theirs: cutime and cstime. */
int proc_parse_stat_reaped(const char *text, int64_t *user_ticks, int64_t *system_ticks);

/* The number behind "Name:" at the start of a line, in units of the file (kB lines are given in
 * bytes). -1 when the line is missing or not a number. For status and smaps_rollup. */
int64_t proc_parse_field(const char *text, const char *name);

/* Memory out of the texts of status and smaps_rollup (NULL = could not be read). */
void proc_parse_memory(const char *status, const char *rollup, struct proc_memory *out);

/* The pids in a /proc/PID/task/TID/children; returns how many were written to out. */
size_t proc_parse_children(const char *text, pid_t *out, size_t max);

/* ---- readers */

/* Sums over the processes. Returns 0, or -1 when none of them could be read. */
int proc_cpu_read(const pid_t *pids, size_t n, struct proc_cpu *out);

/* Adds what the children that `reaper` waited for have used: a process of ours that looks after
 * what daemonised, and whose own time is not the target's. 0 = there is none. */
void proc_cpu_add_reaped(pid_t reaper, struct proc_cpu *out);

/* What lies between two readings. Nanoseconds come from run_ns; where that is not available, or
 * where an ended thread took its share with it (there was no clock of the process, and the ticks,
 * which keep it, say clearly more), from ticks. The user/system split is that of the ticks. */
void proc_usage_between(const struct proc_cpu *before, const struct proc_cpu *after,
                        int64_t ticks_per_second, struct proc_usage *out);

/* Memory summed over the processes (RSS counts shared pages once per process, PSS does not).
 * Returns 0, or -1 when none could be read. */
int proc_memory_read(const pid_t *pids, size_t n, struct proc_memory *out);

/* How many files a process may open (the soft limit), of several the most any of them may: which of
 * them takes the connections is not known. INT64_MAX = any number; -1 = none can be read. */
int64_t proc_files_limit(const pid_t *pids, size_t n);

/* CPU of one thread in ns, or -1. */
int64_t proc_thread_cpu_ns(pid_t pid, pid_t tid);

/* Thread ids of a process into out (at most max); returns how many. */
size_t proc_threads(pid_t pid, pid_t *out, size_t max);

/* The process and all its descendants into out (at most max); returns how many; 0 = not there. */
size_t proc_tree(pid_t root, pid_t *out, size_t max);

/* The same for several roots, none of which may descend from another. */
size_t proc_trees(const pid_t *roots, size_t n, pid_t *out, size_t max);

/* CPU of the calling process in ns, all threads. */
int64_t proc_self_cpu_ns(void);

#endif
