/* replies.h — the sample of replies that is checked while a trial runs, and how seldom. */
#ifndef RUN_REPLIES_H
#define RUN_REPLIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "base/workload.h"
#include "store/record.h"
#include "target/target.h"

struct spot;

/* Zeroed: nothing is looked at, and all below do nothing. */
struct replies {
    struct spot *spot;
    const struct workload *workload;
};

/* Prepares for a target that is ready; asks nothing yet. */
void replies_start(struct replies *r, struct loop *loop, const struct target *t,
                   const struct workload *w, bool strict);

/* During the warm-up, which is not measured: four a second. */
void replies_pace(struct replies *r);

/* During the window: four a second, but no more than one in a thousand of what the load generator
 * sends at the rate of the warm-up (`requests` in `duration_us`), so that neither throughput nor
 * CPU per request can show it; none where that rate is not known. */
void replies_pace_by(struct replies *r, int64_t requests, int64_t duration_us);

/* What the target may still have to answer before the runner's own request when the load has gone:
 * a request of each connection, at half of its pace; 60 s at most. */
int64_t replies_backlog_ns(const struct load_result *l, int connections);

/* While nothing is measured: one reply, waited for, or two where none was looked at yet; none from
 * here on. Waits 5 s, and backlog_ns more for what the target still has to answer before it.
 * Returns false, and in *waited_ns how long it waited, when a target that holds the connection sent
 * none: it hangs. A connection that is refused or breaks is for others to tell. */
bool replies_ask(struct replies *r, int64_t backlog_ns, int64_t *waited_ns);

/* What is wrong with the first wrong reply, one line, or NULL. */
const char *replies_wrong(const struct replies *r);

/* How many replies were judged, and the bytes of each, head and body; -1 where none were to be, or
 * where no two were or they differ. */
int64_t replies_checked(const struct replies *r);
int64_t replies_bytes(const struct replies *r);

/* Ends it. */
void replies_stop(struct replies *r);

#endif
