#include "base/mode.h"

#include <inttypes.h>
#include <stdio.h>

static int mode_check_alone(const struct mode *m, struct err *e) {
    if (m->pipeline < 0 || m->pipeline > MODE_PIPELINE_MAX || m->requests < 0 ||
        m->requests > MODE_REQUESTS_MAX || m->think_min_ms < 0 ||
        m->think_min_ms > m->think_max_ms) {
        return err_set(e, ERR_USAGE, "the load's mode is out of range");
    }
    if (m->pipeline > 1 && m->close) {
        return err_set(e, ERR_USAGE,
                       "requests cannot be pipelined where each has a connection of its own: leave "
                       "out --pipeline or --no-keepalive");
    }
    if (m->pipeline > 1 && m->requests % m->pipeline != 0) {
        return err_set(e, ERR_USAGE,
                       "%" PRId64 " requests are not whole batches of %d: choose a multiple of %d",
                       m->requests, m->pipeline, m->pipeline);
    }
    return 0;
}

int mode_check(const struct mode *m, int64_t connections, int64_t threads, struct err *e) {
    int depth = m->pipeline > 1 ? m->pipeline : 1;
    if (mode_check_alone(m, e) != 0) {
        return -1;
    }
    if (m->pipeline > 1 && connections * depth > MODE_IN_FLIGHT_MAX) {
        return err_set(e, ERR_USAGE,
                       "%" PRId64
                       " connections with %d requests each are more than %d at once: choose "
                       "fewer of either",
                       connections, depth, MODE_IN_FLIGHT_MAX);
    }
    if (m->requests > 0 && m->requests < connections * depth) {
        return err_set(
            e, ERR_USAGE,
            "%" PRId64 " requests do not reach all of %" PRId64 " connections%s: choose at least "
            "%" PRId64,
            m->requests, connections, depth > 1 ? " in whole batches" : "", connections * depth);
    }
    if (m->requests > 0 && m->requests < threads) {
        return err_set(e, ERR_USAGE,
                       "%" PRId64 " requests do not reach all of %" PRId64 " threads: choose more",
                       m->requests, threads);
    }
    return 0;
}

size_t mode_text(const struct mode *m, char *out, size_t size) {
    char requests[32] = "";
    char think[64] = "";
    char pipeline[32] = "";
    if (m->requests > 0) {
        snprintf(requests, sizeof requests, " requests=%" PRId64, m->requests);
    }
    if (m->think_max_ms > 0 && m->think_min_ms == m->think_max_ms) {
        snprintf(think, sizeof think, " think=%" PRId64 "ms", m->think_max_ms);
    } else if (m->think_max_ms > 0) {
        snprintf(think, sizeof think, " think=%" PRId64 "..%" PRId64 "ms", m->think_min_ms,
                 m->think_max_ms);
    }
    if (m->pipeline > 1) {
        snprintf(pipeline, sizeof pipeline, " pipeline=%d", m->pipeline);
    }
    char all[MODE_TEXT_SIZE + 1];
    int n =
        snprintf(all, sizeof all, "%s%s%s%s", requests, think, pipeline, m->close ? " close" : "");
    snprintf(out, size, "%s", n > 0 ? all + 1 : "");
    return n > 0 ? (size_t)n - 1 : 0;
}
