/* manifest.json: parsed, and asked for what reports ask it for. */
#include <stdint.h>
#include <string.h>

#include "store/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const paths[] = {
        "run_id", "plan.seed", "plan.rounds", "machine.cpu.model", "targets", "generator.name"};
    enum store_state state;
    struct err e;
    char buf[32];
    json_t *m = manifest_parse((const char *)data, size, "manifest.json", &state, &e);
    if (!m) {
        return 0;
    }
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        manifest_at(m, paths[i]);
        manifest_int(m, paths[i]);
        (void)strlen(manifest_text(m, paths[i], buf, sizeof buf, ""));
    }
    json_decref(m);
    return 0;
}
