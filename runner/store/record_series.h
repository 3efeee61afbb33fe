/* record_series.h — memory.series of a trial record as JSON and back: {"ms":[…],"rss":[…]}, or null
 * where nothing was recorded. */
#ifndef STORE_RECORD_SERIES_H
#define STORE_RECORD_SERIES_H

#include <jansson.h>

#include "base/err.h"
#include "store/record.h"

/* A new reference, or NULL out of memory. */
json_t *record_series_to_json(const struct memory_series *s);

/* v may be NULL or null: then *s stays as it is. Returns 0, or -1 with *e (ERR_USAGE): both lists
 * must be there, as long as each other, of 1 to MEMORY_SERIES_MAX whole numbers, ms ascending. */
int record_series_from_json(const json_t *v, struct memory_series *s, struct err *e);

#endif
