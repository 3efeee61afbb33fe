/* client.h — a client that sends exactly so many requests, always the same way.
 *
 * Where every request has to be counted a load generator will not do: it sends for a time, or stops
 * a few requests late. This one works in turns: each connection gets `pipeline` requests in one
 * write, the first connection first; when every reply is in, the next turn begins. */
#ifndef COUNT_CLIENT_H
#define COUNT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/loop.h"

struct client_spec {
    const char *host; /* a numeric address, or a name */
    int port;
    const char *request; /* its bytes */
    size_t request_len;
    int status; /* that every reply must have */
    int connections, pipeline;
    int64_t requests;
    int64_t stall_ns; /* the longest time without a byte */
    /* Work that a server does once a second (its date) must be the same in two processes that are
     * compared: `seconds` ends of a second by CLOCK_REALTIME, counted from the second `since`, are
     * to pass before the last turn; the last turns wait for those that are missing. 0 = none. */
    int64_t since, seconds;
    /* Work that a server does once a millisecond (libh2o asks for the time) is done as often as the
     * machine is slow, if requests follow at once. The least time between the last reply of a turn
     * and the next turn; 0 = none, less than a second. With 1 ms every turn has a millisecond of its
     * own, on any machine. */
    int64_t apart_ns;
};

struct client_result {
    int64_t replies;
    int64_t sent, received; /* bytes */
    int64_t seconds;        /* ends of a second that passed since `since` */
};

enum client_end {
    CLIENT_DONE,
    CLIENT_FAILED,      /* refused, closed, silent, no HTTP, another status: *e says which */
    CLIENT_INTERRUPTED, /* the runner was */
};

/* Sends them all and closes its connections. Nothing of it is left on the loop. */
enum client_end client_run(struct loop *loop, const struct client_spec *spec,
                           struct client_result *out, struct err *e);

#endif
