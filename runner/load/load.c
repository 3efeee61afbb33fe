#include "load/load.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void load_outcome_init(struct load_outcome *o) {
    memset(o, 0, sizeof *o);
    o->duration_us = o->requests = o->bytes = -1;
    o->errors_connect = o->errors_read = o->errors_write = -1;
    o->errors_timeout = o->errors_status = -1;
    o->cpu_s = (double)NAN;
    o->cpu_ns = -1;
    o->active_ratio = (double)NAN;
    o->wall_us = o->idle_us = -1;
}

void load_outcome_release(struct load_outcome *o) {
    hist_release(&o->corrected);
    hist_release(&o->raw);
}

static int mode_check_alone(const struct load_mode *m, struct err *e) {
    if (m->pipeline < 0 || m->pipeline > LOAD_PIPELINE_MAX || m->requests < 0 ||
        m->requests > LOAD_REQUESTS_MAX || m->think_min_ms < 0 ||
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

int load_mode_check(const struct load_mode *m, int connections, int threads, struct err *e) {
    int depth = m->pipeline > 1 ? m->pipeline : 1;
    if (mode_check_alone(m, e) != 0) {
        return -1;
    }
    if (m->pipeline > 1 && (int64_t)connections * depth > LOAD_IN_FLIGHT_MAX) {
        return err_set(e, ERR_USAGE,
                       "%d connections with %d requests each are more than %d at once: choose "
                       "fewer of either",
                       connections, depth, LOAD_IN_FLIGHT_MAX);
    }
    if (m->requests > 0 && m->requests < (int64_t)connections * depth) {
        return err_set(e, ERR_USAGE,
                       "%" PRId64 " requests do not reach all of %d connections%s: choose at least "
                       "%" PRId64,
                       m->requests, connections, depth > 1 ? " in whole batches" : "",
                       (int64_t)connections * depth);
    }
    if (m->requests > 0 && m->requests < threads) {
        return err_set(e, ERR_USAGE, "%" PRId64 " requests do not reach all of %d threads",
                       m->requests, threads);
    }
    return 0;
}

const char *load_failure_name(enum load_failure f) {
    static const char *const names[] = {
        [LOAD_OK] = "ok",
        [LOAD_MISSING] = "missing",
        [LOAD_SPEC] = "spec",
        [LOAD_EXIT] = "exit",
        [LOAD_KILLED] = "killed",
        [LOAD_RESULT] = "result",
        [LOAD_LIES] = "lies",
        [LOAD_EARLY] = "early",
        [LOAD_TIMEOUT] = "timeout",
        [LOAD_HUNG] = "hung",
        [LOAD_REFUSED] = "refused",
        [LOAD_STOPPED] = "stopped",
        [LOAD_INTERRUPTED] = "interrupted",
    };
    return (size_t)f < sizeof names / sizeof *names ? names[f] : "unknown";
}
