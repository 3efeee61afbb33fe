/* options.h — the one table of options.
 *
 * A row drives the command line (--name), the INI file (name = value under [run]), defaults,
 * bounds, help text and the dump of the effective configuration. A new option is one row and one
 * field of struct config. */
#ifndef CONFIG_OPTIONS_H
#define CONFIG_OPTIONS_H

#include <stddef.h>

enum option_type {
    OPTION_INT,       /* int64_t */
    OPTION_REAL,      /* double */
    OPTION_DURATION,  /* int64_t, ns */
    OPTION_SPAN,      /* struct span, ns */
    OPTION_BOOL,      /* bool; --name (which on or off may follow) and --no-name */
    OPTION_SEED,      /* uint64_t; `auto` draws one */
    OPTION_TEXT,      /* char * */
    OPTION_NAME,      /* char *, of the names' alphabet */
    OPTION_SWITCH,    /* char *: "on", "off", or a name; --name VALUE and --no-name */
    OPTION_PATH,      /* char * */
    OPTION_NAMES,     /* struct names */
    OPTION_WORKLOADS, /* struct names, of workloads with or without a parameter */
    OPTION_INTS,      /* struct ints */
    OPTION_PAIRS,     /* struct pair_list, name=number */
    OPTION_CPUS,      /* struct cpu_choice */
};

/* Who understands an option: commands (bits) and the file. */
enum option_use {
    USE_RUN = 1 << 0,
    USE_REPORT = 1 << 1,
    USE_VERIFY = 1 << 2,
    USE_DOCTOR = 1 << 3,
    USE_CALIBRATE = 1 << 4,
    USE_COMPARE = 1 << 5,
    USE_REPRODUCE = 1 << 6,
    USE_EXPORT = 1 << 7,
    USE_LIST = 1 << 8, /* and show */
    USE_PRUNE = 1 << 9,
    USE_SITE = 1 << 10,
    USE_TARGETS = 1 << 11,
    USE_REPLAY = 1 << 13,
    USE_CROSSCHECK = 1 << 14,
    USE_FILE = 1 << 15, /* may stand in an INI file, and is dumped */
};

struct option {
    const char *name;
    enum option_type type;
    unsigned use;         /* of enum option_use */
    size_t offset;        /* of its field in struct config */
    const char *fallback; /* default, as a user would write it; NULL = unset */
    double min, max;      /* of a number (durations in ns); unused where both are 0 */
    const char *metavar;  /* what help calls its value; NULL for a bool */
    const char *help;     /* one line, no full stop */
};

/* All rows, ended by one whose name is NULL, in the order of help and dump. */
extern const struct option options[];

/* Number of rows without the last. */
size_t options_count(void);

/* The row of that name that is in use for any bit of `use`, or NULL. */
const struct option *option_find(const char *name, unsigned use);

/* The nearest name in use for `use` if it is near enough to be a slip of the pen, else NULL. */
const char *option_nearest(const char *name, unsigned use);

/* The nearest of `n` names (a Levenshtein distance of at most a third of the length), or NULL. */
const char *option_nearest_of(const char *name, const char *const *names, size_t n);

#endif
