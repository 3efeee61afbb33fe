/* judge.h — flags a trial by signals that do not look at its outcome (method.md section 7). */
#ifndef RUN_JUDGE_H
#define RUN_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "store/record.h"

/* What the signals of a trial are held against; the same for a whole run. */
struct judge_facts {
    int64_t local_ports;   /* how many ports clients may take, -1 = unknown */
    int64_t conntrack_max; /* connections the kernel can track, -1 = it tracks none */
    bool generator_alone;  /* each of its threads has a CPU for itself */
    int depth;             /* requests that a connection may have sent without a reply yet */
    bool replies_close;    /* each asks for the end of its connection, which the runner's do not */
};

/* Room for any text judge_reason writes. */
#define JUDGE_REASON_MAX 64

/* Writes r->flags: "NAME-warn" or "NAME-invalid" for each signal beyond its threshold, with the
 * names of base/quality.h, and "NAME-unknown" for one that could have made it invalid and could not
 * be read. Returns true when the trial's block is to be run again. */
bool judge_trial(struct trial_record *r, const struct judge_facts *facts);

/* The part of the connections' time that wrk leaves to the server, at least: 1 minus half of what
 * its busiest thread works. wrk takes a latency when it has parsed the reply, and writes the next
 * request in the next turn of its loop: meanwhile the connection is idle. A turn that reads replies
 * and the turn that writes the requests after them are of a length, so where the thread works all
 * the time half of every connection's time is idle, and the other half waits for the server. NaN
 * when the thread was not seen. */
double judge_server_share(const struct trial_record *r, bool generator_alone);

/* Connections that received nothing in the last half of the window; 0 where half of the replies
 * take more than a fifth of that, for a workload that just takes long is no silence. NaN unknown.
 */
double judge_silent(const struct trial_record *r);

/* Whether that were more than half of them, and nothing else than the server may be why: what a
 * full listen queue keeps waiting is no reply that does not come, nor is what a machine keeps that
 * gave its CPU to others. Such a trial is invalid, and the runner's own request says whether the
 * server hangs. */
bool judge_hangs(const struct trial_record *r);

/* The first signal that makes the trial invalid, with its value: "foreign-cpu 34%", "throttled 3".
 * Returns false, and writes "", when there is none. */
bool judge_reason(const struct trial_record *r, const struct judge_facts *facts, char *out,
                  size_t size);

#endif
