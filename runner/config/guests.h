/* guests.h — targets that lie in a folder each: GUESTS/NAME/target.ini is the section of NAME, and
 * naming NAME as a target is enough. Used by config only. */
#ifndef CONFIG_GUESTS_H
#define CONFIG_GUESTS_H

#include "config/config.h"

/* Adds a row for every chosen target that is not known and whose folder is there: ERR_USAGE where
 * its file is wrong. Returns 0, or -1 with *e. */
int guests_resolve(struct config *c, struct err *e);

/* Reads the text of a target.ini as the guest `name` in `dir`; `file` stands for it in messages. It
 * must hold one section, [target NAME], and nothing else. On error nothing of it is left in *c. */
int guests_read_text(struct config *c, const char *name, const char *dir, const char *file,
                     const char *text, size_t len, struct err *e);

#endif
