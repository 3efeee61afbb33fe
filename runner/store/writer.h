/* writer.h — a run on disk, written: begun, appended to, ended, resumed. */
#ifndef STORE_WRITER_H
#define STORE_WRITER_H

#include <jansson.h>

#include "base/err.h"
#include "base/hist.h"
#include "store/record.h"
#include "store/store.h"

struct writer;

struct writer_begin {
    const char *results;    /* folder that holds runs; used when out is NULL */
    const char *out;        /* this folder instead, which must be new or empty */
    const json_t *manifest; /* an object as store/manifest.h says; copied */
    const char *config;     /* text of config.ini */
    const char *plan;       /* text of plan.json */
};

/* Creates results/<run-id>/ or out, locks it, writes what is known before the first trial with
 * state "running", and points results/latest to it (never for out). Returns NULL with *e and
 * nothing left behind: ERR_USAGE for a folder that is not empty or in use, ERR_MACHINE when it
 * cannot be written. */
struct writer *writer_begin(const struct writer_begin *b, struct err *e);

/* Opens an existing run to continue it: reads it as store_open, locks it, cuts off a torn last line
 * and histogram bytes no record refers to, sets the state back to "running". ERR_USAGE when the run
 * is complete, in use or damaged. */
struct writer *writer_resume(const char *dir, struct err *e);

const char *writer_dir(const struct writer *w);
const char *writer_run_id(const struct writer *w);

/* What a resumed run held when it was opened; NULL for a new one. store_last() says what is done.
 */
const struct store *writer_before(const struct writer *w);

/* Appends a trial: first its raw histogram (NULL or empty: none), then its line in one write, both
 * synced. Sets r->hist_offset and r->hist_length. On failure (disk full) both files are cut back to
 * what they were, and *e (ERR_MACHINE) says how many trials are kept. */
int writer_append(struct writer *w, struct trial_record *r, const struct hist *raw, struct err *e);

/* Sets one member of the manifest and writes it, for what becomes known only while running (the
 * targets' own versions). Takes the reference `value` even on failure. */
int writer_note(struct writer *w, const char *key, json_t *value, struct err *e);

/* Writes the end into the manifest. The writer still has to be released. */
int writer_end(struct writer *w, enum store_state state, struct err *e);

/* Closes and unlocks; NULL is ignored. Without writer_end the run stays "running" on disk. */
void writer_release(struct writer *w);

#endif
