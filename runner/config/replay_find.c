/* Where the files of replays are, and reading one. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buildinfo.h"
#include "base/file.h"
#include "config/replay_part.h"
#include "config/replay_read.h"

#define FOLDER "share/loopbench/replays"

/* folder/name.ini, where there is one. */
static bool find_in(const char *folder, const char *name, char *path, size_t size) {
    char file[128];
    struct err ignored;
    return snprintf(file, sizeof file, "%s.ini", name) < (int)sizeof file &&
           file_join(path, size, folder, file, &ignored) == 0 && file_exists(path);
}

/* As built the program lies two folders below the tree, as installed one below the prefix. */
static bool find_beside(const char *name, char *path, size_t size) {
    static const char *const places[] = {"../../replays", "../../../replays", ("../" FOLDER)};
    char program[PATH_MAX];
    char folder[PATH_MAX];
    char real[PATH_MAX];
    struct err ignored;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash) {
        return false;
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (file_join(folder, sizeof folder, program, places[i], &ignored) == 0 &&
            realpath(folder, real) && find_in(real, name, path, size)) {
            return true;
        }
    }
    return false;
}

int replay_find(const char *name, char *path, size_t size, struct err *e) {
    char folder[PATH_MAX];
    const size_t len = strlen(name);
    if (strchr(name, '/') || (len > 4 && strcmp(name + len - 4, ".ini") == 0)) {
        return snprintf(path, size, "%s", name) < (int)size
                   ? 0
                   : err_set(e, ERR_USAGE, "%.64s...: the path is too long; " FILE_PATH_REMEDY,
                             name);
    }
    if (find_beside(name, path, size) ||
        (file_join(folder, sizeof folder, buildinfo_get()->prefix, FOLDER, e) == 0 &&
         find_in(folder, name, path, size))) {
        return 0;
    }
    return err_set(e, ERR_USAGE,
                   "no replay is called '%s'; there are r1 to r4, or name a file of your own "
                   "(./%s.ini)",
                   name, name);
}

int replay_file_read(struct replay_file *f, const char *path, struct err *e) {
    size_t len = 0;
    *f = (struct replay_file){0};
    if (file_read_all(path, REPLAY_FILE_MAX, &f->text, &len, e) != 0) {
        return -1;
    }
    int rc = replay_read(&f->replay, f->text, len, path, e);
    if (rc == 0) {
        f->targets = replay_targets_text(f->text, len);
        const char *slash = strrchr(path, '/'); /* what is said of a part is recorded */
        f->name = strdup(slash ? slash + 1 : path);
        rc = f->targets && f->name ? 0 : err_set(e, ERR_MACHINE, "out of memory");
    }
    if (rc != 0) {
        replay_file_release(f);
    }
    return rc;
}

void replay_file_release(struct replay_file *f) {
    replay_release(&f->replay);
    free(f->text);
    free(f->targets);
    free(f->name);
    *f = (struct replay_file){0};
}
