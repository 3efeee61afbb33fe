/* plan.json: whatever it holds, it is refused in one line, or what is written again is the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct plan p;
    struct plan again;
    struct err e = {0};
    if (plan_from_json(&p, (const char *)data, size, "fuzz.json", &e) != 0) {
        if (e.class != ERR_USAGE || !*e.text || strchr(e.text, '\n') || p.trial) {
            abort();
        }
        return 0;
    }
    for (size_t i = 0; i < p.trial_count; i++) {
        if (p.trial[i].target >= p.target_count || p.trial[i].block >= p.block_count) {
            abort();
        }
    }
    char *once = plan_to_json(&p);
    if (!once || plan_from_json(&again, once, strlen(once), "again.json", &e) != 0) {
        abort();
    }
    char *twice = plan_to_json(&again);
    if (!twice || strcmp(once, twice) != 0) {
        abort();
    }
    free(once);
    free(twice);
    plan_release(&again);
    plan_release(&p);
    return 0;
}
