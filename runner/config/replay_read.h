/* replay_read.h — the file of a replay: INI text with [replay], [part NAME] and [claim NAME]
 * sections, and [target NAME] sections as in any configuration (docs/replays.md lists the keys). */
#ifndef CONFIG_REPLAY_READ_H
#define CONFIG_REPLAY_READ_H

#include <stddef.h>

#include "base/err.h"
#include "base/replay.h"

#define REPLAY_FILE_MAX (1 << 20)

/* Reads text (NUL-terminated at text[len]); `file` is its name in messages, and its last part
 * without ".ini" is the replay's id. Returns 0, or -1 with *e (ERR_USAGE, "FILE:LINE: ") and an
 * empty *r. Values of options are checked when a part is configured (replay_part.h). */
int replay_read(struct replay *r, const char *text, size_t len, const char *file, struct err *e);

/* The same text with all lines but those of [target NAME] sections emptied, so that line numbers
 * stay; owned by the caller. NULL out of memory. */
char *replay_targets_text(const char *text, size_t len);

/* What follows `word` in the name of a section ("part x": "x"), or NULL. */
const char *replay_section_name(const char *section, const char *word);

#endif
