/* replay_state.h — the folder of a replay: what was done of it, as parts.json.
 *
 *   replay.ini   the replay's file, as it was
 *   parts.json   this record, written again whenever a part ends
 *   NAME/        each part that was measured: an ordinary run
 *
 * docs/results-format.md and its JSON Schema describe the same. */
#ifndef STORE_REPLAY_STATE_H
#define STORE_REPLAY_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define REPLAY_INI  "replay.ini"
#define REPLAY_JSON "parts.json"

enum replay_part_state {
    REPLAY_PART_PENDING,     /* not begun yet */
    REPLAY_PART_MEASURED,    /* its folder holds a complete run */
    REPLAY_PART_INTERRUPTED, /* its folder holds a run that can be resumed */
    REPLAY_PART_LEFT_OUT,    /* it cannot be measured here: see reason */
};

const char *replay_part_state_name(enum replay_part_state state);

struct replay_state {
    json_t *root; /* owned */
};

/* A record of a replay not yet begun: `options` (an object, copied) are what the command line said
 * for all parts. Returns 0, or -1 with *e. */
int replay_state_begin(struct replay_state *s, const char *id, const json_t *options,
                       struct err *e);

/* Adds or replaces a part. `left_out` is a list of {target, reason}, whose reference it takes even
 * on failure; `reason` may be NULL. */
int replay_state_set(struct replay_state *s, const char *part, enum replay_part_state state,
                     const char *reason, json_t *left_out, struct err *e);

/* Reads dir/parts.json. ERR_USAGE when it is missing or not what this version writes. */
int replay_state_read(struct replay_state *s, const char *dir, struct err *e);
int replay_state_write(const struct replay_state *s, const char *dir, struct err *e);

/* "r1". */
const char *replay_state_id(const struct replay_state *s);

/* What was said on the command line: {name: value}. */
const json_t *replay_state_options(const struct replay_state *s);

enum replay_part_state replay_state_of(const struct replay_state *s, const char *part);

/* Why the part, or the target in that part, was left out; NULL = it was not. */
const char *replay_state_reason(const struct replay_state *s, const char *part);
const char *replay_state_target_reason(const struct replay_state *s, const char *part,
                                       const char *target);

/* The list of {target, reason} of a part; NULL = none. */
const json_t *replay_state_left_out(const struct replay_state *s, const char *part);

void replay_state_release(struct replay_state *s);

/* True when the folder is one of a replay. */
bool replay_state_is(const char *dir);

#endif
