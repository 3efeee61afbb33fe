/* check.h — what values of a configuration mean together. Used by config.c only. */
#ifndef CONFIG_CHECK_H
#define CONFIG_CHECK_H

#include "config/config.h"
#include "config/origins.h"

/* Completes what depends on other values (`all` workloads, targets of the file, handicaps) and
 * refuses what does not fit together: ERR_USAGE, one line. */
int check_config(struct config *c, const struct origins *origins, unsigned use, struct err *e);

#endif
