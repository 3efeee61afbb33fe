/* Pictures as part of a page: whatever a program drew, nothing comes through that runs, is fetched
 * or ends the element it is in. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg.h"

/* Outside of our own words and of texts, which are escaped, these would do harm. */
static const char *const harmful[] = {"<script", "<style", "<a ",  "<image", "<foreignObject",
                                      "<iframe", "<!--",   "url(", "xlink"};

static bool in_text(const char *out, const char *at) {
    while (at > out && *at != '<' && *at != '>') {
        at--;
    }
    return *at == '>';
}

static void check(const char *out) {
    for (size_t i = 0; i < sizeof harmful / sizeof harmful[0]; i++) {
        for (const char *at = out; (at = strstr(at, harmful[i])); at++) {
            if (*at == '<' || !in_text(out, at)) {
                abort();
            }
        }
    }
    if (strncmp(out, "<svg ", 5) != 0 || strcmp(out + strlen(out) - 7, "</svg>\n") != 0 ||
        strstr(out + 1, "<svg")) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct svg_wording words = {"p1", "a title", "p1-c", "wide"};
    struct err e = {0};
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    if (!f) {
        return 0;
    }
    const int rc = svg_inline(f, (const char *)data, size, &words, &e);
    if (fclose(f) != 0) {
        free(out);
        return 0;
    }
    if (rc != 0 && len != 0) {
        abort();
    }
    if (rc == 0) {
        check(out);
    }
    free(out);
    return 0;
}
