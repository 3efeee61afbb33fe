/* record_json.h — a trial record as JSON and back.
 *
 * One object a trial, nested as struct trial_record is and named as its members are; flags is an
 * array of words. UNKNOWN is null. Real numbers carry 15 significant digits. */
#ifndef STORE_RECORD_JSON_H
#define STORE_RECORD_JSON_H

#include <jansson.h>

#include "base/err.h"
#include "store/record.h"

/* A new reference, or NULL out of memory. A text that is not UTF-8 loses what is not ASCII to '?'.
 */
json_t *record_to_json(const struct trial_record *r);

/* One compact line ending in a newline, owned by the caller (free); NULL as record_to_json. */
char *record_to_line(const struct trial_record *r);

/* Strict: every member of the right type and in range. seq, attempt, round, block, target,
 * workload, connections and status must be there; any other member that is missing stays UNKNOWN,
 * and members this version does not know are ignored, so that fields can be added without a new
 * format. Returns 0, or -1 with *e (ERR_USAGE) naming the member. */
int record_from_json(const json_t *json, struct trial_record *r, struct err *e);

/* The same from the text of a line (newline optional). */
int record_from_line(const char *line, size_t len, struct trial_record *r, struct err *e);

#endif
