/* parts.h — which part of a server an instruction belongs to, by object file, source and function.
 */
#ifndef COUNT_PARTS_H
#define COUNT_PARTS_H

#include "store/counts.h"

/* Parsers first, wherever they are linked in (llhttp, http_parser, picohttpparser); then the C
 * library with its loader, event libraries (libevent, libuv, h2o, libev), other shared objects, and
 * what is left is the program itself: the application. */
enum count_part parts_of(const char *object, const char *file, const char *function);

#endif
