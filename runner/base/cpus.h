/* cpus.h — sets of CPUs as the kernel writes them: "0-3,5". */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <sched.h>
#include <stddef.h>

#include "base/err.h"

#define CPUS_TEXT_SIZE 512

/* The CPUs this process may use (its affinity, which a cpuset bounds). Returns their number. */
int cpus_allowed(cpu_set_t *out);

/* Parses a list ("0-3,5", no spaces); `what` names it in the message. Returns 0, or -1 with *e
 * (ERR_USAGE) for bad syntax, an empty list or a CPU above CPU_SETSIZE. */
int cpus_parse(const char *text, const char *what, cpu_set_t *out, struct err *e);

/* Writes the shortest list for `set`; cut (never overflowed) when it does not fit. */
void cpus_format(const cpu_set_t *set, char *out, size_t size);

#endif
