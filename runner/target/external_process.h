/* external_process.h — the processes of servers that run already; for external.c only. */
#ifndef TARGET_EXTERNAL_PROCESS_H
#define TARGET_EXTERNAL_PROCESS_H

#include <sys/types.h>

/* The process of that name, and how many there are: only one can be the right one. 0 = none. */
pid_t external_find(const char *name, int *count);

/* The PID that process had when it was last asked for, 0 = it was not, or has been forgotten; `pid`
 * is what it has now. Who renews itself on a signal keeps its PID: another one means that it ended
 * while nobody measured it, and that somebody started it again. */
pid_t external_seen(const char *name, pid_t pid);

/* Its end was told: whatever has the name next is a new one. */
void external_forget(const char *name);

#endif
