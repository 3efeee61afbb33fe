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
    /* What a server does by the clock must be the same in two processes that are compared.
     * Once a second it formats its date: where `seconds` is more than 0, the last turns wait so
     * that the date changes at least so often. Once a millisecond it may ask for the time (libh2o
     * does), so the more often the slower the machine is: `steady` gives every turn a millisecond
     * of its own, and begins where it is clear which second the target's readiness fell in. */
    int64_t seconds;
    bool steady;
};

struct client_result {
    int64_t replies;
    int64_t sent, received; /* bytes */
    int64_t seconds;        /* changes of the Date in them */
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
