/* bodies.h — a correct reply body for each workload, made independently of the checks. */
#ifndef TESTS_BODIES_H
#define TESTS_BODIES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/workload.h"

/* A letter or digit that differs from call to call. */
static inline char bodies_letter(void) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static _Thread_local unsigned state = 1;
    state = state * 1103515245 + 12345;
    return letters[(state >> 16) % 62];
}

static inline void bodies_random(FILE *out, size_t len) {
    while (len-- > 0) {
        fputc(bodies_letter(), out);
    }
}

/* One document more each time; what an id stands for stays. */
static inline void bodies_posts(FILE *out) {
    static _Thread_local int newest = 205;
    newest++;
    for (int i = 0; i < 100; i++) {
        fprintf(out,
                "%s{\"id\":%d,\"author\":\"%016d\",\"date\":\"2026-01-31T12:00:00.999Z\","
                "\"content\":\"%0160d\"}",
                i == 0 ? "[" : ",", newest - i, newest - i, newest - i);
    }
    fputc(']', out);
}

static inline void bodies_render(FILE *out) {
    fputs("<!DOCTYPE html><html lang=\"en\"><body>", out);
    for (int i = 0; i < 100; i++) {
        fprintf(out,
                "<article id=\"post-%d\"><time datetime=\"2012-01-01T00:%02d:%02dZ\">x</time>"
                "<p>%s</p></article>",
                i, (99 - i) / 60, (99 - i) % 60,
                i == 7 ? "&lt;script&gt;alert(&quot;x&quot;);&lt;/script&gt;" : "žluť");
    }
    fputs("</body></html>", out);
}

static inline void bodies_bytes(FILE *out, size_t len) {
    for (size_t at = 0; at < len; at += 64) {
        char line[80];
        snprintf(line, sizeof line, "%08zx%55s\n", at, "abc");
        fwrite(line, 1, len - at < 64 ? len - at : 64, out);
    }
}

/* NUL-terminated, owned by the caller. */
static inline char *bodies_make(const struct workload *w, size_t *len) {
    char *text = NULL;
    FILE *out = open_memstream(&text, len);
    if (w->exact) {
        fputs(w->exact, out);
    } else if (strcmp(w->base, "html") == 0) {
        fputs("<!DOCTYPE html><html>žluť</html>", out);
    } else if (strcmp(w->base, "posts") == 0) {
        bodies_posts(out);
    } else if (strcmp(w->base, "concat") == 0) {
        bodies_random(out, 10000);
    } else if (strcmp(w->base, "fibonacci") == 0) {
        double a = 0;
        double b = 1;
        for (int64_t i = 0; i < w->value; i++) {
            double next = a + b;
            a = b;
            b = next;
        }
        fprintf(out, "%.0f", a);
    } else if (strcmp(w->base, "render") == 0) {
        bodies_render(out);
    } else if (strcmp(w->base, "bytes") == 0) {
        bodies_bytes(out, (size_t)w->value);
    } else if (strcmp(w->base, "upload") == 0) {
        fprintf(out, "{\"length\":%zu,\"crc32\":\"%08lx\"}", w->body_len,
                crc32(0, (const Bytef *)w->body, (uInt)w->body_len));
    }
    fclose(out);
    return text;
}

#endif
