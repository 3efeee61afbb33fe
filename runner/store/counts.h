/* counts.h — what one request costs, counted: the lines of counts.jsonl.
 *
 * A record is of one target, workload, number of connections and pipeline depth. Every figure is a
 * slope: (total with `high` requests − total with `low` requests) / (high − low), each total that
 * of a fresh process, so that start-up falls out. It is repeated until the slopes agree: the first
 * two, or else three in a row, since of many that vary some two neighbours agree by chance. */
#ifndef STORE_COUNTS_H
#define STORE_COUNTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "store/record.h"
#include "store/writer.h"

#define COUNTS_FILE          "counts.jsonl"
#define COUNTS_KIND          "count"       /* the manifest's "kind" of a run of counts alone */
#define COUNTS_LINES         "count_lines" /* of the manifest: how many there were at the end */
#define COUNTS_REPEATS_MAX   8
#define COUNTS_CALLS_MAX     24
#define COUNTS_FUNCTIONS_MAX 10
#define COUNTS_REASON_SIZE   320

/* Counts that agree within this part of themselves, or within this much of one, are said to agree.
 */
#define COUNTS_TOLERANCE 0.001

/* Less than this per request is none: a timer's, or the start's. No part is formed of it. */
#define COUNTS_NONE 0.005

enum count_kind {
    COUNT_INSTRUCTIONS, /* of user space, by callgrind */
    COUNT_USER,         /* the same by the processor */
    COUNT_KERNEL,       /* of the kernel on its behalf, by the processor */
    COUNT_SYSCALLS,
    COUNT_ALLOCATIONS, /* calls of malloc and its kin */
    COUNT_SENT,        /* bytes of requests */
    COUNT_RECEIVED,    /* bytes of replies */
    COUNT_KINDS
};

/* What a kind is called: in files, for people, and in limits of compare. */
struct count_info {
    const char *key;    /* "instructions" */
    const char *title;  /* "instructions" */
    const char *metric; /* of --fail-on; NULL = it has no limit */
    int decimals;
};

const struct count_info *count_info(enum count_kind kind);

/* Where instructions are spent. */
enum count_part { PART_LOOP, PART_PARSER, PART_APPLICATION, PART_LIBC, PART_OTHER, COUNT_PARTS };

const char *count_part_name(enum count_part part); /* "event loop" */

enum count_state {
    COUNT_MISSING,   /* it was not counted: see the reason */
    COUNT_SETTLED,   /* its repeats agree */
    COUNT_UNSETTLED, /* they did not */
};

struct count_figure {
    enum count_state state;
    double per_request; /* settled: mean of those that agree; unsettled: median; NaN */
    double spread; /* (largest − smallest) / count_scale(their mean), of all; NaN = missing */
    int n;
    double repeat[COUNTS_REPEATS_MAX];
    char reason[COUNTS_REASON_SIZE]; /* of a missing one */
};

struct count_call {
    char name[32];
    double per_request;
};

struct count_function {
    char name[96], object[64];
    enum count_part part;
    double per_request; /* instructions of its own, not of what it calls */
};

struct count_record {
    int64_t seq;
    char target[RECORD_NAME_SIZE], base[RECORD_NAME_SIZE], workload[RECORD_NAME_SIZE];
    int connections, pipeline;
    int64_t low, high; /* requests */
    char started[CLOCK_ISO_SIZE];
    double wall_s;
    struct count_figure figure[COUNT_KINDS];
    double part[COUNT_PARTS]; /* of the instructions; NaN where those are missing */
    size_t calls;
    struct count_call call[COUNTS_CALLS_MAX]; /* most frequent first; the last may be "others" */
    size_t functions;
    struct count_function function[COUNTS_FUNCTIONS_MAX]; /* dearest first */
};

/* What a figure's spread and change are parts of: itself, or one where it is none. */
double count_scale(double figure);

/* How far apart, as a part of that, two counts of one figure may be that agree: a figure below one
 * is known to COUNTS_TOLERANCE of one only, which may be much of itself. */
double count_tolerance(double figure);

/* Everything missing. */
void count_record_init(struct count_record *r);

/* Judges the repeats of a figure (n and repeat): sets state, per_request and spread. At least two
 * are needed. Returns true when the only two, or the last three, agree. */
bool count_settle(struct count_figure *f);

/* Which repeats a figure is the mean of, by their place; returns how many. */
int count_chosen(const struct count_figure *f, int chosen[COUNTS_REPEATS_MAX]);

/* One compact line ending in a newline, owned by the caller; NULL out of memory. */
char *count_to_line(const struct count_record *r);

/* Strict, as record_from_line. Returns 0, or -1 with *e (ERR_USAGE) naming the member. */
int count_from_line(const char *line, size_t len, struct count_record *r, struct err *e);

/* The counts of a run. Of several records of one cell the last stands. */
struct counts {
    struct count_record *record;
    size_t count;
    size_t lines; /* whole ones, of which `count` stand */
    size_t lost;  /* lines that were there when counting ended; without the one cut short */
    bool torn;    /* the last line was cut short and is left out */
};

/* Reads dir/counts.jsonl, and of the manifest how many lines it had: where that is not told (an
 * older version's), none is lost but of a complete run of counts alone. A run without the file has
 * no counts. Returns 0, or -1 with *e. */
int counts_read(struct counts *c, const char *dir, struct err *e);
void counts_release(struct counts *c);

/* The record of that cell, or NULL. */
const struct count_record *counts_find(const struct counts *c, const char *target,
                                       const char *workload, int connections, int pipeline);

/* Opens dir/counts.jsonl to append, cutting off a torn last line. Returns the descriptor, which
 * holds a lock until it is closed, or -1 with *e. */
int counts_open(const char *dir, struct err *e);

/* Appends a record in one write, synced. Returns 0, or -1 with *e. */
int counts_append(int fd, const struct count_record *r, struct err *e);

/* Says in the manifest of dir how many lines counts.jsonl has: by `w`, which writes the run, or
 * NULL; nothing where another writes it at this moment. Returns 0, or -1 with *e. */
int counts_note(const char *dir, struct writer *w, struct err *e);

/* How many more lines than these the manifest of dir tells; 0 where it tells nothing. */
size_t counts_lost(const char *dir, size_t lines);

/* Whether a manifest is that of a run of counts alone. */
bool counts_only(const json_t *manifest);

#endif
