/* Parameters of a query, read the same way by every endpoint. */
#ifndef LOOPBENCH_SERVERS_QUERY_H
#define LOOPBENCH_SERVERS_QUERY_H

#include "common/app.h"

/* Reads the parameter `name` (which must need no percent-encoding; nothing is decoded): given
 * exactly once, decimal digits only, min..max. Returns true with *value set; or false with
 * exchange->reply filled in, 400 with one line of reason, the connection kept. Others are ignored.
 */
bool query_uint(struct app_exchange *exchange, const char *name, uint64_t min, uint64_t max,
                uint64_t *value);

#endif
