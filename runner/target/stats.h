/* stats.h — what a server says of itself at /stats. */
#ifndef TARGET_STATS_H
#define TARGET_STATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* GET /stats: a JSON object, owned by the caller, or NULL where it is not answered with one within
 * a second. Waits without the loop. */
json_t *stats_ask(const char *host, int port);

/* A count at object.name (object "": the object itself), times `unit`; -1 = not said. */
int64_t stats_count(const json_t *said, const char *object, const char *name, int64_t unit);

/* What it has counted since its start; asking is a request and a connection, too. */
struct stats_counted {
    int64_t requests, accepted; /* -1 = not said */
};

void stats_read_counted(const char *host, int port, struct stats_counted *out);

#endif
