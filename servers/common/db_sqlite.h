/* One connection to the SQLite file of /posts. Blocking: for a thread that may wait. */
#ifndef LOOPBENCH_SERVERS_DB_SQLITE_H
#define LOOPBENCH_SERVERS_DB_SQLITE_H

#include "common/store.h"

#include <stdatomic.h>
#include <stdbool.h>

struct db_sqlite;

/* Loads the library. Returns 0, or -1 with one line in `error`. */
int db_sqlite_load(char *error, size_t error_size);

/* Makes `path` a new store: empties the file (it must be new, empty, or a store already), creates
 * the table and puts STORE_SEEDS documents in. `stop`: see db_sqlite_open. Returns 0, or -1 with
 * one line in `error`. */
int db_sqlite_create(const char *path, const atomic_bool *stop, char *error, size_t error_size);

/* Opens a store that was created. Waiting for a lock ends after STORE_PATIENCE_MS, or soon after
 * *stop became true. Returns NULL with one line in `error`. */
struct db_sqlite *db_sqlite_open(const char *path, const atomic_bool *stop, char *error,
                                 size_t error_size);
void db_sqlite_close(struct db_sqlite *db);

enum db_sqlite_outcome {
    DB_SQLITE_DONE,
    DB_SQLITE_FAILED, /* locked for too long, or the disk is full */
    DB_SQLITE_BROKEN, /* close the connection and open another */
};

/* Stores a list of requests in one transaction and sets each one's result: STORE_DONE with `newest`
 * as it stood after its own insert, or STORE_FAILED for all. */
enum db_sqlite_outcome db_sqlite_run(struct db_sqlite *db, struct store_post *first);

/* Why the last db_sqlite_run failed. */
const char *db_sqlite_error(const struct db_sqlite *db);

#endif
