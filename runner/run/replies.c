#include "run/replies.h"

#include <math.h>
#include <stddef.h>

#include "base/clock.h"
#include "target/spot.h"

#define INTERVAL_NS    INT64_C(250000000)
#define TIMEOUT_NS     INT64_C(5000000000)
#define BACKLOG_MAX_NS 60e9
#define ONE_IN         1000

void replies_start(struct replies *r, struct loop *loop, const struct target *t,
                   const struct workload *w, bool strict) {
    const struct spot_spec spec = {
        .host = t->host, .port = t->port, .workload = w, .strict = strict};
    r->workload = w;
    r->spot = spot_start(loop, &spec);
}

void replies_pace(struct replies *r) {
    if (r->spot) {
        spot_pace(r->spot, INTERVAL_NS);
    }
}

void replies_pace_by(struct replies *r, int64_t requests, int64_t duration_us) {
    int64_t interval = 0;
    if (requests > 0 && duration_us > 0) {
        interval = (int64_t)((double)duration_us * 1e3 / (double)requests * ONE_IN);
        interval = interval > INTERVAL_NS ? interval : INTERVAL_NS;
    }
    if (r->spot) {
        spot_pace(r->spot, interval);
    }
}

int64_t replies_backlog_ns(const struct load_result *l, int connections) {
    if (l->requests <= 0 || l->duration_us <= 0) {
        return 0;
    }
    const double ns = 2e3 * (double)l->duration_us * connections / (double)l->requests;
    return (int64_t)fmin(ns, BACKLOG_MAX_NS);
}

bool replies_ask(struct replies *r, int64_t backlog_ns, int64_t *waited_ns) {
    const int64_t begun = clock_mono_ns();
    bool answers = true;
    *waited_ns = 0;
    if (r->spot) {
        spot_pace(r->spot, 0);
        /* Some mistakes show only in two replies: the same drawn twice, a document not stored. */
        for (int i = 0;
             i < 2 && answers && (i == 0 || spot_checked(r->spot) < 2) && !spot_wrong(r->spot);
             i++) {
            answers = spot_ask(r->spot, TIMEOUT_NS + backlog_ns +
                                            r->workload->least_ms * 1000000) != SPOT_UNANSWERED;
        }
    }
    *waited_ns = clock_mono_ns() - begun;
    return answers;
}

const char *replies_wrong(const struct replies *r) {
    return r->spot ? spot_wrong(r->spot) : NULL;
}

int64_t replies_checked(const struct replies *r) {
    return r->spot ? spot_checked(r->spot) : -1;
}

int64_t replies_bytes(const struct replies *r) {
    return r->spot && !r->workload->length_varies ? spot_reply_bytes(r->spot) : -1;
}

void replies_stop(struct replies *r) {
    spot_stop(r->spot);
    r->spot = NULL;
}
