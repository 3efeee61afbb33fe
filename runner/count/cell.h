/* cell.h — all counts of one target, workload, number of connections and pipeline depth. */
#ifndef COUNT_CELL_H
#define COUNT_CELL_H

#include "count/once.h"
#include "store/counts.h"

#define COUNT_TRIES_MAX 6 /* at least 2, at most COUNTS_REPEATS_MAX */

enum cell_end {
    CELL_COUNTED,     /* by every tool that is here */
    CELL_PARTLY,      /* by some; another one is here and could not, for a reason of the target */
    CELL_FAILED,      /* the target did not even answer by itself */
    CELL_INTERRUPTED, /* what was counted until then is in the record, the rest says so */
};

/* Counts by every tool and fills r's figures; names, connections and r->low, r->high are the
 * caller's. r->low and r->high are first moved up to whole turns of the client. What a tool cannot
 * count is missing with its reason. */
enum cell_end count_cell(const struct count_subject *s, struct count_record *r);

/* Whether any figure of it was counted. */
bool count_cell_has(const struct count_record *r);

#endif
