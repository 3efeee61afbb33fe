/* mode.h — how requests are sent: what decides results beside workload and connections. Results of
 * different modes are never compared. */
#ifndef BASE_MODE_H
#define BASE_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MODE_PIPELINE_MAX    1024       /* requests written at once */
#define MODE_IN_FLIGHT_MAX   65536      /* connections × pipeline */
#define MODE_BATCH_BYTES_MAX (1 << 20)  /* bytes written at once */
#define MODE_REQUESTS_MAX    1000000000 /* of one window */
#define MODE_TEXT_SIZE       128

/* All zero: one request after the other on connections that are kept, for a time. */
struct mode {
    /* Of a window: exactly so many instead of a time; 0 = for the duration. */
    int64_t requests;
    /* Each connection waits so long before each of its requests, whole ms, drawn evenly from min to
     * max; both 0 = not at all. */
    int64_t think_min_ms, think_max_ms;
    int pipeline; /* requests written at once, before the first of their replies; 0 = 1 */
    bool close;   /* a connection for each request */
};

/* 0, or -1 with *e (ERR_USAGE) naming what cannot be combined, or what requests, connections and
 * threads of the load generator do not fit each other. */
int mode_check(const struct mode *m, int64_t connections, int64_t threads, struct err *e);

/* Words of a closed list, separated by blanks: "requests=N", "think=Nms" or "think=N..Nms",
 * "pipeline=N", "close"; "" for all zero. out has at least MODE_TEXT_SIZE bytes. Returns the
 * length. */
size_t mode_text(const struct mode *m, char *out, size_t size);

#endif
