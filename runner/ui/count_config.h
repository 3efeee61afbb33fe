/* count_config.h — what `count` is told: by flags, by a file, or by the run it adds to. */
#ifndef UI_COUNT_CONFIG_H
#define UI_COUNT_CONFIG_H

#include "config/config.h"
#include "ui/commands.h"

/* Fills *c; with --add also `dir`, the folder of that run. Returns 0, or -1 with *e. */
int count_config(struct config *c, char *dir, size_t size, const struct invocation *in,
                 struct err *e);

#endif
