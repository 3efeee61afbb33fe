/* A private folder for the temporary store, removed at the end; those of killed processes too. */
#ifndef LOOPBENCH_SERVERS_STORE_TEMP_H
#define LOOPBENCH_SERVERS_STORE_TEMP_H

#include <stddef.h>

#define STORE_TEMP_FILE "posts.db" /* the only files: this, and SQLite's beside it */

struct store_temp {
    char path[512]; /* of the folder */
    int fd;         /* of the folder; locked as long as its process lives */
};

/* Makes a folder in TMPDIR (or /tmp), after removing those whose process died without. Returns 0,
 * or -1 with one line in `error`. */
int store_temp_make(struct store_temp *temp, char *error, size_t error_size);

/* Removes folder and files. */
void store_temp_remove(struct store_temp *temp);

#endif
