/* calibrate.h — how a calibration ends, for whichever command measured its last trial. */
#ifndef UI_CALIBRATE_H
#define UI_CALIBRATE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Judges the run in `dir`, writes calibration.json and calibration.md into it and prints the table.
 * Returns the exit status: 0, or 1 where this machine does not show what it should; -1 with *e. */
int calibrate_conclude(const char *dir, FILE *out, bool utf8, struct err *e);

#endif
