/* engine.h — the Docker engine as the docker command shows it. Every question is a child with a
 * deadline: the command may be missing, hang, be refused, or lie. */
#ifndef TARGET_ENGINE_H
#define TARGET_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/loop.h"

#define ENGINE_ANSWER_MAX 4096
/* The label of every container of ours; its value says whose: engine_label(). */
#define ENGINE_LABEL "loopbench.run"

/* What the engine is, for the record. */
struct engine {
    char version[64];        /* of the server */
    char storage_driver[64]; /* "overlay2" */
    char cgroup[64];         /* "cgroupfs, cgroup v2" */
    char runtime[64];        /* "runc" */
};

/* Runs the docker command and keeps the first ENGINE_ANSWER_MAX - 1 bytes of its standard output.
 * Returns its exit status, or -1 with *e (missing, timed out, killed, interrupted: then e->class is
 * ERR_NONE). */
int engine_ask(struct loop *loop, const char *const *argv, int64_t timeout_ns, char *answer,
               size_t size, struct err *e);

/* Is there an engine, and may we use it? Returns 0, or -1 with *e (ERR_MACHINE) and the remedy. */
int engine_check(struct loop *loop, struct engine *out, struct err *e);

/* The image's id ("sha256:…"), -1 with *e (ERR_MACHINE) where it is not there. */
int engine_image(struct loop *loop, const char *image, char *id, size_t size, struct err *e);

/* The value of ENGINE_LABEL for containers that this process starts: its PID and when it began. */
void engine_label(char *out, size_t size);

/* Removes containers whose runner is gone without having done so (killed outright). Returns how
 * many; 0 also when that cannot be told. */
int engine_sweep(struct loop *loop);

/* Removes one container by name whatever state it is in. */
void engine_remove(struct loop *loop, const char *name);

#endif
