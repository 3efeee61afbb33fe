/* details.h — where the cost of a request lies: parts and functions, system calls by name. */
#ifndef COUNT_DETAILS_H
#define COUNT_DETAILS_H

#include "count/tool.h"

/* What lies between two processes, by name. NULL = not counted. */
struct details {
    json_t *calls, *cost;
};

/* high − low, also of names that only one of them has. */
void details_take(struct details *d, const struct count_total *low, const struct count_total *high);
void details_release(struct details *d);

/* From n pairs of processes, in the order of the repeats of r's figures: fills the parts and
 * functions of r where instructions were counted, its calls where calls were. They are of the pairs
 * that the figure is the mean of, so the parts add up to it. */
void details_fill(struct count_record *r, const struct details *pair, int n);

#endif
