#include "ui/replay.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "config/replay_part.h"
#include "report/replay.h"
#include "ui/progress.h"

int replay_conclude(const char *dir, FILE *out, struct err *e) {
    char path[PATH_MAX];
    struct replay_file file;
    struct replay_state state;
    struct replay_judged judged;
    if (replay_state_read(&state, dir, e) != 0) {
        return -1;
    }
    if (file_join(path, sizeof path, dir, REPLAY_INI, e) != 0 ||
        replay_file_read(&file, path, e) != 0) {
        replay_state_release(&state);
        return -1;
    }
    free(file.replay.id); /* the copy is called replay.ini, whatever it was */
    file.replay.id = strdup(replay_state_id(&state));
    int rc = file.replay.id ? 0 : err_set(e, ERR_MACHINE, "out of memory");
    if (rc == 0) {
        rc = replay_judge(&judged, &file.replay, &state, dir, e);
    }
    if (rc == 0) {
        rc = replay_write(&judged, dir, e);
        if (rc == 0 && out) {
            replay_print(out, &judged, progress_style_for(out, false).utf8);
        }
        replay_judged_release(&judged);
    }
    replay_file_release(&file);
    replay_state_release(&state);
    return rc;
}
