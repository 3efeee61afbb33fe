/* scratch.h — the folder in which tools leave their counts, gone when the count ends. */
#ifndef COUNT_SCRATCH_H
#define COUNT_SCRATCH_H

#include <limits.h>

#include "base/err.h"

struct scratch {
    char dir[PATH_MAX];
    int fd; /* holds a lock on it as long as its runner lives */
};

/* Makes one in TMPDIR (or /tmp), and removes those there whose runner was killed. Returns 0, or -1
 * with *e (ERR_MACHINE). */
int scratch_make(struct scratch *s, struct err *e);

/* Removes it; one that is zeroed is ignored. */
void scratch_remove(struct scratch *s);

#endif
