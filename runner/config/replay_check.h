/* replay_check.h — what a claim names must be what its part measures. Used by replay_read.c only.
 */
#ifndef CONFIG_REPLAY_CHECK_H
#define CONFIG_REPLAY_CHECK_H

#include "base/err.h"
#include "base/replay.h"

/* Fills in what a claim leaves out (the only part, the only workload, all levels) and refuses what
 * does not fit. Returns 0, or -1 with *e, whose line is *line. */
int replay_check(struct replay *r, int *line, struct err *e);

/* "0.97..1.03", "1.03..", "..0.97" into lo and hi. */
int replay_range(const char *text, double *lo, double *hi, struct err *e);

#endif
