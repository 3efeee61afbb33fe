/*
 * The access log: one line a request,
 *
 *     2026-11-30T12:27:53.123Z 200 GET /hello 12
 *
 * (time, status, method, path without query, bytes of body), written off the hot path.
 *
 * Each worker puts its lines into a ring of its own; one thread empties all rings into the file. A
 * worker never waits: a line for which the ring has no room is lost and counted, and so is what the
 * file does not take.
 */
#ifndef LOOPBENCH_SERVERS_ACCESS_LOG_H
#define LOOPBENCH_SERVERS_ACCESS_LOG_H

#include "common/app.h"

struct access_log;        /* a worker's end */
struct access_log_writer; /* the file and its thread */

/* Opens `path` for appending, with room for so many workers, and starts the thread. NULL: with one
 * line in `error` that says what failed. */
struct access_log_writer *access_log_open(const char *path, unsigned workers, char *error,
                                          size_t error_size);

/* The end for a worker; lives as long as the writer. */
struct access_log *access_log_of(struct access_log_writer *writer, unsigned worker);

/* Adds a line. Bytes of the path that are no printable ASCII, blanks among them, are written %XX.
 */
void access_log_add(struct access_log *log, unsigned status, const char *method,
                    struct app_slice path, uint64_t bytes);

/* Opens the path again once what was added before has been written (it was renamed). Where it
 * cannot be opened the file stays the old one, with a line on stderr. Async-signal-safe. */
void access_log_reopen(struct access_log_writer *writer);

struct access_log_counts {
    uint64_t lines; /* added */
    uint64_t lost;  /* of these, never to be found in the file */
};

/* Also while workers add: then the counts are a moment old. */
struct access_log_counts access_log_count(const struct access_log_writer *writer);

/* Why lines were lost, as one line without line feed; NULL: none was. */
const char *access_log_why(const struct access_log_writer *writer);

/* Writes what is left, ends the thread, closes the file and frees all but the counts, which stay
 * readable until access_log_free. Workers must have stopped adding. */
void access_log_close(struct access_log_writer *writer);
void access_log_free(struct access_log_writer *writer);

#endif
