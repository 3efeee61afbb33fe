#include "ui/recorded.h"

#include "config/options.h"

const char *recorded_default(const char *option) {
    const struct option *o = option_find(option, USE_FILE);
    return o ? o->fallback : NULL;
}
