/* replay_part.h — from a replay's file to configurations that can be run: one a part.
 *
 * Later sources win: the part's options, what a short replay cuts down, flags. */
#ifndef CONFIG_REPLAY_PART_H
#define CONFIG_REPLAY_PART_H

#include "base/replay.h"
#include "config/config.h"

/* Finds the file of a replay that a person named: a path (with a slash, or ending in .ini), or a
 * name in `replays` beside the program or under the prefix. Returns 0, or -1 with *e (ERR_USAGE).
 */
int replay_find(const char *name, char *path, size_t size, struct err *e);

/* A replay's file, read. */
struct replay_file {
    struct replay replay;
    char *text;    /* all of it, for the replay's folder */
    char *targets; /* its [target NAME] sections, on their lines */
    char *name;    /* in messages */
};

int replay_file_read(struct replay_file *f, const char *path, struct err *e);
void replay_file_release(struct replay_file *f);

#define REPLAY_LEFT_MAX 32

/* A target that a part wants and cannot have here. */
struct replay_left {
    char *target;
    char *reason;
};

/* One part, ready to be planned. */
struct replay_part_config {
    struct config config;
    struct replay_left left[REPLAY_LEFT_MAX];
    size_t lefts;
};

/* Builds the part's configuration from the file and the flags; `smoke` cuts it down to one round at
 * its lowest level, few requests and no controls. Targets that are unknown here, or cannot do what
 * the part asks, are left out with their reason. Returns 0, or -1 with *e (ERR_USAGE) when nothing
 * is left or an option is wrong; *c is empty then. */
int replay_part_load(struct replay_part_config *c, const struct replay_file *f, size_t part,
                     const struct settings *flags, bool smoke, struct err *e);

void replay_part_release(struct replay_part_config *c);

#endif
