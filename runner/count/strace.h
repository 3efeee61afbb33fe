/* strace.h — the table of `strace -c -U name,calls`: system calls by name. */
#ifndef COUNT_STRACE_H
#define COUNT_STRACE_H

#include <jansson.h>
#include <stddef.h>

#include "base/err.h"

/* Reads the whole text: a head, one row a call, a line of dashes, the total. Returns a new object
 * name → calls, or NULL with *e (ERR_FAILED) naming the line: a foreign row, a name twice, no
 * total, or one that is not the sum. */
json_t *strace_read(const char *text, size_t len, struct err *e);

#endif
