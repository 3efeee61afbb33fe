/* A member of histograms.gz, packed and as a line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/member.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct hist h = {0};
    struct hist back = {0};
    struct err e;
    unsigned char *packed = NULL;
    size_t len = 0;
    member_decode(data, size, 1, 0, &h, &e);
    hist_release(&h);
    char *line = malloc(size + 1);
    if (!line) {
        return 0;
    }
    memcpy(line, data, size);
    line[size] = '\0';
    if (member_parse(line, 1, 0, &h, &e) == 0) {
        if (member_encode(1, 0, &h, &packed, &len) != 0 ||
            member_decode(packed, len, 1, 0, &back, &e) != 0 || back.n != h.n ||
            hist_total(&back) != hist_total(&h)) {
            abort();
        }
    }
    free(packed);
    free(line);
    hist_release(&h);
    hist_release(&back);
    return 0;
}
