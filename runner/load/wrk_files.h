/* wrk_files.h — what passes between the runner and wrk: files without a name.
 *
 * The script and the result live in memory (memfd_create) that the generator inherits; whoever is
 * killed, nothing of them is left anywhere. */
#ifndef LOAD_WRK_FILES_H
#define LOAD_WRK_FILES_H

#include <stddef.h>

#include "base/err.h"
#include "load/load.h"
#include "load/memory_file.h"

struct wrk_files {
    int fd[2]; /* script, result; to be inherited under their numbers */
    /* as the generator opens them */
    char script[MEMORY_FILE_PATH_SIZE], result[MEMORY_FILE_PATH_SIZE];
};

/* Both files, the script written. Returns 0, or -1 with *e (ERR_USAGE: the request cannot be
 * sent); then there is nothing to close. */
int wrk_files_open(struct wrk_files *f, const struct load_spec *spec, struct err *e);

/* What the generator left as its result, NUL-terminated, owned by the caller; *len is 0 when it
 * left nothing. Returns 0, or -1 with *e. */
int wrk_files_read(const struct wrk_files *f, char **text, size_t *len, struct err *e);

void wrk_files_close(struct wrk_files *f);

#endif
