#include "store/replay_state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "store/shown.h"
#include "store/store.h"

#define FORMAT   "loopbench-replay"
#define VERSION  1
#define FILE_MAX (1 << 20)

static const char *const names[] = {
    [REPLAY_PART_PENDING] = "pending",
    [REPLAY_PART_MEASURED] = "measured",
    [REPLAY_PART_INTERRUPTED] = "interrupted",
    [REPLAY_PART_LEFT_OUT] = "left-out",
};

#define STATES (sizeof names / sizeof names[0])

const char *replay_part_state_name(enum replay_part_state state) {
    return names[state];
}

int replay_state_begin(struct replay_state *s, const char *id, const json_t *options,
                       struct err *e) {
    s->root = json_pack("{s:s, s:i, s:s, s:o, s:[]}", "format", FORMAT, "format_version", VERSION,
                        "replay", id, "options", json_deep_copy(options), "parts");
    return s->root ? 0 : err_set(e, ERR_MACHINE, "out of memory");
}

static json_t *find_part(const struct replay_state *s, const char *part) {
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(s->root, "parts"), i, one) {
        if (strcmp(json_string_value(json_object_get(one, "name")), part) == 0) {
            return one;
        }
    }
    return NULL;
}

int replay_state_set(struct replay_state *s, const char *part, enum replay_part_state state,
                     const char *reason, json_t *left_out, struct err *e) {
    json_t *made = json_pack("{s:s, s:s, s:s?, s:o}", "name", part, "state", names[state], "reason",
                             reason, "left_out", left_out ? left_out : json_array());
    json_t *old = find_part(s, part);
    int rc = -1;
    if (made && old) {
        rc = json_object_update(old, made);
        json_decref(made);
    } else if (made) {
        rc = json_array_append_new(json_object_get(s->root, "parts"), made);
    }
    return rc == 0 ? 0 : err_set(e, ERR_MACHINE, "out of memory");
}

/* ---- on disk */

static bool is_text_or_null(const json_t *v) {
    return json_is_string(v) || json_is_null(v);
}

static bool sound_left_out(const json_t *list) {
    size_t i;
    json_t *one;
    if (!json_is_array(list)) {
        return false;
    }
    json_array_foreach(list, i, one) {
        if (!json_is_string(json_object_get(one, "target")) ||
            !json_is_string(json_object_get(one, "reason"))) {
            return false;
        }
    }
    return true;
}

static bool sound_part(const json_t *part) {
    const char *state = json_string_value(json_object_get(part, "state"));
    bool known = false;
    for (size_t i = 0; state && i < STATES; i++) {
        known = known || strcmp(names[i], state) == 0;
    }
    return known && json_is_string(json_object_get(part, "name")) &&
           is_text_or_null(json_object_get(part, "reason")) &&
           sound_left_out(json_object_get(part, "left_out"));
}

/* Everything later code relies on. */
static bool sound(const json_t *root) {
    size_t i;
    json_t *part;
    const char *key;
    json_t *value;
    const char *format = json_string_value(json_object_get(root, "format"));
    if (!format || strcmp(format, FORMAT) != 0 ||
        json_integer_value(json_object_get(root, "format_version")) != VERSION ||
        !json_is_string(json_object_get(root, "replay")) ||
        !json_is_object(json_object_get(root, "options")) ||
        !json_is_array(json_object_get(root, "parts"))) {
        return false;
    }
    json_object_foreach(json_object_get(root, "options"), key, value) {
        if (!json_is_string(value)) {
            return false;
        }
    }
    json_array_foreach(json_object_get(root, "parts"), i, part) {
        if (!sound_part(part)) {
            return false;
        }
    }
    return true;
}

int replay_state_read(struct replay_state *s, const char *dir, struct err *e) {
    char path[PATH_MAX];
    char *text = NULL;
    size_t len = 0;
    s->root = NULL;
    if (file_join(path, sizeof path, dir, REPLAY_JSON, e) != 0 ||
        file_read_or(STORE_REMEDY, path, FILE_MAX, &text, &len, e) != 0) {
        return -1;
    }
    s->root = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    if (!sound(s->root) || shown_json(s->root) != 0) {
        replay_state_release(s);
        return err_set(e, ERR_USAGE,
                       "%s: it is not the record of a replay of this version; " STORE_REMEDY, path);
    }
    return 0;
}

int replay_state_write(const struct replay_state *s, const char *dir, struct err *e) {
    char path[PATH_MAX];
    char *text = json_dumps(s->root, JSON_INDENT(1));
    if (!text) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    int rc = file_join(path, sizeof path, dir, REPLAY_JSON, e);
    if (rc == 0) {
        rc = file_write_atomic(path, text, strlen(text), e);
    }
    free(text);
    return rc;
}

bool replay_state_is(const char *dir) {
    char path[PATH_MAX];
    struct err ignored;
    return file_join(path, sizeof path, dir, REPLAY_JSON, &ignored) == 0 && file_exists(path);
}

void replay_state_release(struct replay_state *s) {
    json_decref(s->root);
    s->root = NULL;
}

/* ---- what it says */

const char *replay_state_id(const struct replay_state *s) {
    return json_string_value(json_object_get(s->root, "replay"));
}

const json_t *replay_state_options(const struct replay_state *s) {
    return json_object_get(s->root, "options");
}

enum replay_part_state replay_state_of(const struct replay_state *s, const char *part) {
    const char *state = json_string_value(json_object_get(find_part(s, part), "state"));
    for (size_t i = 0; state && i < STATES; i++) {
        if (strcmp(names[i], state) == 0) {
            return (enum replay_part_state)i;
        }
    }
    return REPLAY_PART_PENDING;
}

const char *replay_state_reason(const struct replay_state *s, const char *part) {
    return json_string_value(json_object_get(find_part(s, part), "reason"));
}

const json_t *replay_state_left_out(const struct replay_state *s, const char *part) {
    return json_object_get(find_part(s, part), "left_out");
}

const char *replay_state_target_reason(const struct replay_state *s, const char *part,
                                       const char *target) {
    size_t i;
    json_t *one;
    json_array_foreach(replay_state_left_out(s, part), i, one) {
        if (strcmp(json_string_value(json_object_get(one, "target")), target) == 0) {
            return json_string_value(json_object_get(one, "reason"));
        }
    }
    return NULL;
}
