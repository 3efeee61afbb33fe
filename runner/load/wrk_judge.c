#include "load/wrk_judge.h"

#include <inttypes.h>

#include "load/recover.h"
#include "load/summary.h"

/* Whether the window was as long as wanted. */
static enum load_failure wrk_judge_length(const struct wrk_wanted *w,
                                          const struct load_outcome *out, struct err *e) {
    int64_t wanted_us = w->duration_ns / 1000;
    int64_t lost = (out->errors_read + out->errors_write) * w->pipeline;
    if (w->counts && out->requests + lost < w->requests) {
        err_set(e, ERR_FAILED, "wrk ended early: %" PRId64 " of %" PRId64 " requests were answered",
                out->requests, w->requests);
        return LOAD_EARLY;
    }
    if (w->counts && out->requests > w->requests) {
        err_set(e, ERR_FAILED, "wrk sent %" PRId64 " requests instead of %" PRId64, out->requests,
                w->requests);
        return LOAD_LIES;
    }
    if (!w->counts && w->phase == LOAD_WINDOW && out->duration_us < wanted_us - wanted_us / 100) {
        err_set(e, ERR_FAILED, "wrk ended early: it measured %.3f s of %.3f s",
                (double)out->duration_us / 1e6, (double)wanted_us / 1e6);
        return LOAD_EARLY;
    }
    return LOAD_OK;
}

/* Raw latencies and what they say; of batches only what they say. */
static enum load_failure wrk_recover(const struct wrk_wanted *w, struct load_outcome *out,
                                     struct err *e) {
    bool batches = w->pipeline > 1;
    int64_t timeouts = batches ? -1 : out->errors_timeout;
    /* It times a batch as a whole, and may end within one. */
    out->late = out->errors_timeout * w->pipeline;
    out->late = out->late < out->requests ? out->late : out->requests;
    if (load_recover_raw(&out->corrected, out->wall_us, out->requests, timeouts, w->connections,
                         &out->raw, e) != 0) {
        return LOAD_LIES;
    }
    if (batches && hist_total(&out->raw) > out->requests / w->pipeline) {
        err_set(e, ERR_FAILED,
                "the load generator's figures contradict each other: more latencies "
                "than batches");
        return LOAD_LIES;
    }
    if (!w->close) { /* else connecting is no part of a latency */
        out->active_ratio =
            load_active_ratio(&out->raw, w->connections, out->duration_us) +
            (double)out->idle_us / ((double)w->connections * (double)out->duration_us);
    }
    if (batches) {
        hist_release(&out->raw);
    }
    if (batches ||
        w->counts) { /* counted, wrk corrects by a time that is not that of the requests */
        hist_release(&out->corrected);
    }
    return LOAD_OK;
}

enum load_failure wrk_judge(const struct wrk_wanted *w, struct load_outcome *out, struct err *e) {
    int64_t failed = out->errors_connect + out->errors_read + out->errors_write;
    if (out->requests == 0 && failed > 0) {
        err_set(e, ERR_FAILED,
                "no reply completed in %.3f s: %" PRId64 " connect, %" PRId64 " read, %" PRId64
                " write errors",
                (double)out->duration_us / 1e6, out->errors_connect, out->errors_read,
                out->errors_write);
        return LOAD_REFUSED;
    }
    enum load_failure f = wrk_judge_length(w, out, e);
    if (f != LOAD_OK || w->phase == LOAD_WARMUP) {
        return f; /* a slow workload may complete nothing in half a second of warm-up */
    }
    if (out->requests == 0) {
        err_set(e, ERR_FAILED, "no reply completed in %.3f s: it hangs, or takes longer for one",
                (double)out->duration_us / 1e6);
        return LOAD_HUNG;
    }
    return wrk_recover(w, out, e);
}
