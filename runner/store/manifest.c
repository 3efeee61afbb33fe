#include "store/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/shown.h"

const json_t *manifest_at(const json_t *manifest, const char *path) {
    while (manifest && *path) {
        char key[64];
        size_t len = strcspn(path, ".");
        if (len >= sizeof key) {
            return NULL;
        }
        memcpy(key, path, len);
        key[len] = '\0';
        manifest = json_object_get(manifest, key);
        path += len;
        path += *path == '.';
    }
    return json_is_null(manifest) ? NULL : manifest;
}

const char *manifest_text(const json_t *manifest, const char *path, char *buf, size_t size,
                          const char *fallback) {
    const json_t *v = manifest_at(manifest, path);
    if (json_is_string(v)) {
        return json_string_length(v) > 0 ? json_string_value(v) : fallback;
    }
    if (json_is_boolean(v)) {
        return json_is_true(v) ? "yes" : "no";
    }
    if (json_is_integer(v)) {
        snprintf(buf, size, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
        return buf;
    }
    if (json_is_real(v)) {
        snprintf(buf, size, "%.6g", json_real_value(v));
        return buf;
    }
    return fallback;
}

int64_t manifest_int(const json_t *manifest, const char *path) {
    const json_t *v = manifest_at(manifest, path);
    if (!json_is_string(v)) {
        return json_is_integer(v) ? json_integer_value(v) : UNKNOWN_INT;
    }
    const char *text = json_string_value(v);
    char *end = NULL;
    errno = 0;
    const long long n = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 ? n : UNKNOWN_INT;
}

const char *store_state_name(enum store_state state) {
    static const char *const names[] = {
        [STORE_RUNNING] = "running",
        [STORE_COMPLETE] = "complete",
        [STORE_INTERRUPTED] = "interrupted",
    };
    return names[state];
}

static int manifest_check(const json_t *m, const char *file, enum store_state *state,
                          struct err *e) {
    const char *format = json_string_value(json_object_get(m, "format"));
    const json_t *version = json_object_get(m, "format_version");
    if (!format || strcmp(format, MANIFEST_FORMAT) != 0) {
        return err_set(e, ERR_USAGE, "%s: not the manifest of a loopbench run; " STORE_REMEDY,
                       file);
    }
    if (!json_is_integer(version) || json_integer_value(version) < 1) {
        return err_set(e, ERR_USAGE, "%s: format_version is not a whole number; " STORE_REMEDY,
                       file);
    }
    if (json_integer_value(version) > MANIFEST_VERSION) {
        return err_set(e, ERR_USAGE,
                       "%s: format %" JSON_INTEGER_FORMAT " is newer than this loopbench, which "
                       "reads up to %d; use the version that wrote it",
                       file, json_integer_value(version), MANIFEST_VERSION);
    }
    if (!json_is_string(json_object_get(m, "run_id"))) {
        return err_set(e, ERR_USAGE, "%s: run_id is missing; " STORE_REMEDY, file);
    }
    const char *text = json_string_value(json_object_get(m, "state"));
    for (int i = STORE_RUNNING; text && i <= STORE_INTERRUPTED; i++) {
        if (strcmp(text, store_state_name((enum store_state)i)) == 0) {
            *state = (enum store_state)i;
            return 0;
        }
    }
    return err_set(e, ERR_USAGE, "%s: state is not running, complete or interrupted; " STORE_REMEDY,
                   file);
}

json_t *manifest_parse(const char *text, size_t len, const char *file, enum store_state *state,
                       struct err *e) {
    json_error_t why;
    json_t *m = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    if (!m) {
        err_set(e, ERR_USAGE, "%s:%d: not JSON (%s); " STORE_REMEDY, file, why.line, why.text);
        return NULL;
    }
    if (!json_is_object(m)) {
        err_set(e, ERR_USAGE, "%s: not the manifest of a loopbench run; " STORE_REMEDY, file);
        json_decref(m);
        return NULL;
    }
    if (shown_json(m) != 0) {
        err_set(e, ERR_MACHINE, "out of memory reading %s", file);
        json_decref(m);
        return NULL;
    }
    if (manifest_check(m, file, state, e) != 0) {
        json_decref(m);
        return NULL;
    }
    return m;
}

char *manifest_dump(const json_t *manifest) {
    char *text = json_dumps(manifest, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    const size_t len = text ? strlen(text) : 0;
    char *whole = text ? realloc(text, len + 2) : NULL;
    if (!whole) {
        free(text);
        return NULL;
    }
    whole[len] = '\n';
    whole[len + 1] = '\0';
    return whole;
}
