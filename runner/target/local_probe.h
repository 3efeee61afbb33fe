/* local_probe.h — one real request while the loop lives on. */
#ifndef TARGET_LOCAL_PROBE_H
#define TARGET_LOCAL_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/loop.h"

enum probe_result {
    PROBE_ANSWERED,    /* *status is the reply's status */
    PROBE_REFUSED,     /* nobody listens (yet), or the connection was closed without an answer */
    PROBE_GARBAGE,     /* it answered something that is not HTTP/1 */
    PROBE_TIMEOUT,     /* connected or not, no answer in time */
    PROBE_GONE,        /* gone(ctx) became true meanwhile */
    PROBE_INTERRUPTED, /* the runner was interrupted */
};

/* Sends GET path to host:port (a numeric address) and waits for the status line, at most
 * timeout_ns. Only the status line is judged; the rest of the reply is read, where it comes within
 * half a second and is no more than 64 KiB, so that the server sees an end and not a reset. */
enum probe_result probe_get(struct loop *loop, const char *host, int port, const char *path,
                            int64_t timeout_ns, bool (*gone)(void *ctx), void *ctx, int *status);

/* A numeric address as a socket address; returns its size, 0 when it is none. */
socklen_t probe_address(const char *host, int port, struct sockaddr_storage *out);

#endif
