#include "load/recover.h"

#include <inttypes.h>

static int recover_lie(struct err *e, const char *what, int64_t at) {
    return err_set(e, ERR_FAILED,
                   "the load generator's histogram contradicts itself: %s at %" PRId64 " µs", what,
                   at);
}

int load_recover_raw(const struct hist *corrected, int64_t duration_us, int64_t requests,
                     int64_t timeouts, int connections, struct hist *raw, struct err *e) {
    int64_t per_connection = connections > 0 ? requests / connections : 0;
    int64_t interval = INT64_MAX; /* nothing was corrected */
    if (per_connection > 0) {
        interval = duration_us / per_connection;
        if (interval <= 0) {
            return err_set(e, ERR_FAILED,
                           "the load generator's figures contradict each other: %" PRId64
                           " requests in %" PRId64 " µs",
                           requests, duration_us);
        }
    }
    size_t above = 0; /* index of the first value not below value[i] + interval */
    size_t below = 0; /* index of the first value not below value[i] − interval */
    for (size_t i = 0; i < corrected->n; i++) {
        int64_t value = corrected->value[i];
        int64_t count = corrected->count[i];
        if (value > interval && value <= INT64_MAX - interval) {
            while (above < corrected->n && corrected->value[above] < value + interval) {
                above++;
            }
            if (above < corrected->n && corrected->value[above] == value + interval) {
                count -= corrected->count[above];
            }
        }
        if (count < 0) {
            return recover_lie(e, "a count below zero", value);
        }
        /* What stands at value was also added at value − I; wrk shows nothing below its minimum. */
        if (value > interval && value - interval > interval &&
            value - interval >= corrected->value[0]) {
            while (corrected->value[below] < value - interval) {
                below++;
            }
            if (corrected->value[below] != value - interval) {
                return recover_lie(e, "a correction is missing", value - interval);
            }
        }
        if (count > 0 && hist_add(raw, value, count) != 0) {
            return err_set(e, ERR_MACHINE, "out of memory");
        }
    }
    int64_t total = hist_total(raw);
    if (timeouts >= 0 && total != requests - timeouts) {
        return err_set(e, ERR_FAILED,
                       "the load generator's figures contradict each other: %" PRId64
                       " latencies for %" PRId64 " requests less %" PRId64 " timeouts",
                       total, requests, timeouts);
    }
    return 0;
}
