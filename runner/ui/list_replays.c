/* The replays that lie among the runs: each a folder of runs, so no row of their table. */
#include "ui/list_replays.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/text.h"
#include "store/replay_state.h"

static int choose_replay(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void put_replay(FILE *out, const char *name, const char *dir, bool utf8) {
    struct replay_state s;
    struct err e = {0};
    char shown[4 * 64 + 8];
    size_t measured = 0;
    text_terminal(shown, sizeof shown, name, 64, utf8);
    if (replay_state_read(&s, dir, &e) != 0) {
        fprintf(out, "replay %s: damaged\n", shown);
        return;
    }
    const json_t *parts = json_object_get(s.root, "parts");
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const char *part = json_string_value(json_object_get(json_array_get(parts, i), "name"));
        measured += part && replay_state_of(&s, part) == REPLAY_PART_MEASURED;
    }
    fprintf(out, "replay %s: %zu of %zu parts begun are measured; each is a run, %s/PART\n", shown,
            measured, json_array_size(parts), shown);
    replay_state_release(&s);
}

size_t list_replays(FILE *out, const char *results, bool utf8) {
    struct dirent **entry = NULL;
    size_t found = 0;
    const int n = scandir(results, &entry, choose_replay, alphasort);
    for (int i = 0; i < n; i++) {
        char dir[PATH_MAX];
        struct err ignored;
        if (file_join(dir, sizeof dir, results, entry[i]->d_name, &ignored) == 0 &&
            replay_state_is(dir)) {
            fputs(found++ == 0 ? "\n" : "", out);
            put_replay(out, entry[i]->d_name, dir, utf8);
        }
        free(entry[i]);
    }
    free(entry);
    return found;
}
