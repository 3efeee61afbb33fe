/* probe.h — every target is started once before anything is measured: it must run, say what it is,
 * and (unless told not to look) answer as all the others do. */
#ifndef RUN_PROBE_H
#define RUN_PROBE_H

#include <jansson.h>
#include <stdio.h>

#include "base/err.h"
#include "plan/plan.h"
#include "run/setup.h"
#include "target/verify.h"

struct probe {
    json_t *targets; /* for the manifest: what each says of itself, with its command */
    struct verify_findings findings; /* empty when verifying was switched off */
    json_t *unstopped; /* one line for each that did not end as it should when it was told to */
    json_t *notes;     /* one line for each that may not be able to take all connections */
};

/* Starts all targets of the plan at once (each once, the control is its base), verifies them for
 * the plan's workloads when the configuration says so, and stops them. A target that cannot be
 * started is an error that names it (ERR_MACHINE); differences are in p->findings and are not, nor
 * is one that had to be killed: its trials will fail, those of others need not. All is tried a
 * second time where somebody else ended a container. Returns 0, or -1 with *e (class ERR_NONE:
 * interrupted). Nothing is left running. */
int probe_targets(struct probe *p, const struct setup *s, const struct plan *plan, struct err *e);

/* Says the notes and which did not end as they should; returns how many of these there are. */
size_t probe_note_unstopped(const struct probe *p, FILE *out);

void probe_release(struct probe *p);

#endif
