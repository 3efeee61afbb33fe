/* The result file of the load generator, and what is made of it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/load.h"
#include "load/recover.h"
#include "load/summary.h"
#include "load/wrk_result.h"
#include "load/wrk_version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct load_outcome o;
    struct latency_summary s;
    struct err e = {0};
    char version[16];
    char *text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    wrk_version_parse(text, version, sizeof version);
    load_outcome_init(&o);
    int rc = wrk_result_parse(text, size, &o, &e);
    if (rc == 0) {
        rc =
            load_recover_raw(&o.corrected, o.wall_us, o.requests, o.errors_timeout, 10, &o.raw, &e);
        if (rc == 0 && hist_total(&o.raw) != o.requests - o.errors_timeout) {
            abort();
        }
        load_summarise(&o.raw, &s);
        if (s.samples > 0 &&
            (s.min_us > s.p50_us || s.p50_us > s.p999_us || s.p999_us > s.max_us)) {
            abort();
        }
    }
    if (rc != 0 && (e.class == ERR_NONE || strchr(e.text, '\n'))) {
        abort();
    }
    load_outcome_release(&o);
    free(text);
    return 0;
}
