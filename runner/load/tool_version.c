/* Which program a load generator is. */
#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "load/tool.h"

#define CHECK_TIMEOUT INT64_C(10000000000)

/* The word behind `after` in `text`; false where there is none. */
static bool tool_find_version(const char *text, const char *after, char *version, size_t size) {
    const char *at = strstr(text, after);
    size_t len = at ? strcspn(at + strlen(after), " \t\r\n") : 0;
    if (len == 0 || len >= size) {
        return false;
    }
    memcpy(version, at + strlen(after), len);
    version[len] = '\0';
    return true;
}

static enum load_failure tool_judge_version(const struct tool_kind *kind, const char *text,
                                            char *version, size_t size, struct err *e) {
    const char *name = kind->ops->name;
    if (!tool_find_version(text, kind->version_after, version, size)) {
        err_set(e, ERR_MACHINE,
                "%s does not print its version: is this %s? (Debian: apt install "
                "%s)",
                name, name, kind->ops->package);
        return LOAD_MISSING;
    }
    if (kind->version_known &&
        strncmp(version, kind->version_known, strlen(kind->version_known)) != 0) {
        err_set(e, ERR_MACHINE, "%s is version %s: only the output of %sx is known; install that",
                name, version, kind->version_known);
        return LOAD_MISSING;
    }
    return LOAD_OK;
}

enum load_failure tool_check(const struct tool_kind *kind, struct loop *loop, const char *program,
                             char *version, size_t size, struct err *e) {
    const char *argv[8] = {program ? program : kind->ops->name};
    struct child_spec spec = {.argv = argv, .env = kind->env};
    char found[4096];
    for (size_t i = 0; kind->ask[i] && i + 2 < sizeof argv / sizeof *argv; i++) {
        argv[i + 1] = kind->ask[i];
    }
    if (file_which(argv[0], found, sizeof found) != 0) {
        if (strchr(argv[0], '/') && file_exists(argv[0])) {
            err_set(e, ERR_MACHINE, "%s is not a program that can be executed; name one that is",
                    argv[0]);
        } else {
            err_set(e, ERR_MACHINE, "%s is not installed (Debian: apt install %s)", argv[0],
                    kind->ops->package);
        }
        return LOAD_MISSING;
    }
    struct child *child = child_start(loop, &spec, e);
    if (!child) {
        return LOAD_MISSING;
    }
    enum loop_wait w = child_wait(child, CHECK_TIMEOUT);
    enum load_failure f = LOAD_MISSING;
    if (w == LOOP_DONE) {
        f = tool_judge_version(kind, child_tail(child), version, size, e);
    } else if (w == LOOP_INTERRUPTED) {
        err_set(e, ERR_FAILED, "interrupted while asking %s for its version", argv[0]);
        f = LOAD_INTERRUPTED;
    } else {
        err_set(e, ERR_MACHINE, "%s does not end when it is asked for its version: is this %s?",
                found, kind->ops->name);
    }
    child_free(child);
    return f;
}
