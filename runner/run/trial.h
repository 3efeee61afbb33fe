/* trial.h — one trial: start, ready, idle memory, warm-up, window, stop (method.md section 2). */
#ifndef RUN_TRIAL_H
#define RUN_TRIAL_H

#include "base/hist.h"
#include "run/setup.h"
#include "store/record.h"

/* Measures one trial. *r names it already (seq, attempt, round, block, target, base, role,
 * workload, connections); everything else is filled in. *raw (zeroed by the caller) gets the raw
 * histogram. A failure of target or generator is a result, in the record. Returns 0, or -1 when the
 * run itself cannot go on: interrupted (e->class stays ERR_NONE) or out of memory. Nothing it
 * started is left. */
int trial_execute(const struct setup *s, const struct target_config *t, struct trial_record *r,
                  struct hist *raw, struct err *e);

#endif
