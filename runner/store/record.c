#include "store/record.h"

#include <string.h>

static const struct memory_sample memory_unknown = {
    .rss = UNKNOWN_INT,
    .anon = UNKNOWN_INT,
    .file = UNKNOWN_INT,
    .shmem = UNKNOWN_INT,
    .pss = UNKNOWN_INT,
    .socket = UNKNOWN_INT,
};

static const struct load_result load_unknown = {
    .threads = UNKNOWN_INT,
    .duration_us = UNKNOWN_INT,
    .requests = UNKNOWN_INT,
    .bytes = UNKNOWN_INT,
    .errors_connect = UNKNOWN_INT,
    .errors_read = UNKNOWN_INT,
    .errors_write = UNKNOWN_INT,
    .errors_timeout = UNKNOWN_INT,
    .errors_status = UNKNOWN_INT,
    .cpu_s = UNKNOWN_REAL,
    .thread_busy = UNKNOWN_REAL,
    .latency_step_us = UNKNOWN_INT,
    .silent = UNKNOWN_INT,
};

static const struct server_result server_unknown = {
    .pid = UNKNOWN_INT,
    .processes = UNKNOWN_INT,
    .cpu_ns = UNKNOWN_INT,
    .user_ns = UNKNOWN_INT,
    .system_ns = UNKNOWN_INT,
    .switches_voluntary = UNKNOWN_INT,
    .switches_involuntary = UNKNOWN_INT,
    .cpus_used = UNKNOWN_REAL,
    .cpu_us_per_request = UNKNOWN_REAL,
    .requests = UNKNOWN_INT,
    .accepted = UNKNOWN_INT,
};

static const struct environment_result environment_unknown = {
    .steal_ratio = UNKNOWN_REAL,
    .foreign_cpus = UNKNOWN_REAL,
    .foreign_error = UNKNOWN_REAL,
    .runner_cpus = UNKNOWN_REAL,
    .database_cpus = UNKNOWN_REAL,
    .throttled = UNKNOWN_INT,
    .listen_overflows = UNKNOWN_INT,
    .listen_drops = UNKNOWN_INT,
    .retransmits = UNKNOWN_INT,
    .time_wait = UNKNOWN_INT,
    .conntrack = UNKNOWN_INT,
    .speed_block = UNKNOWN_REAL,
    .speed_before = UNKNOWN_REAL,
    .speed_after = UNKNOWN_REAL,
};

void record_init(struct trial_record *r) {
    *r = (struct trial_record){
        .wall_s = UNKNOWN_REAL,
        .warmup_us = UNKNOWN_INT,
        .replies_checked = UNKNOWN_INT,
        .reply_bytes = UNKNOWN_INT,
        .load = load_unknown,
        .rate = UNKNOWN_REAL,
        .raw = LATENCY_UNKNOWN,
        .corrected = LATENCY_UNKNOWN,
        .stall_us = UNKNOWN_INT,
        .active_ratio = UNKNOWN_REAL,
        .server = server_unknown,
        .memory = {.idle = memory_unknown,
                   .loaded = memory_unknown,
                   .peak_rss = UNKNOWN_INT,
                   .peak_pss = UNKNOWN_INT},
        .environment = environment_unknown,
        .hist_offset = UNKNOWN_INT,
        .hist_length = UNKNOWN_INT,
    };
}

const char *record_failure_name(enum trial_failure f) {
    static const char *const names[] = {
        [FAIL_NONE] = "none",       [FAIL_START] = "start",         [FAIL_READY] = "ready",
        [FAIL_CRASHED] = "crashed", [FAIL_REFUSED] = "refused",     [FAIL_HUNG] = "hung",
        [FAIL_TIMEOUT] = "timeout", [FAIL_GENERATOR] = "generator", [FAIL_STOP] = "stop",
        [FAIL_CONTENT] = "content", [FAIL_OTHER] = "other",
    };
    return names[f];
}

const char *record_role_name(enum target_role role) {
    static const char *const names[] = {
        [ROLE_TARGET] = "target",
        [ROLE_CONTROL] = "control",
        [ROLE_NULL] = "null",
    };
    return names[role];
}

bool record_has_flag(const struct trial_record *r, const char *word) {
    const size_t len = strlen(word);
    for (const char *at = r->flags; (at = strstr(at, word)); at += len) {
        if ((at == r->flags || at[-1] == ' ') && (at[len] == '\0' || at[len] == ' ')) {
            return true;
        }
    }
    return false;
}
