/* What callgrind wrote: whatever is accepted adds up. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "count/callgrind.h"
#include "count/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct callgrind c;
    struct err e = {0};
    FILE *in = size > 0 ? fmemopen((void *)data, size, "r") : NULL;
    if (!in) {
        return 0;
    }
    if (callgrind_init(&c, &e) != 0) {
        abort();
    }
    if (callgrind_add(&c, in, "file", &e) == 0) {
        const char *key;
        json_t *value;
        json_int_t sum = 0;
        json_object_foreach(c.cost, key, value) {
            sum += json_integer_value(value);
            parts_of(key, key, key);
        }
        if (sum != c.total) {
            abort();
        }
    } else if (e.class == ERR_NONE || strchr(e.text, '\n')) {
        abort();
    }
    callgrind_release(&c);
    fclose(in);
    return 0;
}
