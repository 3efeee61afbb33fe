/*
 * The body of POST /posts against any bytes: what is taken keeps the limits and comes out of the
 * reply as it went in; what is refused says why in one line.
 */
#include "common/posts_parse.h"
#include "common/posts_text.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_string(const json_t *object, const char *name, const char *text, size_t len) {
    const json_t *value = json_object_get(object, name);
    CHECK(json_string_length(value) == len);
    CHECK(memcmp(json_string_value(value), text, len) == 0);
}

static void check_taken(const struct posts_document *document) {
    struct posts_text text;
    CHECK(document->author_len >= 1 && document->author_len <= (size_t)4 * POSTS_AUTHOR_MAX);
    CHECK(document->content_len >= 1 && document->content_len <= (size_t)4 * POSTS_CONTENT_MAX);
    CHECK(strlen(document->author) == document->author_len);
    CHECK(strlen(document->content) == document->content_len);
    posts_text_begin(&text, 0);
    posts_text_add(&text, 1, (struct app_slice){document->author, document->author_len}, 0,
                   (struct app_slice){document->content, document->content_len});
    CHECK(posts_text_end(&text) == 0);
    json_t *root = json_loadb(text.base, text.len, 0, NULL);
    CHECK(json_array_size(root) == 1);
    check_string(json_array_get(root, 0), "author", document->author, document->author_len);
    check_string(json_array_get(root, 0), "content", document->content, document->content_len);
    json_decref(root);
    posts_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct posts_document document;
    char reason[256];
    if (posts_parse(&document, (const char *)data, size, reason, sizeof reason) == 0) {
        check_taken(&document);
        posts_document_release(&document);
        return 0;
    }
    CHECK(document.root == NULL);
    CHECK(reason[0] != '\0');
    for (const char *at = reason; *at != '\0'; at++) {
        CHECK(*at >= 0x20 && *at < 0x7f);
    }
    return 0;
}
