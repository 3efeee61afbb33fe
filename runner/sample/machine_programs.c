/* Versions of the programs and libraries a run rests on. */
#include <gsl/gsl_version.h>
#include <llhttp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/child.h"
#include "sample/machine.h"

#define TEXT(x)    TEXT_OF(x)
#define TEXT_OF(x) #x
#define LLHTTP_TEXT                                                                                \
    TEXT(LLHTTP_VERSION_MAJOR) "." TEXT(LLHTTP_VERSION_MINOR) "." TEXT(LLHTTP_VERSION_PATCH)
#define UV_TEXT TEXT(UV_VERSION_MAJOR) "." TEXT(UV_VERSION_MINOR) "." TEXT(UV_VERSION_PATCH)

void machine_program_version(struct loop *loop, const char *program, const char *argument,
                             int64_t timeout_ns, char *out, size_t size) {
    const char *const argv[] = {program, argument, NULL};
    const struct child_spec spec = {.argv = argv};
    struct err e = {0};
    struct child *child = child_start(loop, &spec, &e);
    out[0] = '\0';
    if (!child) {
        return;
    }
    if (child_wait(child, timeout_ns) == LOOP_DONE) {
        const char *said = child_tail(child);
        size_t len = strcspn(said, "\r\n");
        size_t used = 0;
        for (size_t i = 0; i < len && used + 1 < size; i++) {
            if ((unsigned char)said[i] >= 0x20 && said[i] != 0x7f) {
                out[used++] = said[i];
            }
        }
        out[used] = '\0';
    } else {
        child_stop(child, SIGKILL, 0);
    }
    child_free(child);
}

void machine_ask_programs(struct loop *loop, const char *wrk, const char *gnuplot,
                          int64_t timeout_ns, struct machine_programs *out) {
    machine_program_version(loop, wrk, "-v", timeout_ns, out->wrk, sizeof out->wrk);
    if (strncmp(out->wrk, "wrk ", 4) != 0) { /* some other program */
        out->wrk[0] = '\0';
    }
    machine_program_version(loop, gnuplot, "--version", timeout_ns, out->gnuplot,
                            sizeof out->gnuplot);
    if (strncmp(out->gnuplot, "gnuplot ", 8) != 0) {
        out->gnuplot[0] = '\0';
    }
}

static json_t *program_text(const char *text) {
    json_t *value = text && text[0] ? json_string(text) : NULL;
    return value ? value : json_null();
}

json_t *machine_programs_json(const struct machine_programs *p) {
    return json_pack("{s:o, s:o}", "wrk", program_text(p->wrk), "gnuplot",
                     program_text(p->gnuplot));
}

json_t *machine_libraries_json(void) {
    const struct {
        const char *name, *built, *running;
    } libraries[] = {
        {"libuv", UV_TEXT, uv_version_string()},
        {"jansson", JANSSON_VERSION, jansson_version_str()},
        {"gsl", GSL_VERSION, gsl_version},
        {"zlib", ZLIB_VERSION, zlibVersion()},
        {"llhttp", LLHTTP_TEXT, NULL}, /* it cannot be asked */
    };
    json_t *all = json_object();
    for (size_t i = 0; all && i < sizeof libraries / sizeof libraries[0]; i++) {
        json_object_set_new(all, libraries[i].name,
                            json_pack("{s:s, s:o}", "built", libraries[i].built, "running",
                                      program_text(libraries[i].running)));
    }
    return all;
}
