/* memory_file.h — a file without a name, in memory, that a load generator reads or writes under
 * /proc/self/fd: nothing is left on disk however anybody ends. */
#ifndef LOAD_MEMORY_FILE_H
#define LOAD_MEMORY_FILE_H

#include <stddef.h>

#include "base/err.h"

#define MEMORY_FILE_PATH_SIZE 32
/* The most a result can hold. */
#define MEMORY_FILE_MAX ((size_t)256 << 20)

/* Makes one; *fd is to be closed, and `path` is what a child that inherits it opens. Returns 0, or
 * -1 with *e (ERR_MACHINE) and *fd -1. */
int memory_file_create(const char *name, int *fd, char path[MEMORY_FILE_PATH_SIZE], struct err *e);

/* All of it: NUL-terminated at (*text)[*len], owned by the caller (free). Returns 0, or -1 with *e:
 * ERR_FAILED where it is longer than MEMORY_FILE_MAX, ERR_MACHINE out of memory. */
int memory_file_read(int fd, char **text, size_t *len, struct err *e);

/* "cannot WHAT for the load generator in memory: …" by errno; returns -1. */
int memory_file_failed(const char *what, struct err *e);

#endif
