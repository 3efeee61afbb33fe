#include "store/record_json.h"

#include <stdlib.h>
#include <string.h>

#include "store/record_members.h"
#include "store/record_series.h"

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
    case MEMBER_INT: {
        int v = *(const int *)(const void *)at;
        return v < 0 ? json_null() : json_integer(v);
    }
    case MEMBER_INT64: {
        int64_t v = *(const int64_t *)(const void *)at;
        return v < 0 ? json_null() : json_integer(v);
    }
    case MEMBER_REAL: {
        double v = *(const double *)(const void *)at;
        return isfinite(v) ? json_real(v) : json_null();
    }
    case MEMBER_TEXT:
        return text_to_json(at);
    case MEMBER_WORDS:
        return words_to_json(at);
    case MEMBER_STATUS:
        return json_string(r->status == TRIAL_OK ? "ok" : "failed");
    case MEMBER_FAILURE:
        return r->failure == FAIL_NONE ? json_null() : json_string(record_failure_name(r->failure));
    case MEMBER_ROLE:
        return json_string(record_role_name(r->role));
    }
    return NULL;
}

json_t *record_to_json(const struct trial_record *r) {
    json_t *root = json_object();
    for (size_t i = 0; root && i < record_member_count; i++) {
        json_t *object = record_group(root, record_members[i].group, true);
        if (!object || json_object_set_new(object, record_members[i].name,
                                           member_to_json(&record_members[i], r)) != 0) {
            json_decref(root);
            return NULL;
        }
    }
    if (root && json_object_set_new(record_group(root, "memory", true), "series",
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
