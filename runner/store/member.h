/* member.h — one raw histogram as one gzip member of histograms.gz.
 *
 * Members may simply follow each other (RFC 1952, section 2.2), so `zcat histograms.gz` prints one
 * JSON line a trial:
 *   {"seq":0,"attempt":0,"unit":"us","values":[61,62],"counts":[4,17]}
 * with values strictly ascending and counts above 0. */
#ifndef STORE_MEMBER_H
#define STORE_MEMBER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hist.h"

/* No line of ours is longer: 4 million distinct values. */
#define MEMBER_TEXT_MAX ((size_t)64 << 20)

/* Writes the member into *out, owned by the caller (free). Returns 0, or -1 out of memory. */
int member_encode(int64_t seq, int attempt, const struct hist *h, unsigned char **out, size_t *len);

/* Adds the histogram in a member to *h. It must be the one of (seq, attempt). Returns 0, or -1 with
 * *e (ERR_USAGE). */
int member_decode(const unsigned char *data, size_t len, int64_t seq, int attempt, struct hist *h,
                  struct err *e);

/* Adds the histogram in a line (NUL-terminated, without the newline); member_decode after
 * unpacking. */
int member_parse(const char *line, int64_t seq, int attempt, struct hist *h, struct err *e);

#endif
