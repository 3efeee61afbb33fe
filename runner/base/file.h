/* file.h — whole files: read bounded, written whole or not at all. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Reads at most size-1 bytes of `path` into buf and ends it with NUL. Meant for /proc and /sys,
 * where a file has no size and a missing one is an ordinary answer. Returns the length, or -1 with
 * errno. */
ssize_t file_read_small(const char *path, char *buf, size_t size);

/* Reads all of `path` (at most `max` bytes) into *out, NUL-terminated, owned by the caller (free).
 * Returns 0, or -1 with *e (ERR_USAGE: the caller named the file). */
int file_read_all(const char *path, size_t max, char **out, size_t *len, struct err *e);

/* The same of a file that nobody named as such: `what_to_do` ends the message. */
int file_read_or(const char *what_to_do, const char *path, size_t max, char **out, size_t *len,
                 struct err *e);

/* Writes a sibling, syncs it and renames it over `path`: readers see the old file or the new one.
 */
int file_write_atomic(const char *path, const void *data, size_t len, struct err *e);

/* Writes what a person named as the place for output. A file, or what is not there, is written as
 * by file_write_atomic; a symbolic link stays, and what it leads to is written; a device or a FIFO
 * is written into; a folder is refused (ERR_USAGE). Not for names within a folder that somebody
 * else may have made: a link there could lead anywhere. */
int file_write_named(const char *path, const void *data, size_t len, struct err *e);

/* Creates `path` and its parents where they are missing. */
int file_mkdirs(const char *path, struct err *e);

/* What to do where a file or folder cannot be written, and where it cannot be read, for the end of
 * such a message. */
#define FILE_WRITE_REMEDY "make room and see that you may write there, or choose another place"
#define FILE_READ_REMEDY  "see that it is there and that you may read it, or name another"
#define FILE_PATH_REMEDY  "choose a shorter one"

bool file_exists(const char *path);

/* dir/name into out; returns -1 with *e when it does not fit. */
int file_join(char *out, size_t size, const char *dir, const char *name, struct err *e);

/* Finds an executable by the rules of PATH (a name with a slash is taken as it is). Returns 0 and
 * the path in out, or -1 when there is none (no message: what is missing decides the remedy). */
int file_which(const char *name, char *out, size_t size);

#endif
