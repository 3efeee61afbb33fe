/* replay.h — the report of a replay: replay.md, replay.html and replay.json in its folder, made
 * from what is on disk and nothing else. */
#ifndef REPORT_REPLAY_H
#define REPORT_REPLAY_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/replay_judge.h"

/* Writes the three files into `dir`. Returns 0, or -1 with *e. */
int replay_write(const struct replay_judged *j, const char *dir, struct err *e);

/* The claims and their verdicts for a terminal, at most 100 columns wide. */
void replay_print(FILE *out, const struct replay_judged *j, bool utf8);

#endif
