/* A trial record from JSON, strictly. */
#include <string.h>

#include "store/record_json.h"
#include "store/record_members.h"
#include "store/record_series.h"
#include "store/shown.h"

/* Figures above this would overflow sums over a run; nothing that is measured comes near. */
#define INT_LIMIT  ((int64_t)1 << 60)
#define REAL_LIMIT 1e18

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
    if (m->kind == MEMBER_STATUS && (found = read_name(v, status_name, TRIAL_FAILED + 1)) >= 0) {
        r->status = (enum trial_status)found;
    } else if (m->kind == MEMBER_ROLE && (found = read_name(v, role_name, ROLE_NULL + 1)) >= 0) {
        r->role = (enum target_role)found;
    } else if (m->kind == MEMBER_FAILURE &&
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
    case MEMBER_INT:
        if (read_int(m, v, INT32_MAX, &whole, e) != 0) {
            return -1;
        }
        *(int *)(void *)at = (int)whole;
        return 0;
    case MEMBER_INT64:
        return read_int(m, v, INT_LIMIT, (int64_t *)(void *)at, e);
    case MEMBER_REAL:
        if (!json_is_number(v) || !(json_number_value(v) >= 0) ||
            json_number_value(v) > REAL_LIMIT) {
            return bad_member(m, "a number in range", e);
        }
        *(double *)(void *)at = json_number_value(v);
        return 0;
    case MEMBER_TEXT:
        return read_text(m, v, at, e);
    case MEMBER_WORDS:
        return read_words(m, v, at, e);
    case MEMBER_STATUS:
    case MEMBER_FAILURE:
    case MEMBER_ROLE:
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
    for (size_t i = 0; i < record_member_count; i++) {
        /* Nothing is created when reading, so the object stays as it is. */
        json_t *object = record_group((json_t *)json, record_members[i].group, false);
        if (object && !json_is_null(object) && !json_is_object(object)) {
            return err_set(e, ERR_USAGE, "%s is not an object", record_members[i].group);
        }
        if (member_from_json(&record_members[i], json_object_get(object, record_members[i].name), r,
                             e) != 0) {
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
    int rc = shown_json(json) == 0 ? record_from_json(json, r, e)
                                   : err_set(e, ERR_MACHINE, "out of memory");
    json_decref(json);
    return rc;
}
