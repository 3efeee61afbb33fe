/* skeleton.h — the file that `loopbench init` writes. */
#ifndef CONFIG_SKELETON_H
#define CONFIG_SKELETON_H

#include <stdbool.h>

#include "config/config.h"

/* Whether a target may be called so, and its file NAME.ini: ERR_USAGE where not. */
int skeleton_check_name(const char *name, struct err *e);

/* A configuration that measures `name` beside one of our servers, with every key explained. It
 * works as it is: its command is one of our servers until somebody puts another. NULL out of
 * memory; owned by the caller. */
char *skeleton_text(const char *name);

/* Whether the target still runs what the skeleton says. */
bool skeleton_is_unedited(const struct target_config *t);

#endif
