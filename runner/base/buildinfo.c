#include "base/buildinfo.h"

const struct buildinfo *buildinfo_get(void) {
    static const struct buildinfo info = {
        .version = LOOPBENCH_VERSION,
        .commit = BUILD_COMMIT,
        .compiler = BUILD_COMPILER,
        .flags = BUILD_FLAGS,
        .server_flags = BUILD_SERVER_FLAGS,
        .prefix = BUILD_PREFIX,
    };
    return &info;
}
