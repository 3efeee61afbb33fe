/* How many lines counts.jsonl has, in the manifest: so that one which is lost later is missed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "store/counts.h"
#include "store/manifest.h"

static json_t *read_manifest(const char *path, enum store_state *state, struct err *e) {
    char *text = NULL;
    size_t len = 0;
    if (file_read_or(STORE_REMEDY, path, MANIFEST_LIMIT, &text, &len, e) != 0) {
        return NULL;
    }
    json_t *m = manifest_parse(text, len, path, state, e);
    free(text);
    return m;
}

static int write_manifest(const json_t *m, const char *path, struct err *e) {
    char *text = manifest_dump(m);
    if (!text) {
        return err_set(e, ERR_MACHINE, "out of memory writing %s", path);
    }
    const int rc = file_write_atomic(path, text, strlen(text), e);
    free(text);
    return rc;
}

static int note(const char *path, size_t lines, struct err *e) {
    enum store_state state;
    json_t *m = read_manifest(path, &state, e);
    if (!m) {
        return -1;
    }
    const int rc = json_object_set_new(m, COUNTS_LINES, json_integer((json_int_t)lines)) != 0
                       ? err_set(e, ERR_MACHINE, "out of memory writing %s", path)
                       : write_manifest(m, path, e);
    json_decref(m);
    return rc;
}

static int note_alone(const char *dir, size_t lines, struct err *e) {
    char trials[PATH_MAX];
    char manifest[PATH_MAX];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (file_join(trials, sizeof trials, dir, "trials.jsonl", e) != 0 ||
        file_join(manifest, sizeof manifest, dir, "manifest.json", e) != 0) {
        return -1;
    }
    const int fd = open(trials, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, trials,
                       strerror(errno));
    }
    /* Whoever resumed it meanwhile has the manifest, and would write over what is noted. */
    const int rc = fcntl(fd, F_OFD_SETLK, &lock) == 0 ? note(manifest, lines, e) : 0;
    close(fd);
    return rc;
}

int counts_note(const char *dir, struct writer *w, struct err *e) {
    struct counts counts;
    if (counts_read(&counts, dir, e) != 0) {
        return -1;
    }
    const size_t lines = counts.lines;
    counts_release(&counts);
    return w ? writer_note(w, COUNTS_LINES, json_integer((json_int_t)lines), e)
             : note_alone(dir, lines, e);
}

size_t counts_lost(const char *dir, size_t lines) {
    char path[PATH_MAX];
    enum store_state state = STORE_RUNNING;
    struct err ignored = {0};
    if (file_join(path, sizeof path, dir, "manifest.json", &ignored) != 0) {
        return 0;
    }
    json_t *m = read_manifest(path, &state, &ignored);
    int64_t said = manifest_int(m, COUNTS_LINES);
    if (said < 0 && state == STORE_COMPLETE && counts_only(m)) {
        said = manifest_int(m, "plan.trials");
    }
    json_decref(m);
    return said > (int64_t)lines ? (size_t)said - lines : 0;
}
