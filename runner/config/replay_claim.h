/* replay_claim.h — the keys of a [claim NAME] section. Used by replay_read.c only. */
#ifndef CONFIG_REPLAY_CLAIM_H
#define CONFIG_REPLAY_CLAIM_H

#include <stddef.h>

#include "base/err.h"
#include "base/replay.h"

/* Sets one key. Returns 0, or -1 with *e (ERR_USAGE), without a place in front. */
int replay_claim_set(struct replay_claim *c, const char *key, const char *value, struct err *e);

/* The error for a key that is none of `names`; returns -1. */
int replay_unknown_key(const char *key, const char *const *names, size_t n, struct err *e);

#endif
