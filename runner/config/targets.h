/* targets.h — the targets a configuration knows: rows for our own servers, sections for others.
 * Used by config.c only. */
#ifndef CONFIG_TARGETS_H
#define CONFIG_TARGETS_H

#include <stdio.h>

#include "config/config.h"

/* Adds the built-in rows to an empty configuration, with {servers} still in their commands. */
int targets_add_builtin(struct config *c, struct err *e);

/* Adds an empty row and makes it the current section. */
int targets_append(struct config *c, const char *name, struct err *e);

/* Begins a [target NAME] section of a file in `dir` (absolute; NULL = not known). Errors have no
 * place in front. */
int targets_add(struct config *c, const char *name, const char *dir, struct err *e);

/* Sets one key of the current section's target. */
int targets_set(struct config *c, const char *key, const char *value, struct err *e);

/* Checks a whole section: a url, or a command, its placeholders known, {port} among them. */
int targets_check(const struct target_config *t, struct err *e);

/* Puts the servers folder and the handicap into the commands of the built-in rows, and {dir} into
 * what is not recorded of the others. */
int targets_finish(struct config *c, struct err *e);

/* Of a section: {dir} in all but a guest's command, which is recorded as it was written. */
int targets_finish_section(struct target_config *t, struct err *e);

/* "libevent", … */
bool targets_is_builtin(const char *name);

/* "TERM". */
const char *targets_signal_name(int number);

/* Writes the [target] sections. */
void targets_dump(const struct config *c, FILE *out);

/* Takes the rows from the n-th on away again. */
void targets_cut(struct config *c, size_t n);

void targets_release(struct config *c);

#endif
