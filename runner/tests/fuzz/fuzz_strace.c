/* The table of strace: whatever is accepted holds numbers that are not below 0. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "count/strace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct err e = {0};
    const char *key;
    json_t *value;
    json_t *calls = strace_read((const char *)data, size, &e);
    if (!calls) {
        if (e.class == ERR_NONE || strchr(e.text, '\n')) {
            abort();
        }
        return 0;
    }
    json_object_foreach(calls, key, value) {
        if (!*key || json_integer_value(value) < 0) {
            abort();
        }
    }
    json_decref(calls);
    return 0;
}
