/* What ab, h2load and siege print. The first byte chooses the reader (a, h, s); a byte 1 parts the
 * standard output from the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/summary.h"
#include "load/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum load_failure read_it(char which, const struct tool_output *o, struct load_outcome *out,
                                 struct err *e) {
    return which == 'a'   ? ab_read(o, out, e)
           : which == 'h' ? h2load_read(o, out, e)
                          : siege_read(o, out, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct load_outcome o;
    struct err e = {0};
    char *text = size > 0 ? malloc(size) : NULL;
    if (!text) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    char *part = strchr(text, 1);
    struct tool_output in = {.text = text, .file = "", .connections = 64};
    if (part) {
        *part = '\0';
        in.file = part + 1;
    }
    load_outcome_init(&o);
    enum load_failure f = read_it((char)data[0], &in, &o, &e);
    bool percentiles = o.told.p50_us >= 0;
    if (f == LOAD_OK &&
        (o.requests < 0 || o.duration_us < 0 || o.bytes < 0 ||
         (percentiles && (o.told.p50_us > o.told.p99_us || o.told.p99_us > o.told.max_us)) ||
         (data[0] == 'h' && hist_total(&o.raw) < o.requests))) {
        abort();
    }
    if (f != LOAD_OK && (e.class == ERR_NONE || strchr(e.text, '\n'))) {
        abort();
    }
    load_outcome_release(&o);
    free(text);
    return 0;
}
