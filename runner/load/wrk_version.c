#include "load/wrk_version.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/file.h"

#define CHECK_TIMEOUT INT64_C(10000000000)

int wrk_version_parse(const char *text, char *version, size_t size) {
    if (strncmp(text, "wrk ", 4) != 0) {
        return -1;
    }
    text += 4;
    size_t len = strcspn(text, " \r\n");
    snprintf(version, size, "%.*s", (int)(len < size ? len : size - 1), text);
    /* The first digit may stand behind a packager's prefix; a bare commit has no dot after it. */
    const char *at = version;
    while (*at && !(isdigit((unsigned char)*at) && (at == version || at[-1] == '/'))) {
        at++;
    }
    char *end;
    long major = strtol(at, &end, 10);
    if (end == at || *end != '.' || !isdigit((unsigned char)end[1])) {
        return -1;
    }
    long minor = strtol(end + 1, NULL, 10);
    return major > 4 || (major == 4 && minor >= 1);
}

const char *wrk_version_program(const char *program) {
    return program ? program : "wrk";
}

enum load_failure wrk_version_check(struct loop *loop, const char *program, char *version,
                                    size_t size, struct err *e) {
    const char *const argv[] = {wrk_version_program(program), "-v", NULL};
    struct child_spec spec = {.argv = argv};
    char found[4096];
    if (file_which(argv[0], found, sizeof found) != 0) {
        if (strchr(argv[0], '/') && file_exists(argv[0])) {
            err_set(e, ERR_MACHINE, "%s is not a program that can be executed; name one with --wrk",
                    argv[0]);
        } else {
            err_set(e, ERR_MACHINE, "%s is not installed: install it (Debian: apt install wrk)",
                    argv[0]);
        }
        return LOAD_MISSING;
    }
    struct child *child = child_start(loop, &spec, e);
    if (!child) {
        return LOAD_MISSING;
    }
    enum loop_wait w = child_wait(child, CHECK_TIMEOUT);
    int fit = w == LOOP_DONE ? wrk_version_parse(child_tail(child), version, size) : -1;
    child_free(child);
    if (w == LOOP_INTERRUPTED) {
        err_set(e, ERR_FAILED, "interrupted while asking %s for its version", argv[0]);
        return LOAD_INTERRUPTED;
    }
    if (fit < 0) {
        err_set(e, ERR_MACHINE, "%s -v %s: is this wrk? Install wrk 4.1 or later", found,
                w == LOOP_DONE ? "does not print wrk's version" : "does not end");
        return LOAD_MISSING;
    }
    if (fit == 0) {
        err_set(e, ERR_MACHINE, "%s is version %s: install wrk 4.1 or later", found, version);
        return LOAD_MISSING;
    }
    return LOAD_OK;
}
