/* libh2o with its own event loop. Everything here includes it through this file only. */
#ifndef LOOPBENCH_SERVERS_H2O_LIB_H
#define LOOPBENCH_SERVERS_H2O_LIB_H

#define H2O_USE_LIBUV 0
#include <h2o.h>
#include <h2o/http1.h>

#endif
