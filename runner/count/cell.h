/* cell.h — all counts of one target, workload, number of connections and pipeline depth. */
#ifndef COUNT_CELL_H
#define COUNT_CELL_H

#include "count/once.h"
#include "store/counts.h"

#define COUNT_TRIES_MAX 6 /* at least 2, at most COUNTS_REPEATS_MAX */

/* Counts by every tool and fills r's figures; names, connections and r->low, r->high are the
 * caller's. r->low and r->high are first moved up to whole turns of the client. What a tool cannot
 * count is missing with its reason. Returns ONCE_COUNTED when anything was counted, ONCE_FAILED
 * when the target did not even answer by itself (each figure says why), ONCE_INTERRUPTED. */
enum once_end count_cell(const struct count_subject *s, struct count_record *r);

#endif
