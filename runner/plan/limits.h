/* limits.h — open files: c connections need 2c + 64 on either side (method.md section 7). */
#ifndef PLAN_LIMITS_H
#define PLAN_LIMITS_H

#include <stdint.h>

#include "base/err.h"

/* Open files needed for that many connections. */
int64_t limits_files_needed(int64_t connections);

/* Pure: 0 when `hard` suffices, else -1 with *e (ERR_MACHINE, with the remedy). hard < 0 means
 * unlimited. */
int limits_judge_files(int64_t connections, int64_t hard, struct err *e);

/* Raises the soft limit of this process (its children inherit it) to the hard one and judges that.
 * Returns 0 or -1 with *e (ERR_MACHINE). */
int limits_raise_files(int64_t connections, struct err *e);

#endif
