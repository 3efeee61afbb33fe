/* replay.h — the end of a replay, for `replay` and for `report`. */
#ifndef UI_REPLAY_H
#define UI_REPLAY_H

#include <stdio.h>

#include "base/err.h"

/* Judges the replay in `dir` from what is on disk, writes replay.md, replay.html and replay.json
 * into it and, where `out` is not NULL, prints the claims. Returns 0, or -1 with *e. */
int replay_conclude(const char *dir, FILE *out, struct err *e);

#endif
