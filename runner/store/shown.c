#include "store/shown.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hidden.h"

static bool is_plain(const char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text >= 0x80 && hidden_len(text) > 0) {
            return false;
        }
    }
    return true;
}

static int show_text(json_t *v) {
    if (is_plain(json_string_value(v))) {
        return 0;
    }
    char *copy = strdup(json_string_value(v));
    int rc = -1;
    if (copy) {
        hidden_replace(copy);
        rc = json_string_set(v, copy);
    }
    free(copy);
    return rc;
}

/* Gives a member another name. */
static int rename_key(json_t *object, const char *key) {
    char *old = strdup(key);
    char *copy = strdup(key);
    int rc = -1;
    if (old && copy) {
        hidden_replace(copy);
        rc = json_object_set(object, copy, json_object_get(object, old));
        json_object_del(object, old);
    }
    free(old);
    free(copy);
    return rc;
}

static int show_object(json_t *object) {
    const char *key;
    json_t *member;
    void *next;
    json_object_foreach_safe(object, next, key, member) {
        if (shown_json(member) != 0) {
            return -1;
        }
    }
    /* A new member may come anywhere in the order, so the search begins anew. */
    for (void *at = json_object_iter(object); at;) {
        if (is_plain(json_object_iter_key(at))) {
            at = json_object_iter_next(object, at);
        } else if (rename_key(object, json_object_iter_key(at)) == 0) {
            at = json_object_iter(object);
        } else {
            return -1;
        }
    }
    return 0;
}

int shown_json(json_t *v) {
    int rc = 0;
    if (json_is_string(v)) {
        return show_text(v);
    }
    if (json_is_object(v)) {
        return show_object(v);
    }
    for (size_t i = 0; rc == 0 && i < json_array_size(v); i++) {
        rc = shown_json(json_array_get(v, i));
    }
    return rc;
}
