/* child_guard.h — the process between the runner and a program that may leave others behind.
 *
 * A guard is a fork of the runner that starts the program as its child and then only waits. It is
 * the subreaper of all that descends from it (prctl(2), PR_SET_CHILD_SUBREAPER), so a process that
 * daemonised becomes its child and not init's: whatever the program forks can be found, signalled
 * and ended by walking the guard's own children, without a name and without a race for a pid. When
 * the runner dies, by whatever signal, the socket between them ends and the guard kills all of it.
 * When the guard is killed the runner, a subreaper as well, becomes the parent and does so.
 *
 * Used by child.c only. */
#ifndef BASE_CHILD_GUARD_H
#define BASE_CHILD_GUARD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

enum guard_event {
    GUARD_STARTED, /* pid */
    GUARD_EXITED,  /* the program itself: pid, status, usage */
    GUARD_EMPTY,   /* nothing of it is left; the guard ends */
};

/* From the guard: one packet of a SOCK_SEQPACKET socket. */
struct guard_message {
    enum guard_event event;
    pid_t pid;
    int status;  /* as wait(2) gives it */
    bool others; /* of GUARD_EXITED: descendants of it still live */
    struct rusage usage;
};

/* To the guard: a signal for the program's process group, or, when that has ended, for those it
 * left; SIGKILL for all there are until none is left. */
struct guard_order {
    int signum;
};

/* What the forked process does; `start` runs in the program's own process and must not return. */
_Noreturn void guard_run(int socket, void (*start)(void *ctx), void *ctx);

#endif
