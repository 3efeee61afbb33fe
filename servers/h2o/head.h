/*
 * A second look at the raw bytes of a request, for what h2o 2.2.5 does not refuse by itself.
 *
 * h2o takes heads of up to 408 KiB, keeps the last of several Host headers, the first of several
 * Content-Lengths, and prefers Transfer-Encoding. None of this is on the path of a small request
 * without a body: the caller decides when to look.
 */
#ifndef LOOPBENCH_SERVERS_H2O_HEAD_H
#define LOOPBENCH_SERVERS_H2O_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the head that begins at `data`, the empty line included, or 0 while it is not complete.
 * Lines may end in a bare line feed, and one empty line may come first, as in h2o's parser. */
size_t head_length(const char *data, size_t len);

/* Judges the request that begins at `data`: 414 (target too long), 431 (head too long), 400 (Host
 * or framing headers in conflict), 413 (Content-Length above max_body), or 0. What has not arrived
 * yet is not held against it. *complete says whether the whole head was seen. */
unsigned head_judge(const char *data, size_t len, uint64_t max_body, bool *complete);

#endif
