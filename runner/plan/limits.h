/* limits.h — open files: c connections need 2c + 64 of the runner and of a container, and
 * c + 64 of a target's process, of several those of its part of c; and the kernel's table of
 * tracked connections. */
#ifndef PLAN_LIMITS_H
#define PLAN_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"

/* Open files needed for that many connections. */
int64_t limits_files_needed(int64_t connections);

/* Pure: 0 when `hard` suffices, else -1 with *e (ERR_MACHINE, with the remedy). hard < 0 means
 * unlimited. */
int limits_judge_files(int64_t connections, int64_t hard, struct err *e);

/* A running target: `processes` of it take connections, each may open `files` at most (soft; -1 =
 * unknown or unlimited, which suffices). */
struct limits_target {
    const char *name;
    int64_t processes, files;
};

/* The same for a running target: each of its processes needs one for each connection that it takes,
 * and 64 more. Of several each takes its part, at best the same. */
int limits_judge_target(const struct limits_target *t, int64_t connections, struct err *e);

/* Whether it suffices only where they share evenly. True says so, one line. Pure. */
bool limits_judge_shares(const struct limits_target *t, int64_t connections, char *out,
                         size_t size);

/* Raises the soft limit of this process (its children inherit it) to the hard one and judges that.
 * Returns 0 or -1 with *e (ERR_MACHINE). */
int limits_raise_files(int64_t connections, struct err *e);

/* The most connections that a run's windows make, where each request makes one of its own and is
 * counted (--no-keepalive --requests N): trials × N. 0 where connections are kept or the number is
 * not known beforehand. */
int64_t limits_connections_made(const struct config *c, size_t trials);

/* Whether `made` more connections could take more than 90% of a table of `max` (-1 = nothing is
 * tracked) that holds `count` (-1 = unknown). True writes what to do about it, one line. Pure. */
bool limits_judge_tracked(int64_t made, int64_t count, int64_t max, char *out, size_t size);

#endif
