/* Quality: what makes a trial invalid, a machine doubtful, a throughput the client's.
 *
 * One table holds every signal with its thresholds, its reason and its remedy; recording, the
 * report and the machine check all read it. None of the signals that make a trial invalid looks at
 * the outcome (throughput, latency, CPU per request): discarding trials by their result would
 * choose the result.
 *
 * A signal that could not be read is NaN and judged unknown, never ok. */
#ifndef BASE_QUALITY_H
#define BASE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>

enum quality_id {
    /* judged for every trial */
    QUALITY_STEAL,
    QUALITY_FOREIGN_CPU,
    QUALITY_THROTTLED,
    QUALITY_SPEED_SHIFT,
    QUALITY_LISTEN_OVERFLOWS,
    QUALITY_LISTEN_DROPS,
    QUALITY_RETRANSMITS,
    QUALITY_ACTIVE_SHARE,
    QUALITY_SILENT,
    QUALITY_REPLY_SIZE,
    QUALITY_STALL,
    QUALITY_ERRORS,
    QUALITY_CONNTRACK,
    /* judged once for the machine and the plan */
    QUALITY_PORTS,
    QUALITY_FILES,
    QUALITY_BACKLOG,
    QUALITY_LOAD,
    QUALITY_PINNING,
    QUALITY_SMT,
    QUALITY_CPUS,
    QUALITY_GOVERNOR,
    QUALITY_BOOST,
    QUALITY_THP,
    QUALITY_ASLR,
    QUALITY_CLOCKSOURCE,
    QUALITY_QUOTA,
    QUALITY_VIRTUAL,
    QUALITY_STEADINESS,
    QUALITY_COUNT,
};

enum quality_level {
    QUALITY_OK,
    QUALITY_WARN,
    QUALITY_INVALID, /* of a trial: its block is run again; of the machine: a run is refused */
    QUALITY_UNKNOWN, /* could not be read */
};

enum quality_scope { QUALITY_TRIAL, QUALITY_MACHINE };

/* Which side of a threshold is bad; the threshold itself is still good. */
enum quality_side {
    QUALITY_ABOVE,     /* value > threshold */
    QUALITY_ABOVE_ABS, /* |value| > threshold */
    QUALITY_BELOW,     /* value < threshold */
};

struct quality_check {
    const char *name; /* short, for tables and records: "steal" */
    const char *what; /* what the value is */
    const char *unit; /* "%", "count", "files", …; "yes/no" for a value that is 1 or 0 */
    enum quality_scope scope;
    enum quality_side side;
    double warn;    /* NaN: no such level */
    double invalid; /* NaN: no such level */
    const char *why;
    const char *fix;
};

/* The check's row; never NULL for an id below QUALITY_COUNT, NULL from there on. */
const struct quality_check *quality_check(enum quality_id id);

/* The id with this name; false if there is none. */
bool quality_find(const char *name, enum quality_id *id);

/* Judge a measured value. */
enum quality_level quality_judge(enum quality_id id, double value);

/* Whether the signal is about the whole machine: what it says of one trial holds for those right
 * before and after it, too. */
bool quality_is_shared(enum quality_id id);

/* "ok", "warn", "invalid", "unknown". */
const char *quality_level_name(enum quality_level level);

/* The worse of two: invalid, then warn, then unknown, then ok. */
enum quality_level quality_worse(enum quality_level a, enum quality_level b);

/* Files that one side needs for this many connections: 2 c + 64. */
double quality_files_needed(size_t connections);

#endif
