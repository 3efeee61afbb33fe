/* The reply of /posts while it is written: documents as a JSON array in memory that grows. */
#ifndef LOOPBENCH_SERVERS_POSTS_TEXT_H
#define LOOPBENCH_SERVERS_POSTS_TEXT_H

#include "common/app.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct posts_text {
    char *base; /* from malloc */
    size_t len, size;
    bool failed; /* no memory: the text is unusable */
};

/* Opens the array. `guess` bytes are taken at once. */
void posts_text_begin(struct posts_text *text, size_t guess);

/* Appends {"id":1,"author":"…","date":"2026-11-30T12:49:11.123Z","content":"…"}. Strings are
 * UTF-8; quotes, backslashes and control characters are escaped (RFC 8259, section 7). `date_ms`
 * counts from 1970 in UTC. */
void posts_text_add(struct posts_text *text, uint64_t id, struct app_slice author, int64_t date_ms,
                    struct app_slice content);

/* Closes the array. Returns 0, or -1: no memory. */
int posts_text_end(struct posts_text *text);

/* Frees it; also one that was only zeroed. */
void posts_text_release(struct posts_text *text);

#endif
