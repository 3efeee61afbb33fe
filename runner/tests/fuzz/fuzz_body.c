/* Any reply body against the check of any workload: the first byte chooses. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const small[] = {"bytes:n=0", "bytes:n=64", "bytes:n=100", "fibonacci:n=0"};
    char why[80];
    size_t rows = 0;
    while (workload_at(rows)) {
        rows++;
    }
    if (size == 0) {
        return 0;
    }
    size_t choice = data[0] % (rows + 4);
    const struct workload *w =
        choice < rows ? workload_at(choice) : workload_find(small[choice - rows]);
    size_t len = size - 1;
    char *body =
        malloc(len + 1); /* so that a read past the end is seen; NUL as a parser leaves it */
    if (!body) {
        return 0;
    }
    memcpy(body, data + 1, len);
    body[len] = '\0';
    for (int strict = 0; strict < 2; strict++) {
        why[0] = '\0';
        bool good = workload_check_body(w, strict, body, len, why, sizeof why);
        if (!good && why[0] == '\0') {
            abort(); /* a refusal always says why */
        }
    }
    free(body);
    return 0;
}
