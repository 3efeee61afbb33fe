/* ending.h — what a load generator that has ended leaves besides its result. */
#ifndef LOAD_ENDING_H
#define LOAD_ENDING_H

#include <stddef.h>

#include "base/child.h"
#include "load/load.h"

/* The last line it printed that says something, cut to fit a one-line reason; "it printed nothing"
 * where there is none. */
void load_last_words(const struct child *c, char *out, size_t size);

/* The CPU of its whole process, once it was reaped. */
void load_keep_use(const struct child *c, struct load_outcome *out);

/* Its last output, for the record of a failure. */
void load_keep_output(const struct child *c, struct load_outcome *out);

#endif
