/* args.h — the command line: a command, its options and its operands. */
#ifndef UI_ARGS_H
#define UI_ARGS_H

#include <stdbool.h>

#include "base/err.h"
#include "config/config.h"
#include "config/profile.h"

enum command_id {
    COMMAND_RUN,
    COMMAND_REPORT,
    COMMAND_INIT,
    COMMAND_VERIFY,
    COMMAND_TARGETS,
    COMMAND_DOCTOR,
    COMMAND_CALIBRATE,
    COMMAND_CROSSCHECK,
    COMMAND_COMPARE,
    COMMAND_REPRODUCE,
    COMMAND_REPLAY,
    COMMAND_EXPORT,
    COMMAND_LIST,
    COMMAND_SHOW,
    COMMAND_PRUNE,
    COMMAND_SITE,
    COMMAND_HELP,
    COMMAND_VERSION,
};

struct command {
    enum command_id id;
    unsigned use; /* which options it takes: enum option_use */
    const char *name;
    const char *operands; /* "[CONFIG.ini]", as help shows it; "" = none */
    int min, max;         /* how many operands */
    const char *operand;  /* what to do when there are too few */
    const char *help;     /* one line */
    const char *more;     /* a paragraph or two for `help NAME`; NULL = none */
    /* Defaults of its own, before the profile's; ended by a NULL name. NULL = none. */
    const struct profile_setting *defaults;
};

/* The default that the command has of its own for that option, or NULL. */
const char *command_default(const struct command *c, const char *option_name);

/* All rows, ended by one whose name is NULL. */
extern const struct command commands[];

const struct command *command_find(const char *name);

/* The error for a name that command_find does not know; returns -1. */
int command_unknown(const char *name, struct err *e);

struct args {
    const struct command *command; /* never NULL after args_parse succeeded */
    bool help;                     /* -h or --help: print the command's help instead */
    struct settings flags;         /* `run CONFIG.ini` and `verify --config` both end up in here */
    int n;
    const char **operand; /* points at argv's strings; the array is owned */
};

/* Reads argv. No argument at all is `help`. `--name=value`, `--name value`, `--no-name`, `--`.
 * Returns 0, or -1 with *e (ERR_USAGE), naming the nearest known word where there is one. */
int args_parse(struct args *a, int argc, const char *const *argv, struct err *e);

void args_release(struct args *a);

#endif
