/* replay_part.h — the parts of a replay that is under way, each measured as an ordinary run. */
#ifndef UI_REPLAY_PART_H
#define UI_REPLAY_PART_H

#include <limits.h>
#include <stdbool.h>

#include "base/loop.h"
#include "config/replay_part.h"
#include "store/replay_state.h"
#include "ui/commands.h"

/* A replay under way. */
struct replaying {
    const struct invocation *in;
    struct config config;  /* of this invocation: places, quiet, profile */
    struct settings flags; /* for every part */
    struct replay_file file;
    struct replay_state state;
    char dir[PATH_MAX];
    struct loop loop; /* hears Ctrl-C whatever is under way, also between the parts */
    bool interrupted; /* as far as replay_interrupted() was asked */
    size_t measured;
};

/* Whether Ctrl-C came, up to now. */
bool replay_interrupted(struct replaying *r);

/* Measures part i into its folder, or goes on with it, unless it was measured before, and records
 * what became of it. What only this part cannot do is said in one line and is no error. Returns 0,
 * also after Ctrl-C (r->interrupted), or -1 with *e. */
int replay_part_run(struct replaying *r, size_t i, struct err *e);

/* Prints what each part would measure instead. Returns 0, or -1 with *e, also after Ctrl-C. */
int replay_part_plans(struct replaying *r, struct err *e);

#endif
