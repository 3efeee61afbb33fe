/* request.h — the bytes of a request, and any bytes as a Lua string. */
#ifndef LOAD_REQUEST_H
#define LOAD_REQUEST_H

#include <stdio.h>

#include "base/err.h"
#include "load/load.h"

/* Writes the request to `out`: request line, Host, the given headers in their order, Content-Length
 * where there is a body, Connection: close where that is asked for, the body. Refuses (ERR_USAGE,
 * naming what) whatever would not be one well-formed request: a method that is no token, a path
 * that does not begin with / or holds a space or control character, a header without a name or with
 * a line break, headers that are ours to set (Host, Content-Length, Transfer-Encoding, Connection).
 */
int request_write(FILE *out, const struct load_request *request, const char *host, int port,
                  struct err *e);

/* Writes data as a double-quoted Lua string that holds exactly these bytes. */
void request_write_lua(FILE *out, const char *data, size_t len);

#endif
