/* A line of trials.jsonl: whatever is accepted must survive being written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/record_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct trial_record r;
    struct trial_record again;
    struct err e;
    if (record_from_line((const char *)data, size, &r, &e) != 0) {
        return 0;
    }
    char *line = record_to_line(&r);
    if (!line || record_from_line(line, strlen(line), &again, &e) != 0) {
        abort();
    }
    char *second = record_to_line(&again);
    if (!second || strcmp(line, second) != 0) {
        abort();
    }
    free(line);
    free(second);
    return 0;
}
