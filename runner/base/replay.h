/* replay.h — a published report as something to repeat: its parts, which are ordinary runs, and the
 * claims it made. Pure data: config/replay_read.h fills it, report/replay_judge.h judges it. */
#ifndef BASE_REPLAY_H
#define BASE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPLAY_PARTS_MAX   16
#define REPLAY_CLAIMS_MAX  64
#define REPLAY_LEVELS_MAX  16
#define REPLAY_OPTIONS_MAX 32 /* of one part */

/* What a claim is about: one number of each trial, or something that happened in it or not. */
enum replay_metric {
    REPLAY_THROUGHPUT,
    REPLAY_CPU,
    REPLAY_P50,
    REPLAY_P99,
    REPLAY_TIME,
    REPLAY_MEMORY,
    REPLAY_MEMORY_IDLE,
    REPLAY_GROWTH,
    REPLAY_BYTES,
    REPLAY_SPREAD,
    REPLAY_QUEUE,
    REPLAY_AVAILABILITY,
    REPLAY_FAILED,
    REPLAY_REFUSED,
    REPLAY_ERRORS,
    REPLAY_OVERFLOW,
    REPLAY_SLOW,
    REPLAY_OUTLIER,
    REPLAY_METRICS,
};

struct replay_metric_info {
    const char *name;  /* in the file */
    const char *title; /* "requests per second" */
    bool event;        /* it happens in a trial, or not */
    bool limit;        /* an event that needs a number: claim key `limit` */
    bool anchored;     /* moves with the machine's speed: see replay_claim.anchor */
};

const struct replay_metric_info *replay_metric_info(enum replay_metric metric);

/* The metric of that name, or REPLAY_METRICS. */
enum replay_metric replay_metric_find(const char *name);

/* How a claim is decided: always by an interval that lies within what the claim expects (it
 * holds), wholly outside (it does not), or neither (it cannot be told). */
enum replay_check {
    REPLAY_RATIO, /* one side's value divided by another's */
    REPLAY_VALUE, /* the value itself */
    REPLAY_SHARE, /* of the trials in which an event happened */
};

/* An option of a part, as it was written. */
struct replay_option {
    char *key, *value;
    int line;
};

struct replay_part {
    char *name;
    char *title; /* what the original did here; NULL = the name says it */
    char *about; /* what this part changes, or NULL */
    struct replay_option *option;
    size_t options;
    int line;
};

/* One thing that was measured: a target in a cell of a part. */
struct replay_side {
    char *part, *target, *workload;
};

struct replay_claim {
    char *name;
    char *title;   /* what the original concluded, in our words */
    char *figures; /* what it measured, in its numbers */
    char *why;     /* why it comes out so, or what it does not mean */
    enum replay_metric metric;
    enum replay_check check;
    struct replay_side a, b; /* b: of a ratio */
    int64_t level[REPLAY_LEVELS_MAX];
    size_t levels;
    int64_t against_level; /* of b; 0 = the same as a's */
    double limit;          /* of an event that needs one */
    double lo, hi;         /* what the claim expects; infinite where it is open */
    /* A ratio of two parts, which ran one after the other: values are divided by the null server's
     * of their block first, where both parts have it, as in `compare`. */
    bool anchor;
    int line;
};

struct replay {
    char *id; /* "r1" */
    char *title;
    char *source;  /* who published it, where */
    char *summary; /* what it did, in our words */
    char *omits;   /* what this replay cannot repeat, or NULL */
    int64_t year;  /* 0 = not given */
    struct replay_part part[REPLAY_PARTS_MAX];
    size_t parts;
    struct replay_claim claim[REPLAY_CLAIMS_MAX];
    size_t claims;
};

/* Number of comparisons that all claims need: one for each of their levels. */
size_t replay_comparisons(const struct replay *r);

/* Index of the part of that name, or SIZE_MAX. */
size_t replay_part_find(const struct replay *r, const char *name);

/* The value of a part's option, or NULL. */
const char *replay_part_value(const struct replay_part *p, const char *key);

void replay_release(struct replay *r);

#endif
