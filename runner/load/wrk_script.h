/* wrk_script.h — the Lua script that wrk runs. */
#ifndef LOAD_WRK_SCRIPT_H
#define LOAD_WRK_SCRIPT_H

#include <stdio.h>

#include "base/err.h"
#include "load/load.h"

/* Writes the script for this request. wrk runs it with the arguments RESULT-FILE PHASE WANTED-US
 * behind the URL; its done() writes the file that wrk_result_parse() reads. */
int wrk_script_write(FILE *out, const struct load_spec *spec, struct err *e);

#endif
