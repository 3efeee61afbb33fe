/* planned.h — whether a record is of the run in whose trials.jsonl it stands. */
#ifndef STORE_PLANNED_H
#define STORE_PLANNED_H

#include <jansson.h>

#include "base/err.h"
#include "store/record.h"

/* Target, workload, connections and round of *r must be among those the manifest names: a record of
 * anything else was changed by hand or is another run's. What the manifest does not say decides
 * nothing. Returns 0, or -1 with *e (ERR_USAGE), which names what is not known. */
int planned_check(const json_t *manifest, const struct trial_record *r, struct err *e);

#endif
