/* crosscheck.h — how a cross-check ends, for whichever command measured its last trial. */
#ifndef UI_CROSSCHECK_H
#define UI_CROSSCHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Judges the run in `dir`, writes crosscheck.json and crosscheck.md into it and prints the table.
 * Returns the exit status: 0, for generators that disagree have done nothing wrong; -1 with *e. */
int crosscheck_conclude(const char *dir, FILE *out, bool utf8, struct err *e);

#endif
