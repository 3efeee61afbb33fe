/* plan_print.h — what `loopbench run --dry-run` prints. */
#ifndef UI_PLAN_PRINT_H
#define UI_PLAN_PRINT_H

#include <stdio.h>

#include "config/config.h"
#include "plan/plan.h"

/* Prints counts, cells, the first round's order, pinning, seed and the expected time. The CPU lists
 * are those that would be used ("" = not pinned). */
void plan_print(FILE *out, const struct plan *p, const struct config *c, const char *server_cpus,
                const char *generator_cpus);

#endif
