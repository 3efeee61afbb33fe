/* setup_log.h — the access log of a run's targets; for setup.c only. */
#ifndef RUN_SETUP_LOG_H
#define RUN_SETUP_LOG_H

#include "run/setup.h"

/* A file on disk, as a log is, that has no name and so is gone with this process however it ends.
 * Servers open it through this process; they run as the same user. Sets s->log_fd and s->log.
 * Returns 0, or -1 with *e. */
int setup_log_open(struct setup *s, struct err *e);

#endif
