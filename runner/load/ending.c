#include "load/ending.h"

#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

void load_last_words(const struct child *c, char *out, size_t size) {
    const char *tail = child_tail(c);
    size_t end = strlen(tail);
    while (end > 0 && (tail[end - 1] == '\n' || tail[end - 1] == '\r' || tail[end - 1] == ' ')) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && tail[begin - 1] != '\n') {
        begin--;
    }
    if (begin == end) {
        snprintf(out, size, "it printed nothing");
    } else {
        size_t len = end - begin < size ? end - begin : size - 1;
        snprintf(out, size, "%.*s", (int)len, tail + begin);
    }
}

void load_keep_use(const struct child *c, struct load_outcome *out) {
    const struct rusage *u = child_rusage(c);
    if (!child_exited(c)) {
        return; /* unknown is not none */
    }
    out->cpu_ns = (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * SECOND +
                  (u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
    out->cpu_s = (double)out->cpu_ns / 1e9;
}

void load_keep_output(const struct child *c, struct load_outcome *out) {
    const char *tail = child_tail(c);
    size_t len = strlen(tail);
    size_t keep = sizeof out->output - 1;
    snprintf(out->output, sizeof out->output, "%s", len > keep ? tail + len - keep : tail);
}
