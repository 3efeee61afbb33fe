#include "target/target.h"

const char *target_failure_name(enum target_failure f) {
    static const char *const names[] = {
        [TARGET_OK] = "ok",       [TARGET_START] = "start",
        [TARGET_READY] = "ready", [TARGET_CRASHED] = "crashed",
        [TARGET_STOP] = "stop",   [TARGET_INTERRUPTED] = "interrupted",
    };
    return (size_t)f < sizeof names / sizeof *names ? names[f] : "unknown";
}
