/* The body of POST /posts: one JSON object, {"author":"…","content":"…"}. */
#ifndef LOOPBENCH_SERVERS_POSTS_PARSE_H
#define LOOPBENCH_SERVERS_POSTS_PARSE_H

#include <stddef.h>

/* Limits of a document, in characters (code points) and, for the whole body, in bytes. */
#define POSTS_AUTHOR_MAX  64
#define POSTS_CONTENT_MAX 4096
#define POSTS_BODY_MAX    ((size_t)64 * 1024)

struct posts_document {
    char *author, *content; /* UTF-8 without U+0000, terminated */
    size_t author_len, content_len;
    void *root; /* what both live in */
};

/* Parses `body`. Returns 0, or -1 with one line in `reason`: what is wrong and what would be right.
 * Both members must be there, strings, not empty, and within the limits; there may be no other. */
int posts_parse(struct posts_document *document, const char *body, size_t len, char *reason,
                size_t reason_size);

/* Frees it; also one that was only zeroed. */
void posts_document_release(struct posts_document *document);

#endif
