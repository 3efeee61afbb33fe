/* places.h — where targets run: NAME@host-network and NAME@bridge are NAME in a container, a
 * section with a url says that it runs already. Used by config only. */
#ifndef CONFIG_PLACES_H
#define CONFIG_PLACES_H

#include <stdio.h>

#include "config/config.h"

#define PLACES_MARK "@"

/* What the end of a name says: PLACE_HOST_NETWORK, PLACE_BRIDGE, else PLACE_PROCESS. */
enum target_place places_of(const char *name);

/* Adds a row for every chosen target whose name says that it runs in a container; `where` is the
 * option that chose it. ERR_USAGE where what stands before the @ cannot run in one. */
int places_resolve(struct config *c, const char *where, struct err *e);

/* The key `url`: http://HOST[:PORT], nothing behind. */
int places_set_url(struct target_config *t, const char *value, struct err *e);

/* Checks a section with a url: nothing in it says how to start the target. */
int places_check_url(const struct target_config *t, struct err *e);

/* The keys of a target with a url. */
void places_dump(const struct target_config *t, FILE *out);

#endif
