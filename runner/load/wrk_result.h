/* wrk_result.h — the file in which our Lua script hands over what wrk measured. */
#ifndef LOAD_WRK_RESULT_H
#define LOAD_WRK_RESULT_H

#include <stddef.h>

#include "base/err.h"
#include "load/load.h"

/* Parses a result (NUL-terminated at text[len]) into *out, which has been initialised. Its form:
 *
 *     loopbench-wrk 2
 *     wall MICROSECONDS      of wrk's own clock, from which it corrected the histogram
 *     duration MICROSECONDS  the same, or where requests are counted, from first to last
 *     idle MICROSECONDS      think time handed out
 *     requests N
 *     bytes N
 *     connect N          errors, by kind
 *     read N
 *     write N
 *     timeout N
 *     status N
 *     silent N           connections that received nothing in the last half of the window; left out
 *                        where that is not known
 *     VALUE,COUNT        the corrected histogram, µs ascending; none in a warm-up
 *     end LINES          how many lines stand above this one: the proof that nothing is missing
 *
 * Returns 0, or -1 with *e (ERR_FAILED) naming the line. */
int wrk_result_parse(const char *text, size_t len, struct load_outcome *out, struct err *e);

#endif
