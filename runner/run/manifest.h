/* manifest.h — what a run was: the members of manifest.json that the runner knows. */
#ifndef RUN_MANIFEST_H
#define RUN_MANIFEST_H

#include <jansson.h>

#include "plan/plan.h"
#include "run/setup.h"

struct manifest_input {
    const struct setup *setup;
    const struct plan *plan;
    int argc; /* the command as it was typed */
    const char *const *argv;
    json_t *targets;          /* from the probe; borrowed */
    const char *gnuplot;      /* program to ask for its version */
    const char *const *notes; /* what could not be done; NULL-terminated, or NULL */
};

/* A new object as store/manifest.h describes it, or NULL out of memory. Asks wrk and gnuplot for
 * their versions. */
json_t *manifest_make(const struct manifest_input *in);

#endif
