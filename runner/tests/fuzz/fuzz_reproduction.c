/* reproduce.json: refused in one line, or its counts add up to what is said of them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/reproduction.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct reproduction r;
    struct err e = {0};
    char text[256];
    if (reproduction_parse(&r, (const char *)data, size, "fuzz.json", &e) != 0) {
        if (e.class != ERR_USAGE || !*e.text || strchr(e.text, '\n')) {
            abort();
        }
        return 0;
    }
    size_t sum = 0;
    for (int i = 0; i < RATIOS_OUTCOMES; i++) {
        sum += r.ratios.of[i];
    }
    reproduction_text(&r, text, sizeof text);
    if (sum != r.ratios.count || !*text || strlen(r.run) >= sizeof r.run) {
        abort();
    }
    return 0;
}
