/* wrk_version.h — which wrk this is. */
#ifndef LOAD_WRK_VERSION_H
#define LOAD_WRK_VERSION_H

#include <stddef.h>

#include "load/load.h"

/* Finds the version in what `wrk -v` printed ("wrk debian/4.1.0-3+b2 [epoll] Copyright …") and
 * copies it as printed. Returns 1 for 4.1 or later, 0 for an older one, -1 when it is not wrk's
 * output. */
int wrk_version_parse(const char *text, char *version, size_t size);

/* The program that is meant: `program`, or wrk where it is NULL. */
const char *wrk_version_program(const char *program);

/* load_ops.check of wrk: runs it with -v and wants 4.1 or later. */
enum load_failure wrk_version_check(struct loop *loop, const char *program, char *version,
                                    size_t size, struct err *e);

#endif
