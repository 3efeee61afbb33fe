/* A guest's target.ini: refused in one line, or a whole target; what was refused leaves nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/guests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct config c = {0};
    struct err e = {0};
    char *text = malloc(size + 1);
    if (!text || size > CONFIG_FILE_MAX) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    int rc = guests_read_text(&c, "g", "/folder", "target.ini", text, size, &e);
    free(text);
    if (rc != 0) {
        if (e.class != ERR_USAGE || !*e.text || strchr(e.text, '\n') || c.target_count > 0) {
            abort();
        }
    } else if (c.target_count != 1 || !c.target[0].guest || strcmp(c.target[0].name, "g") != 0 ||
               (!c.target[0].command && !c.target[0].url)) {
        abort();
    } else {
        bool no_memory;
        free(config_path(&c.target[0], "bytes:n=4096", &no_memory));
        char **words = config_expand_all(&c.target[0], c.target[0].command, "/servers");
        for (size_t i = 0; words[i]; i++) {
            free(words[i]);
        }
        free(words);
    }
    config_release(&c);
    return 0;
}
