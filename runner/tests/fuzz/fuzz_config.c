/* The INI file: whatever it holds, it is refused in one line, or its dump reads back as itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct config c;
    struct config again;
    struct err e = {0};
    char *text = malloc(size + 1);
    if (!text || size > CONFIG_FILE_MAX) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    int rc = config_load_text(&c, text, size, "fuzz.ini", NULL, USE_RUN, &e);
    free(text);
    if (rc != 0) {
        if (e.class != ERR_USAGE || !*e.text || strchr(e.text, '\n') || c.target) {
            abort();
        }
        return 0;
    }
    char *once = config_dump(&c);
    if (!once || config_load_text(&again, once, strlen(once), "dump.ini", NULL, USE_RUN, &e) != 0) {
        abort();
    }
    char *twice = config_dump(&again);
    if (!twice || strcmp(once, twice) != 0) {
        abort();
    }
    free(once);
    free(twice);
    config_release(&again);
    config_release(&c);
    return 0;
}
