/* A replay's file: whatever it holds, it is refused in one line, or every claim is sound and every
 * part is configured or refused in one line. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/replay_part.h"
#include "config/replay_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const struct err *e) {
    if (e->class != ERR_USAGE || !*e->text || strchr(e->text, '\n')) {
        abort();
    }
}

static void check_claims(const struct replay *r) {
    for (size_t i = 0; i < r->claims; i++) {
        const struct replay_claim *c = &r->claim[i];
        if (!c->title || c->levels == 0 || c->metric >= REPLAY_METRICS || !(c->lo <= c->hi) ||
            replay_part_find(r, c->a.part) == SIZE_MAX ||
            (c->check == REPLAY_RATIO && replay_part_find(r, c->b.part) == SIZE_MAX)) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct replay_file f = {.name = (char *)"fuzz.ini"};
    const struct settings none = {0};
    struct err e = {0};
    char *text = size <= REPLAY_FILE_MAX ? malloc(size + 1) : NULL;
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (replay_read(&f.replay, text, size, "fuzz.ini", &e) != 0) {
        check_line(&e);
        if (f.replay.id || f.replay.parts > 0) {
            abort();
        }
    } else {
        check_claims(&f.replay);
        f.targets = replay_targets_text(text, size);
        for (size_t i = 0; f.targets && i < f.replay.parts && i < 3; i++) {
            struct replay_part_config c;
            if (replay_part_load(&c, &f, i, &none, i == 1, &e) != 0) {
                check_line(&e);
            } else {
                replay_part_release(&c);
            }
        }
        free(f.targets);
        replay_release(&f.replay);
    }
    free(text);
    return 0;
}
