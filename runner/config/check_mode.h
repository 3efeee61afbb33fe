/* check_mode.h — what decides results besides the workload: can it be combined? */
#ifndef CONFIG_CHECK_MODE_H
#define CONFIG_CHECK_MODE_H

#include <stdbool.h>

#include "base/err.h"
#include "config/config.h"
#include "config/origins.h"

/* Judges requests, think time, pipeline, keepalive, access log and database against each other, the
 * connections, the workloads and the targets. Returns 0, or -1 with *e (ERR_USAGE). */
int check_mode(const struct config *c, const struct origins *o, struct err *e);

/* Whether a target stores elsewhere than in the database that was named: nobody said that it stores
 * there. False where none was. */
bool check_stores_apart(const struct config *c, const struct target_config *t);

/* A database URL: sqlite:PATH, postgres:// or postgresql://, without a password, which would be
 * published with the results. */
int check_db(const struct config *c, const struct origins *o, struct err *e);

#endif
