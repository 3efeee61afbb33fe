/* plan_json.h — the plan as plan.json, written before a run and read back to resume it. */
#ifndef PLAN_PLAN_JSON_H
#define PLAN_PLAN_JSON_H

#include "plan/plan.h"

/* {"format":1,"seed":"…","rounds":N,"targets":[{"name","base","role"}],
 *  "blocks":[{"round","workload","connections","order":[names]}]}: trials are numbered from 0 in
 * the order of blocks and names. The seed is text: 64 bits do not fit JSON's numbers. Owned by the
 * caller (free); NULL out of memory. */
char *plan_to_json(const struct plan *p);

/* Reads it back; `where` names the file in messages. Strict: anything that plan_to_json would not
 * write is ERR_USAGE. */
int plan_from_json(struct plan *p, const char *text, size_t len, const char *where, struct err *e);

#endif
