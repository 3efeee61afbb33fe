/* cgroup.h — whether the CPU quota of a control group held us back (cgroup v1 and v2). */
#ifndef SAMPLE_CGROUP_H
#define SAMPLE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Finds the folder that holds a process's cpu controller, from the texts of its /proc/PID/cgroup
 * and /proc/self/mountinfo, and the mount point above it. v1's cpu hierarchy where there is one,
 * else v2's. Returns 0, or -1 when there is none. */
int cgroup_parse_cpu(const char *cgroup, const char *mountinfo, char *folder, char *mount,
                     size_t size);

/* nr_throttled in the text of a cpu.stat, or -1. */
int64_t cgroup_parse_throttled(const char *text);

/* nr_throttled summed over the groups of this process and of n others and all those above them that
 * can be seen, each once: a quota on any of them stops one of us. Processes that have ended are
 * passed over. `root` is put before every path ("" = the machine itself). -1 = none of them says.
 * *whole: of the n there was one, and the groups of all that were there were read. */
int64_t cgroup_read_throttled(const char *root, const pid_t *pids, size_t n, bool *whole);

/* CPU time of every task of the machine in ns, counted by the scheduler (cpuacct.usage of cgroup
 * v1's true root, which a container does not see; v2 has only sampled figures there). -1 where it
 * is not to be had. */
int64_t cgroup_read_run_ns(const char *root);

#endif
