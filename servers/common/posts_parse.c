#include "common/posts_parse.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Jansson recurses up to 2048 levels, more than a worker's stack holds. A document has one. */
#define DEPTH_MAX 8

static bool is_too_deep(const char *body, size_t len) {
    unsigned depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < len; i++) {
        char c = body[i];
        if (in_string) {
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > DEPTH_MAX) {
                return true;
            }
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return false;
}

/* Jansson quotes the body in its messages: the reason stays one line of plain characters. */
static void clean_line(char *text) {
    for (; *text != '\0'; text++) {
        if (*text < 0x20 || *text == 0x7f) {
            *text = '?';
        }
    }
}

static size_t count_characters(const char *text, size_t len) {
    size_t count = 0;
    for (size_t i = 0; i < len; i++) {
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return count;
}

static int take_string(json_t *root, const char *name, size_t max, char **text, size_t *len,
                       char *reason, size_t reason_size) {
    json_t *value = json_object_get(root, name);
    if (value == NULL) {
        (void)snprintf(reason, reason_size, "the member \"%s\" is missing", name);
        return -1;
    }
    if (!json_is_string(value)) {
        (void)snprintf(reason, reason_size, "\"%s\" must be a string", name);
        return -1;
    }
    *text = (char *)json_string_value(value);
    *len = json_string_length(value);
    size_t characters = count_characters(*text, *len);
    if (characters == 0 || characters > max) {
        (void)snprintf(reason, reason_size, "\"%s\" must have 1 to %zu characters", name, max);
        return -1;
    }
    if (memchr(*text, '\0', *len) != NULL) {
        (void)snprintf(reason, reason_size, "\"%s\" must not contain U+0000", name);
        return -1;
    }
    return 0;
}

static int take_members(struct posts_document *document, json_t *root, char *reason,
                        size_t reason_size) {
    if (!json_is_object(root)) {
        (void)snprintf(reason, reason_size, "the body must be a JSON object");
        return -1;
    }
    if (take_string(root, "author", POSTS_AUTHOR_MAX, &document->author, &document->author_len,
                    reason, reason_size) != 0 ||
        take_string(root, "content", POSTS_CONTENT_MAX, &document->content, &document->content_len,
                    reason, reason_size) != 0) {
        return -1;
    }
    if (json_object_size(root) != 2) {
        (void)snprintf(reason, reason_size,
                       "the only members of a document are \"author\" and \"content\"");
        return -1;
    }
    return 0;
}

int posts_parse(struct posts_document *document, const char *body, size_t len, char *reason,
                size_t reason_size) {
    json_error_t error;
    *document = (struct posts_document){0};
    if (len > POSTS_BODY_MAX) {
        (void)snprintf(reason, reason_size, "the body is over %zu bytes", POSTS_BODY_MAX);
        return -1;
    }
    if (is_too_deep(body, len)) {
        (void)snprintf(reason, reason_size, "the body is nested too deeply");
        return -1;
    }
    json_t *root =
        json_loadb(body, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    if (root == NULL) {
        (void)snprintf(reason, reason_size, "the body is not JSON: line %d column %d: %s",
                       error.line, error.column, error.text);
        clean_line(reason);
        return -1;
    }
    document->root = root;
    if (take_members(document, root, reason, reason_size) != 0) {
        posts_document_release(document);
        return -1;
    }
    return 0;
}

void posts_document_release(struct posts_document *document) {
    json_decref(document->root);
    *document = (struct posts_document){0};
}
