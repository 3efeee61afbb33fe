/* apply.h — one option's value into struct config, by its type. The way back is config_value_text.
 * Used by config.c. */
#ifndef CONFIG_APPLY_H
#define CONFIG_APPLY_H

#include "config/config.h"

/* Parses text into the option's field; `quotes` allows texts and paths in double quotes, as in a
 * file. Returns 0 or -1 with *e; the field keeps its value then. */
int apply_option(struct config *c, const struct option *o, const char *text, const char *where,
                 bool quotes, struct err *e);

/* Frees what the field owns. */
void apply_release(struct config *c, const struct option *o);

#endif
