/* child_spawn.h — fork and exec, with or without a guard between. Used by child.c only. */
#ifndef BASE_CHILD_SPAWN_H
#define BASE_CHILD_SPAWN_H

#include "base/child.h"

struct spawned {
    pid_t pid;   /* of the program */
    pid_t guard; /* its parent; 0 = the runner is */
    int socket;  /* to the guard, or -1 */
};

/* The runner's environment with `extra` (NULL = nothing) over it; the strings are borrowed, the
 * array is owned. NULL out of memory. */
char **spawn_environment(const char *const *extra);

/* Starts it with those descriptors as its output and waits for exec to have happened. Returns 0, or
 * -1 with errno, and then nothing is left of it. */
int spawn_program(const struct child_spec *spec, const char *program, char **env, int out, int err,
                  struct spawned *spawned);

#endif
