/* A line of counts.jsonl: whatever is accepted must survive being written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/counts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct count_record r;
    struct count_record again;
    struct err e = {0};
    if (count_from_line((const char *)data, size, &r, &e) != 0) {
        return 0;
    }
    char *line = count_to_line(&r);
    if (!line || count_from_line(line, strlen(line), &again, &e) != 0) {
        abort();
    }
    free(line);
    return 0;
}
