/* callgrind.h — what callgrind wrote: instructions by object, source file and function.
 *
 * The format is "Callgrind Format Specification" of the Valgrind manual: cost lines belong to the
 * object, file and function named last; names are written once and then called by a number; a cost
 * line after `calls=` is what was spent in the callee and is counted there. */
#ifndef COUNT_CALLGRIND_H
#define COUNT_CALLGRIND_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Between object, file and function in a key of the table. */
#define CALLGRIND_SEPARATOR '\x1f'

/* Instructions of a process, or of several that were added up. */
struct callgrind {
    int64_t total;
    json_t *cost; /* "object SEPARATOR file SEPARATOR function" → instructions of its own */
};

int callgrind_init(struct callgrind *c, struct err *e);
void callgrind_release(struct callgrind *c);

/* Adds what stands in `in`. Strict: an unknown line, a number that was never named, no `events:
 * Ir`, or a sum that is not the total stated at the end is an error. Returns 0, or -1 with *e
 * (ERR_FAILED) naming `name` and the line; *c then holds a part and is to be released. */
int callgrind_add(struct callgrind *c, FILE *in, const char *name, struct err *e);

#endif
