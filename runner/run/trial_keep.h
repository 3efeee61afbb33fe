/* trial_keep.h — what was seen of a trial, as it stands in its record. */
#ifndef RUN_TRIAL_KEEP_H
#define RUN_TRIAL_KEEP_H

#include "load/load.h"
#include "sample/proc.h"
#include "sample/sampler.h"
#include "sample/window.h"
#include "store/record.h"

/* Before anything was asked of the target. */
void trial_keep_idle(struct trial_record *r, const struct proc_memory *m);

/* What the load generator counted. The rate is of replies that were right. */
void trial_keep_load(struct trial_record *r, const struct load_outcome *o,
                     const struct sampler_result *seen);

/* The generator's latencies: its histograms, or what it says of those it does not hand over. */
void trial_keep_latency(struct trial_record *r, const struct load_outcome *o);

/* What the machine did between two looks at it. */
void trial_keep_environment(struct trial_record *r, const struct window_delta *d);

/* What target and machine did between two looks at them; after trial_keep_load, by whose requests
 * and time it is divided. */
void trial_keep_window(struct trial_record *r, const struct window_delta *d);

/* What was sampled in the window; `now` is read after it (NULL: cannot be), for the peak of a
 * target of one process, which the kernel keeps. After trial_keep_idle. */
void trial_keep_memory(struct trial_record *r, const struct sampler_result *seen,
                       const struct proc_memory *now);

#endif
