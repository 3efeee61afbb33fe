/* --fail-on: whatever it says, it is refused in one line, or what is shown of it reads the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct gate g;
    struct gate again;
    struct err e = {0};
    char shown[ABOUT_COUNT * sizeof g.limit[0].text] = "";
    size_t used = 0;
    char *text = strndup((const char *)data, size);
    if (!text) {
        return 0;
    }
    const int rc = gate_parse(&g, text, &e);
    free(text);
    if (rc != 0) {
        if (e.class != ERR_USAGE || !*e.text || strchr(e.text, '\n')) {
            abort();
        }
        return 0;
    }
    if (g.count == 0 || g.count > ABOUT_COUNT) {
        abort();
    }
    for (size_t i = 0; i < g.count; i++) {
        const int n =
            snprintf(shown + used, sizeof shown - used, "%s%s", i ? "," : "", g.limit[i].text);
        used += n > 0 ? (size_t)n : 0;
    }
    if (gate_parse(&again, shown, &e) != 0 || again.count != g.count) {
        abort();
    }
    for (size_t i = 0; i < g.count; i++) {
        if (again.limit[i].about != g.limit[i].about ||
            strcmp(again.limit[i].text, g.limit[i].text) != 0) {
            abort();
        }
    }
    return 0;
}
