#include "store/record_members.h"

#include <string.h>

/* NOLINTBEGIN(bugprone-macro-parentheses): members cannot stand in parentheses */
#define AT(group, member, kind, required)                                                          \
    {                                                                                              \
        group, #member, offsetof(struct trial_record, member),                                     \
            sizeof(((struct trial_record *)0)->member), kind, required                             \
    }
#define IN(path, object, member, kind)                                                             \
    {                                                                                              \
        path, #member, offsetof(struct trial_record, object.member),                               \
            sizeof(((struct trial_record *)0)->object.member), kind, false                         \
    }
#define LATENCY(object)                                                                            \
    IN(#object, object, samples, MEMBER_INT64), IN(#object, object, mean_us, MEMBER_REAL),         \
        IN(#object, object, min_us, MEMBER_INT64), IN(#object, object, p50_us, MEMBER_INT64),      \
        IN(#object, object, p75_us, MEMBER_INT64), IN(#object, object, p90_us, MEMBER_INT64),      \
        IN(#object, object, p99_us, MEMBER_INT64), IN(#object, object, p999_us, MEMBER_INT64),     \
        IN(#object, object, max_us, MEMBER_INT64)
#define MEMORY(path, object)                                                                       \
    IN(path, object, rss, MEMBER_INT64), IN(path, object, anon, MEMBER_INT64),                     \
        IN(path, object, file, MEMBER_INT64), IN(path, object, shmem, MEMBER_INT64),               \
        IN(path, object, pss, MEMBER_INT64), IN(path, object, socket, MEMBER_INT64)

/* NOLINTEND(bugprone-macro-parentheses) */

const struct member record_members[] = {
    AT("", seq, MEMBER_INT64, true),
    AT("", attempt, MEMBER_INT, true),
    AT("", round, MEMBER_INT, true),
    AT("", block, MEMBER_INT, true),
    AT("", target, MEMBER_TEXT, true),
    AT("", base, MEMBER_TEXT, false),
    AT("", role, MEMBER_ROLE, false),
    AT("", workload, MEMBER_TEXT, true),
    AT("", connections, MEMBER_INT, true),
    AT("", mode, MEMBER_WORDS, false),
    AT("", started, MEMBER_TEXT, false),
    AT("", wall_s, MEMBER_REAL, false),
    AT("", status, MEMBER_STATUS, true),
    AT("", failure, MEMBER_FAILURE, false),
    AT("", reason, MEMBER_TEXT, false),
    AT("", output, MEMBER_TEXT, false),
    AT("", warmup_us, MEMBER_INT64, false),
    IN("load", load, generator, MEMBER_TEXT),
    IN("load", load, threads, MEMBER_INT),
    IN("load", load, duration_us, MEMBER_INT64),
    IN("load", load, requests, MEMBER_INT64),
    IN("load", load, bytes, MEMBER_INT64),
    IN("load", load, errors_connect, MEMBER_INT64),
    IN("load", load, errors_read, MEMBER_INT64),
    IN("load", load, errors_write, MEMBER_INT64),
    IN("load", load, errors_timeout, MEMBER_INT64),
    IN("load", load, errors_status, MEMBER_INT64),
    IN("load", load, cpu_s, MEMBER_REAL),
    IN("load", load, thread_busy, MEMBER_REAL),
    IN("load", load, latency_step_us, MEMBER_INT64),
    IN("load", load, silent, MEMBER_INT64),
    AT("", replies_checked, MEMBER_INT64, false),
    AT("", reply_bytes, MEMBER_INT64, false),
    AT("", rate, MEMBER_REAL, false),
    LATENCY(raw),
    LATENCY(corrected),
    AT("", stall_us, MEMBER_INT64, false),
    AT("", active_ratio, MEMBER_REAL, false),
    IN("server", server, source, MEMBER_TEXT),
    IN("server", server, pid, MEMBER_INT64),
    IN("server", server, processes, MEMBER_INT64),
    IN("server", server, cpu_ns, MEMBER_INT64),
    IN("server", server, user_ns, MEMBER_INT64),
    IN("server", server, system_ns, MEMBER_INT64),
    IN("server", server, switches_voluntary, MEMBER_INT64),
    IN("server", server, switches_involuntary, MEMBER_INT64),
    IN("server", server, cpus_used, MEMBER_REAL),
    IN("server", server, cpu_us_per_request, MEMBER_REAL),
    IN("server", server, requests, MEMBER_INT64),
    IN("server", server, accepted, MEMBER_INT64),
    MEMORY("memory.idle", memory.idle),
    MEMORY("memory.loaded", memory.loaded),
    IN("memory", memory, peak_rss, MEMBER_INT64),
    IN("memory", memory, peak_pss, MEMBER_INT64),
    IN("environment", environment, steal_ratio, MEMBER_REAL),
    IN("environment", environment, foreign_cpus, MEMBER_REAL),
    IN("environment", environment, foreign_error, MEMBER_REAL),
    IN("environment", environment, runner_cpus, MEMBER_REAL),
    IN("environment", environment, database_cpus, MEMBER_REAL),
    IN("environment", environment, throttled, MEMBER_INT64),
    IN("environment", environment, listen_overflows, MEMBER_INT64),
    IN("environment", environment, listen_drops, MEMBER_INT64),
    IN("environment", environment, retransmits, MEMBER_INT64),
    IN("environment", environment, time_wait, MEMBER_INT64),
    IN("environment", environment, conntrack, MEMBER_INT64),
    IN("environment", environment, speed_block, MEMBER_REAL),
    IN("environment", environment, speed_before, MEMBER_REAL),
    IN("environment", environment, speed_after, MEMBER_REAL),
    AT("", flags, MEMBER_WORDS, false),
    AT("", hist_offset, MEMBER_INT64, false),
    AT("", hist_length, MEMBER_INT64, false),
};

const size_t record_member_count = sizeof record_members / sizeof record_members[0];

/* The member named by the first `len` bytes of `group`. */
static json_t *group_step(json_t *object, const char *group, size_t len, bool create) {
    char key[32];
    if (len >= sizeof key) {
        return NULL;
    }
    memcpy(key, group, len);
    key[len] = '\0';
    json_t *inner = json_object_get(object, key);
    if (!inner && create && json_object_set_new(object, key, json_object()) == 0) {
        inner = json_object_get(object, key);
    }
    return inner;
}

json_t *record_group(json_t *object, const char *group, bool create) {
    while (object && *group) {
        size_t len = strcspn(group, ".");
        if (!json_is_object(object)) {
            return object; /* of the wrong type: the caller says so */
        }
        object = group_step(object, group, len, create);
        group += len;
        group += *group == '.';
    }
    return object;
}
