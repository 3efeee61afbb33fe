/* details.h — where the cost of a request lies: parts and functions, system calls by name. */
#ifndef COUNT_DETAILS_H
#define COUNT_DETAILS_H

#include "count/tool.h"

/* From two processes, one with r->low and one with r->high requests: fills the parts and functions
 * of r where both counted instructions, its calls where both counted calls. */
void details_fill(struct count_record *r, const struct count_total *low,
                  const struct count_total *high);

#endif
