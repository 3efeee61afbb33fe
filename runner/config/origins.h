/* origins.h — where each value of a configuration came from, for messages. Used while loading. */
#ifndef CONFIG_ORIGINS_H
#define CONFIG_ORIGINS_H

#include <stdbool.h>

#include "config/options.h"

#define ORIGINS_MAX 64 /* options at most */

struct origins {
    char *where[ORIGINS_MAX]; /* by row of options[]; NULL = the default; owned */
    bool chosen[ORIGINS_MAX]; /* by file or flag, not by default or profile */
};

/* "--rounds", "bench.ini:3: rounds", "profile quick: rounds", or the option's name alone. */
const char *origins_of(const struct origins *o, const char *option_name);

bool origins_chosen(const struct origins *o, const char *option_name);

/* Remembers a copy; -1 out of memory. */
int origins_set(struct origins *o, const struct option *option, const char *where, bool chosen);

void origins_release(struct origins *o);

#endif
