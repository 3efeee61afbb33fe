/* store.h — a run on disk, read back.
 *
 * A run is a folder (docs/results-format.md):
 *   manifest.json   what was run, on what, by what        (store/manifest.h)
 *   config.ini      the effective configuration, to run it again
 *   plan.json       every block in its order
 *   trials.jsonl    one record a line, appended and synced before the next trial starts
 *   histograms.gz   the raw latency histogram of every trial, one gzip member each */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/hist.h"
#include "store/record.h"

enum store_state {
    STORE_RUNNING,     /* being written, or its writer was killed */
    STORE_COMPLETE,    /* every trial of the plan is in it */
    STORE_INTERRUPTED, /* ended early, on purpose or by an error; can be resumed */
};

const char *store_state_name(enum store_state state);

/* Everything but the histograms, which are read one by one. */
struct store {
    char dir[PATH_MAX];
    json_t *manifest;
    enum store_state state;
    bool live;                    /* a runner is writing to it at this moment */
    struct trial_record *records; /* in the order they were measured */
    size_t count;
    size_t *order;    /* indices of records by (seq, attempt) */
    bool torn;        /* the last line was cut short and is not among the records */
    size_t good;      /* bytes of trials.jsonl up to the end of the last whole line */
    int64_t hist_end; /* bytes of histograms.gz that records refer to */
    /* "config.ini" or "plan.json", which is not as it was when the run was begun; NULL = none */
    const char *changed;
    size_t lost; /* of a complete run: trials that were measured and are not there any more */
};

/* What to do with a run that is damaged, and with a single line of its trials.jsonl, for the end of
 * such a message. */
#define STORE_REMEDY "put it back, or use another folder of results"
#define STORE_LINE_REMEDY                                                                          \
    "put it back, or remove the line: `loopbench run --resume` measures that trial again"

/* Reads a run. A last line cut short is left out (and said in ->torn); anything else that is not as
 * this version writes it is refused with *e (ERR_USAGE), one line with file and line: no manifest,
 * a foreign or newer format, a damaged line, a line of what the manifest does not name
 * (store/planned.h), the same (seq, attempt) twice. */
int store_open(struct store *s, const char *dir, struct err *e);

void store_release(struct store *s);

/* The record of the last attempt at `seq`, or NULL when it was not measured. O(log n). */
const struct trial_record *store_last(const struct store *s, int64_t seq);

/* Adds the raw histogram of `r` to *h. Returns 1 when it was read, 0 when the trial has none, -1
 * with *e (ERR_USAGE) when histograms.gz is missing or damaged there. */
int store_read_hist(const struct store *s, const struct trial_record *r, struct hist *h,
                    struct err *e);

/* A text file of the run ("config.ini", "plan.json"), owned by the caller (free). */
int store_read_text(const struct store *s, const char *name, char **text, struct err *e);

#endif
