/* parts.json: whatever it holds, it is refused in one line, or all of it can be asked for. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "store/replay_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/loopbench-fuzz-XXXXXX";

static void remove_folder(void) {
    char path[sizeof folder + 16];
    snprintf(path, sizeof path, "%s/%s", folder, REPLAY_JSON);
    unlink(path);
    rmdir(folder);
}

static void ask(const struct replay_state *s) {
    size_t i;
    json_t *part;
    if (!replay_state_id(s) || !replay_state_options(s)) {
        abort();
    }
    json_array_foreach(json_object_get(s->root, "parts"), i, part) {
        const char *name = json_string_value(json_object_get(part, "name"));
        (void)replay_state_of(s, name);
        (void)replay_state_reason(s, name);
        (void)replay_state_target_reason(s, name, "libuv");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int made;
    char path[sizeof folder + 16];
    struct replay_state s;
    struct err e = {0};
    if (!made) {
        if (!mkdtemp(folder)) {
            abort();
        }
        made = 1;
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, REPLAY_JSON);
    FILE *f = fopen(path, "we");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
        abort();
    }
    if (replay_state_read(&s, folder, &e) != 0) {
        if (e.class != ERR_USAGE || strchr(e.text, '\n')) {
            abort();
        }
        return 0;
    }
    ask(&s);
    replay_state_release(&s);
    return 0;
}
