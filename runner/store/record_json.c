#include "store/record_json.h"
#include "store/record_series.h"

#include <stdlib.h>
#include <string.h>

/* One row a member; writing, reading and their checks all go by this table. */
enum kind {
    KIND_INT,
    KIND_INT64,
    KIND_REAL,
    KIND_TEXT,
    KIND_WORDS,
    KIND_STATUS,
    KIND_FAILURE,
    KIND_ROLE
};

struct member {
    const char *group; /* the object it is in, dotted; "" = the record itself */
    const char *name;
    size_t offset;
    size_t size; /* room of a text */
    enum kind kind;
    bool required;
};

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
    IN(#object, object, samples, KIND_INT64), IN(#object, object, mean_us, KIND_REAL),             \
        IN(#object, object, min_us, KIND_INT64), IN(#object, object, p50_us, KIND_INT64),          \
        IN(#object, object, p75_us, KIND_INT64), IN(#object, object, p90_us, KIND_INT64),          \
        IN(#object, object, p99_us, KIND_INT64), IN(#object, object, p999_us, KIND_INT64),         \
        IN(#object, object, max_us, KIND_INT64)
#define MEMORY(path, object)                                                                       \
    IN(path, object, rss, KIND_INT64), IN(path, object, anon, KIND_INT64),                         \
        IN(path, object, file, KIND_INT64), IN(path, object, shmem, KIND_INT64),                   \
        IN(path, object, pss, KIND_INT64), IN(path, object, socket, KIND_INT64)

/* NOLINTEND(bugprone-macro-parentheses) */

static const struct member members[] = {
    AT("", seq, KIND_INT64, true),
    AT("", attempt, KIND_INT, true),
    AT("", round, KIND_INT, true),
    AT("", block, KIND_INT, true),
    AT("", target, KIND_TEXT, true),
    AT("", base, KIND_TEXT, false),
    AT("", role, KIND_ROLE, false),
    AT("", workload, KIND_TEXT, true),
    AT("", connections, KIND_INT, true),
    AT("", mode, KIND_WORDS, false),
    AT("", started, KIND_TEXT, false),
    AT("", wall_s, KIND_REAL, false),
    AT("", status, KIND_STATUS, true),
    AT("", failure, KIND_FAILURE, false),
    AT("", reason, KIND_TEXT, false),
    AT("", output, KIND_TEXT, false),
    AT("", warmup_us, KIND_INT64, false),
    IN("load", load, generator, KIND_TEXT),
    IN("load", load, threads, KIND_INT),
    IN("load", load, duration_us, KIND_INT64),
    IN("load", load, requests, KIND_INT64),
    IN("load", load, bytes, KIND_INT64),
    IN("load", load, errors_connect, KIND_INT64),
    IN("load", load, errors_read, KIND_INT64),
    IN("load", load, errors_write, KIND_INT64),
    IN("load", load, errors_timeout, KIND_INT64),
    IN("load", load, errors_status, KIND_INT64),
    IN("load", load, cpu_s, KIND_REAL),
    IN("load", load, thread_busy, KIND_REAL),
    IN("load", load, latency_step_us, KIND_INT64),
    AT("", replies_checked, KIND_INT64, false),
    AT("", rate, KIND_REAL, false),
    LATENCY(raw),
    LATENCY(corrected),
    AT("", stall_us, KIND_INT64, false),
    AT("", active_ratio, KIND_REAL, false),
    IN("server", server, source, KIND_TEXT),
    IN("server", server, pid, KIND_INT64),
    IN("server", server, processes, KIND_INT64),
    IN("server", server, cpu_ns, KIND_INT64),
    IN("server", server, user_ns, KIND_INT64),
    IN("server", server, system_ns, KIND_INT64),
    IN("server", server, switches_voluntary, KIND_INT64),
    IN("server", server, switches_involuntary, KIND_INT64),
    IN("server", server, cpus_used, KIND_REAL),
    IN("server", server, cpu_us_per_request, KIND_REAL),
    IN("server", server, requests, KIND_INT64),
    IN("server", server, accepted, KIND_INT64),
    MEMORY("memory.idle", memory.idle),
    MEMORY("memory.loaded", memory.loaded),
    IN("memory", memory, peak_rss, KIND_INT64),
    IN("memory", memory, peak_pss, KIND_INT64),
    IN("environment", environment, steal_ratio, KIND_REAL),
    IN("environment", environment, foreign_cpus, KIND_REAL),
    IN("environment", environment, foreign_error, KIND_REAL),
    IN("environment", environment, runner_cpus, KIND_REAL),
    IN("environment", environment, throttled, KIND_INT64),
    IN("environment", environment, listen_overflows, KIND_INT64),
    IN("environment", environment, listen_drops, KIND_INT64),
    IN("environment", environment, retransmits, KIND_INT64),
    IN("environment", environment, time_wait, KIND_INT64),
    IN("environment", environment, conntrack, KIND_INT64),
    IN("environment", environment, speed_before, KIND_REAL),
    IN("environment", environment, speed_after, KIND_REAL),
    AT("", flags, KIND_WORDS, false),
    AT("", hist_offset, KIND_INT64, false),
    AT("", hist_length, KIND_INT64, false),
};

#define MEMBER_COUNT (sizeof members / sizeof members[0])

/* Figures above this would overflow sums over a run; nothing that is measured comes near. */
#define INT_LIMIT  ((int64_t)1 << 60)
#define REAL_LIMIT 1e18

static json_t *words_to_json(const char *text) {
    json_t *list = json_array();
    while (list && *text) {
        size_t len = strcspn(text, " ");
        if (len > 0 && json_array_append_new(list, json_stringn(text, len)) != 0) {
            json_decref(list);
            return NULL;
        }
        text += len;
        text += *text == ' ';
    }
    return list;
}

/* A server's last words may be any bytes; a trial must not be lost for that. */
static json_t *text_to_json(const char *text) {
    json_t *v = json_string(text);
    if (!v) {
        char plain[sizeof((struct trial_record *)0)->output];
        size_t n = 0;
        for (; n + 1 < sizeof plain && text[n]; n++) {
            plain[n] = (unsigned char)text[n] < 0x80 ? text[n] : '?';
        }
        plain[n] = '\0';
        v = json_string(plain);
    }
    return v;
}

static json_t *member_to_json(const struct member *m, const struct trial_record *r) {
    const char *at = (const char *)r + m->offset;
    switch (m->kind) {
    case KIND_INT: {
        int v = *(const int *)(const void *)at;
        return v < 0 ? json_null() : json_integer(v);
    }
    case KIND_INT64: {
        int64_t v = *(const int64_t *)(const void *)at;
        return v < 0 ? json_null() : json_integer(v);
    }
    case KIND_REAL: {
        double v = *(const double *)(const void *)at;
        return isfinite(v) ? json_real(v) : json_null();
    }
    case KIND_TEXT:
        return text_to_json(at);
    case KIND_WORDS:
        return words_to_json(at);
    case KIND_STATUS:
        return json_string(r->status == TRIAL_OK ? "ok" : "failed");
    case KIND_FAILURE:
        return r->failure == FAIL_NONE ? json_null() : json_string(record_failure_name(r->failure));
    case KIND_ROLE:
        return json_string(record_role_name(r->role));
    }
    return NULL;
}

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

/* Walks a dotted group; NULL where a part is absent. */
static json_t *group_find(json_t *object, const char *group, bool create) {
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

json_t *record_to_json(const struct trial_record *r) {
    json_t *root = json_object();
    for (size_t i = 0; root && i < MEMBER_COUNT; i++) {
        json_t *object = group_find(root, members[i].group, true);
        if (!object ||
            json_object_set_new(object, members[i].name, member_to_json(&members[i], r)) != 0) {
            json_decref(root);
            return NULL;
        }
    }
    if (root && json_object_set_new(group_find(root, "memory", true), "series",
                                    record_series_to_json(&r->memory.series)) != 0) {
        json_decref(root);
        return NULL;
    }
    return root;
}

char *record_to_line(const struct trial_record *r) {
    json_t *json = record_to_json(r);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(json);
    if (!text) {
        return NULL;
    }
    size_t len = strlen(text);
    char *line = realloc(text, len + 2);
    if (!line) {
        free(text);
        return NULL;
    }
    line[len] = '\n';
    line[len + 1] = '\0';
    return line;
}

static int bad_member(const struct member *m, const char *expected, struct err *e) {
    return err_set(e, ERR_USAGE, "%s%s%s is not %s", m->group, *m->group ? "." : "", m->name,
                   expected);
}

static int read_int(const struct member *m, const json_t *v, int64_t limit, int64_t *out,
                    struct err *e) {
    if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > limit) {
        return bad_member(m, "a whole number in range", e);
    }
    *out = json_integer_value(v);
    return 0;
}

static int read_text(const struct member *m, const json_t *v, char *out, struct err *e) {
    if (!json_is_string(v)) {
        return bad_member(m, "a text", e);
    }
    size_t len = json_string_length(v);
    if (len >= m->size) {
        return bad_member(m, "short enough", e);
    }
    if (len == 0 && m->required) {
        return bad_member(m, "a name (it is empty)", e);
    }
    memcpy(out, json_string_value(v), len + 1);
    return 0;
}

static int read_words(const struct member *m, const json_t *v, char *out, struct err *e) {
    size_t used = 0;
    if (!json_is_array(v)) {
        return bad_member(m, "a list", e);
    }
    for (size_t i = 0; i < json_array_size(v); i++) {
        const json_t *word = json_array_get(v, i);
        size_t len = json_string_length(word);
        if (!json_is_string(word) || len == 0 || strpbrk(json_string_value(word), " \t\r\n")) {
            return bad_member(m, "a list of words", e);
        }
        if (used + len + 2 > m->size) {
            return bad_member(m, "short enough", e);
        }
        if (used > 0) {
            out[used++] = ' ';
        }
        memcpy(out + used, json_string_value(word), len);
        used += len;
    }
    out[used] = '\0';
    return 0;
}

/* The index of a text among `n` names, or -1. */
static int read_name(const json_t *v, const char *(*name)(int), int n) {
    for (int i = 0; json_is_string(v) && i < n; i++) {
        if (strcmp(json_string_value(v), name(i)) == 0) {
            return i;
        }
    }
    return -1;
}

static const char *failure_name(int i) {
    return record_failure_name((enum trial_failure)i);
}

static const char *role_name(int i) {
    return record_role_name((enum target_role)i);
}

static const char *status_name(int i) {
    return i == TRIAL_OK ? "ok" : "failed";
}

static int read_enum(const struct member *m, const json_t *v, struct trial_record *r,
                     struct err *e) {
    int found = -1;
    if (m->kind == KIND_STATUS && (found = read_name(v, status_name, TRIAL_FAILED + 1)) >= 0) {
        r->status = (enum trial_status)found;
    } else if (m->kind == KIND_ROLE && (found = read_name(v, role_name, ROLE_NULL + 1)) >= 0) {
        r->role = (enum target_role)found;
    } else if (m->kind == KIND_FAILURE &&
               (found = read_name(v, failure_name, FAIL_OTHER + 1)) >= 0) {
        r->failure = (enum trial_failure)found;
        /* No failure is null, not a word. */
        found = r->failure == FAIL_NONE ? -1 : found;
    }
    return found < 0 ? bad_member(m, "one of the known words", e) : 0;
}

static int member_from_json(const struct member *m, const json_t *v, struct trial_record *r,
                            struct err *e) {
    char *at = (char *)r + m->offset;
    int64_t whole = 0;
    if (!v || json_is_null(v)) {
        return m->required ? bad_member(m, "there", e) : 0;
    }
    switch (m->kind) {
    case KIND_INT:
        if (read_int(m, v, INT32_MAX, &whole, e) != 0) {
            return -1;
        }
        *(int *)(void *)at = (int)whole;
        return 0;
    case KIND_INT64:
        return read_int(m, v, INT_LIMIT, (int64_t *)(void *)at, e);
    case KIND_REAL:
        if (!json_is_number(v) || !(json_number_value(v) >= 0) ||
            json_number_value(v) > REAL_LIMIT) {
            return bad_member(m, "a number in range", e);
        }
        *(double *)(void *)at = json_number_value(v);
        return 0;
    case KIND_TEXT:
        return read_text(m, v, at, e);
    case KIND_WORDS:
        return read_words(m, v, at, e);
    case KIND_STATUS:
    case KIND_FAILURE:
    case KIND_ROLE:
        return read_enum(m, v, r, e);
    }
    return -1;
}

/* What no single member shows. */
static int check_record(struct trial_record *r, struct err *e) {
    if (r->base[0] == '\0') {
        memcpy(r->base, r->target, sizeof r->base);
    }
    if ((r->status == TRIAL_OK) != (r->failure == FAIL_NONE)) {
        return err_set(e, ERR_USAGE, "status and failure contradict each other");
    }
    if (r->connections < 1) {
        return err_set(e, ERR_USAGE, "connections is not above 0");
    }
    if ((r->hist_offset < 0) != (r->hist_length < 0)) {
        return err_set(e, ERR_USAGE, "hist_offset and hist_length are not both there");
    }
    return 0;
}

int record_from_json(const json_t *json, struct trial_record *r, struct err *e) {
    record_init(r);
    if (!json_is_object(json)) {
        return err_set(e, ERR_USAGE, "not a JSON object");
    }
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        /* Nothing is created when reading, so the object stays as it is. */
        json_t *object = group_find((json_t *)json, members[i].group, false);
        if (object && !json_is_null(object) && !json_is_object(object)) {
            return err_set(e, ERR_USAGE, "%s is not an object", members[i].group);
        }
        if (member_from_json(&members[i], json_object_get(object, members[i].name), r, e) != 0) {
            return -1;
        }
    }
    const json_t *memory = json_object_get(json, "memory");
    if (record_series_from_json(json_object_get(memory, "series"), &r->memory.series, e) != 0) {
        return -1;
    }
    return check_record(r, e);
}

int record_from_line(const char *line, size_t len, struct trial_record *r, struct err *e) {
    json_error_t why;
    json_t *json = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
    if (!json) {
        return err_set(e, ERR_USAGE, "not JSON (%s)", why.text);
    }
    int rc = record_from_json(json, r, e);
    json_decref(json);
    return rc;
}
