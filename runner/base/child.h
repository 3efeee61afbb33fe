/* child.h — a program of somebody else's, started pinned, watched, and never left behind.
 *
 * Not uv_spawn: a child must die with the runner even when the runner is killed outright
 * (PR_SET_PDEATHSIG), be pinned before it executes, and give its resource use when reaped. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/loop.h"

struct child_spec {
    const char *const *argv; /* NULL-terminated; argv[0] is found as PATH finds it */
    const char *const *env;  /* NAME=VALUE added to the runner's own environment; NULL = none */
    const char *cwd;         /* NULL = the runner's */
    const cpu_set_t *cpus;   /* NULL = the runner's */
    const int *fds;          /* descriptors it inherits under their own numbers, all above 2 */
    size_t n_fds;
    /* All it ever forks belongs to it: is found, signalled and ended with it, and dies with the
     * runner even after it daemonised (base/child_guard.h). Without, only its process group does.
     */
    bool guarded;
    bool ignores_interrupt; /* until it handles SIGINT itself: one sent early is lost, not deadly */
    /* It has not ended soon after it was told to, while an interrupt waits for that, which lasts at
     * most left_ns more; NULL = nobody asks. Once for each child_stop(). */
    void (*on_wait)(void *ctx, int64_t left_ns);
    /* One line of its standard output, without the newline; NULL = only kept in the tail. */
    void (*on_line)(void *ctx, const char *line);
    void *ctx;
};

struct child;

/* Starts it in a process group of its own. Returns NULL with *e (ERR_MACHINE: it could not be
 * executed). The spec is not kept, except on_line and ctx. */
struct child *child_start(struct loop *loop, const struct child_spec *spec, struct err *e);

pid_t child_pid(const struct child *c);

/* With a guard: the processes at the top of what it runs (itself, and those that daemonised) into
 * out, at most max; returns how many. Without: itself. 0 when it has ended. */
size_t child_roots(const struct child *c, pid_t *out, size_t max);

/* The guard, which reaps those that daemonised; 0 = there is none (any more). */
pid_t child_reaper(const struct child *c);

/* True once it has been reaped; status, signal and rusage are final then. With a guard: once it
 * failed, or ended well and nothing of it is left. */
bool child_exited(const struct child *c);
int child_status(const struct child *c); /* exit status, or -1 when a signal ended it */
int child_signum(const struct child *c); /* the signal that ended it, or 0 */
const struct rusage *child_rusage(const struct child *c);

/* Its last output, stdout and stderr together, at most 4 KiB, NUL-terminated. */
const char *child_tail(const struct child *c);

/* Sends a signal to its process group; nothing once it was reaped. With a guard and after it ended
 * it goes to each process that daemonised. */
void child_kill(struct child *c, int signum);

/* Waits until it has exited and its output was read to the end, at most timeout_ns. */
enum loop_wait child_wait(struct child *c, int64_t timeout_ns);

/* Who has interrupted so often, the last time while something is stopping, wants it dead. */
#define CHILD_INTERRUPTS 2

/* Ends it whatever it does: `signum`, grace_ns, then SIGKILL to the group (with a guard, to all
 * that is left). Returns true when it ended by itself or within the grace, all of it where there is
 * a guard. One interrupt does not shorten this; the one that makes it CHILD_INTERRUPTS of the loop,
 * or any later one, ends the grace. */
bool child_stop(struct child *c, int signum, int64_t grace_ns);

/* Stops (KILL) what still runs and frees it; NULL is ignored. */
void child_free(struct child *c);

/* Whether its first thread waits for something (state S of /proc/PID/stat) rather than for a CPU;
 * false where that cannot be read. */
bool child_sleeps(const struct child *c);

/* "exited with status 3", "was ended by signal 9 (Killed)", "is running" */
void child_describe(const struct child *c, char *out, size_t size);

#endif
