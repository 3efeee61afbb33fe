/* spot.h — a sample of a target's replies, checked while it is under load.
 *
 * One more connection, on the loop, that never holds anything up: a request now and then, the reply
 * judged as verify judges it. A connection that cannot be made, breaks, or waits for its reply is
 * not wrong here: load generator and target tell of that, and spot_ask of a wait; only a reply that
 * came and is wrong is: also one that came in less than half the time to be waited, or of a
 * workload that stores or draws anew one that is no other than before. */
#ifndef TARGET_SPOT_H
#define TARGET_SPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "base/workload.h"

struct spot_spec {
    const char *host; /* numeric */
    int port;
    const struct workload *workload; /* outlives the spot */
    bool strict;                     /* workload_check_body() */
};

struct spot;

/* Asks nothing yet. NULL out of memory or for an address that is none. */
struct spot *spot_start(struct loop *loop, const struct spot_spec *spec);

/* From now on a request every interval_ns, the first after a fifth of that, unless one is still
 * waited for; 0 = none. */
void spot_pace(struct spot *s, int64_t interval_ns);

enum spot_answer {
    SPOT_JUDGED,     /* a reply came */
    SPOT_UNANSWERED, /* none in all that time, though the connection held */
    SPOT_BROKEN,     /* its connections were refused or broke, or the wait was interrupted */
};

/* One request now, or the one that is waited for, and its reply: at most timeout_ns. */
enum spot_answer spot_ask(struct spot *s, int64_t timeout_ns);

/* Replies judged so far. */
int64_t spot_checked(const struct spot *s);

/* Bytes of each reply judged so far, head and body; -1 where they differ, or fewer than two were.
 */
int64_t spot_reply_bytes(const struct spot *s);

/* What was wrong with the first wrong reply, one line; NULL while none was. */
const char *spot_wrong(const struct spot *s);

/* Closes the connection and frees it; NULL is ignored. */
void spot_stop(struct spot *s);

#endif
