/* workers.h — the workers of one server: a listener and a thread each. */
#ifndef LOOPBENCH_SERVERS_WORKERS_H
#define LOOPBENCH_SERVERS_WORKERS_H

#include "common/server.h"

/* Makes server->workers, whose wake is -1, ready to run: listeners and wakes. Returns 0, or the
 * status to exit with, having said why. */
int workers_open(struct server *server);

/* Runs all of them until they have drained, the first on this thread. Returns 0, or the status to
 * exit with; then others may still run. */
int workers_run(struct server *server);

/* Closes what woke them. */
void workers_close(struct server *server);

#endif
