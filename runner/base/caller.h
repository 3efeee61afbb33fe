/* What the one who called us sees, where that is not what we see: in a container (docker/bench). */
#ifndef BASE_CALLER_H
#define BASE_CALLER_H

#include <stddef.h>

/* How the caller calls a folder. What runs in a container is told by LOOPBENCH_RESULTS_SHOWN, a
 * pair HERE=THERE: a folder in HERE is called by THERE. */
void caller_shown(const char *folder, char *out, size_t size);

/* The command that makes a run's report again and gets the run's name, where loopbench is not at
 * hand (in a container), and no run can be resumed; else NULL. */
const char *caller_report(void);

#endif
