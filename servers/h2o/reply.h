/* The application behind h2o: requests in, replies out. */
#ifndef LOOPBENCH_SERVERS_H2O_REPLY_H
#define LOOPBENCH_SERVERS_H2O_REPLY_H

#include "h2o/lib.h"

/* Puts the application behind every path of the host, and its error replies in place of those h2o
 * makes itself. */
void reply_register(h2o_hostconf_t *host);

#endif
