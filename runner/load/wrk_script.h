/* wrk_script.h — the Lua script that wrk runs. */
#ifndef LOAD_WRK_SCRIPT_H
#define LOAD_WRK_SCRIPT_H

#include <stdio.h>

#include "base/err.h"
#include "load/load.h"

/* What threads of wrk say on its standard output, a line each, while requests are counted: that
 * they go on (about once a second), and that their part is done. It is only a sign; figures come
 * from the result. */
#define WRK_SCRIPT_BUSY "loopbench: busy"
#define WRK_SCRIPT_DONE "loopbench: done"

/* Writes the script for this spec. wrk runs it with the arguments RESULT-FILE PHASE WANTED-US
 * behind the URL; its done() writes the file that wrk_result_parse() reads. Its first line is the
 * request, its second the mode:
 *
 *     local request_bytes = "…"
 *     local total, depth, share, think_min, think_max = N, N, N, N, N
 *
 * total: requests to count, 0 = for a time; depth: pipelined; share: connections of a thread. */
int wrk_script_write(FILE *out, const struct load_spec *spec, struct err *e);

#endif
