/* summary.h — the closing table of a run, on a terminal or in a log. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "report/cells.h"

/* Prints a table a workload and level, at most 100 columns wide; `utf8` allows µ, ≥ and the like.
 */
void summary_print(FILE *out, const struct cells *c, bool utf8);

#endif
