#include "base/caller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void caller_shown(const char *folder, char *out, size_t size) {
    const char *pair = getenv("LOOPBENCH_RESULTS_SHOWN");
    const char *equals = pair ? strchr(pair, '=') : NULL;
    size_t len = equals ? (size_t)(equals - pair) : 0;
    if (len > 0 && strncmp(folder, pair, len) == 0 && (!folder[len] || folder[len] == '/')) {
        snprintf(out, size, "%s%s", equals + 1, folder + len);
    } else {
        snprintf(out, size, "%s", folder);
    }
}

const char *caller_report(void) {
    return getenv("LOOPBENCH_REPORT_SHOWN");
}
