#include "load/load.h"

#include <math.h>
#include <string.h>

#define COUNT 4 /* generators */

void load_outcome_init(struct load_outcome *o) {
    memset(o, 0, sizeof *o);
    o->duration_us = o->requests = o->bytes = -1;
    o->errors_connect = o->errors_read = o->errors_write = -1;
    o->errors_timeout = o->errors_status = o->late = -1;
    o->silent = -1;
    o->cpu_s = (double)NAN;
    o->cpu_ns = -1;
    o->active_ratio = (double)NAN;
    o->wall_us = o->idle_us = -1;
    o->told = (struct latency_summary)LATENCY_UNKNOWN;
    o->latency_step_us = -1;
}

void load_outcome_release(struct load_outcome *o) {
    hist_release(&o->corrected);
    hist_release(&o->raw);
}

int64_t load_good(const struct load_outcome *o) {
    if (o->requests < 0) {
        return -1;
    }
    int64_t good = o->requests;
    good -= o->errors_status > 0 ? o->errors_status : 0;
    good -= o->late > 0 ? o->late : 0;
    return good > 0 ? good : 0;
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

const struct load_ops *load_at(size_t i) {
    static const struct load_ops *const all[COUNT] = {&load_wrk, &load_ab, &load_h2load,
                                                      &load_siege};
    return i < COUNT ? all[i] : NULL;
}

const struct load_ops *load_find(const char *name) {
    size_t i = 0;
    while (load_at(i) && strcmp(load_at(i)->name, name) != 0) {
        i++;
    }
    return load_at(i);
}
