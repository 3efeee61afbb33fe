/* judge.h — flags a trial by signals that do not look at its outcome (method.md section 7). */
#ifndef RUN_JUDGE_H
#define RUN_JUDGE_H

#include <stdbool.h>

#include "store/record.h"

/* Writes r->flags: "NAME-warn" or "NAME-invalid" for each signal beyond its threshold, with the
 * names of base/quality.h. Returns true when the trial's block is to be run again. */
bool judge_trial(struct trial_record *r);

#endif
