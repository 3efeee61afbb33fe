#include "store/catalog.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/manifest.h"
#include "store/owned.h"
#include "store/replay_state.h"

bool catalog_is_run_id(const char *name) {
    static const char shape[] = "dddddddd-dddddd-xxxx";
    size_t i = 0;
    for (; shape[i] && name[i]; i++) {
        const unsigned char c = (unsigned char)name[i];
        const bool fits = shape[i] == 'd'   ? isdigit(c) != 0
                          : shape[i] == 'x' ? isdigit(c) != 0 || (c >= 'a' && c <= 'f')
                                            : c == '-';
        if (!fits) {
            return false;
        }
    }
    return shape[i] == '\0' && name[i] == '\0';
}

/* Whether a writer holds the run's lock; asked without taking it. */
static bool run_is_live(const char *path) {
    char trials[PATH_MAX];
    struct err ignored;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (file_join(trials, sizeof trials, path, "trials.jsonl", &ignored) != 0) {
        return false;
    }
    const int fd = open(trials, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) {
        return false;
    }
    const bool live = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(fd);
    return live;
}

/* The manifest of the folder, or NULL where it is no run of ours. */
static json_t *run_manifest(const char *path, enum store_state *state) {
    char file[PATH_MAX];
    char *text = NULL;
    size_t len = 0;
    struct stat st;
    struct err ignored;
    json_t *manifest = NULL;
    if (file_join(file, sizeof file, path, "manifest.json", &ignored) == 0 &&
        lstat(file, &st) == 0 && S_ISREG(st.st_mode) &&
        file_read_all(file, MANIFEST_LIMIT, &text, &len, &ignored) == 0) {
        manifest = manifest_parse(text, len, file, state, &ignored);
    }
    free(text);
    return manifest;
}

static void run_release(struct catalog_run *r) {
    free(r->name);
    free(r->path);
    json_decref(r->manifest);
}

static char *name_in(const char *entry, bool published) {
    char *name = NULL;
    return asprintf(&name, "%s%s", published ? CATALOG_PUBLISHED "/" : "", entry) < 0 ? NULL : name;
}

/* Notes what was a run; returns -1 out of memory. */
static int consider_damaged(struct catalog *c, const char *path, const char *entry,
                            bool published) {
    char trials[PATH_MAX];
    struct err ignored;
    if (!catalog_is_run_id(entry) ||
        file_join(trials, sizeof trials, path, "trials.jsonl", &ignored) != 0 ||
        !file_exists(trials)) {
        return 0;
    }
    char **grown = realloc(c->damaged, (c->damaged_count + 1) * sizeof *grown);
    if (!grown) {
        return -1;
    }
    c->damaged = grown;
    c->damaged[c->damaged_count] = name_in(entry, published);
    return c->damaged[c->damaged_count] ? (c->damaged_count++, 0) : -1;
}

/* Adds what is a run; returns -1 out of memory. */
static int catalog_consider(struct catalog *c, const char *path, const char *entry,
                            bool published) {
    struct catalog_run r = {.published = published};
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return 0;
    }
    r.manifest = run_manifest(path, &r.state);
    if (!r.manifest) {
        return consider_damaged(c, path, entry, published);
    }
    const char *id = json_string_value(json_object_get(r.manifest, "run_id"));
    r.own = !published && catalog_is_run_id(entry) && id && strcmp(id, entry) == 0;
    r.live = run_is_live(path);
    r.path = strdup(path);
    r.name = name_in(entry, published);
    struct catalog_run *grown = realloc(c->run, (c->count + 1) * sizeof *grown);
    if (grown) {
        c->run = grown;
    }
    if (!grown || !r.path || !r.name) {
        run_release(&r);
        return -1;
    }
    c->run[c->count++] = r;
    return 0;
}

static int catalog_scan(struct catalog *c, const char *folder, bool published, struct err *e) {
    DIR *d = opendir(folder);
    const struct dirent *entry;
    int rc = 0;
    if (!d) {
        return errno == ENOENT
                   ? 0
                   : err_set(e, ERR_MACHINE, "cannot read the folder %s: %s; " FILE_READ_REMEDY,
                             folder, strerror(errno));
    }
    while (rc == 0 && (entry = readdir(d))) {
        char path[PATH_MAX];
        struct err ignored;
        if (entry->d_name[0] != '.' &&
            file_join(path, sizeof path, folder, entry->d_name, &ignored) == 0 &&
            catalog_consider(c, path, entry->d_name, published) != 0) {
            rc = err_set(e, ERR_MACHINE, "out of memory listing %s", folder);
        }
    }
    closedir(d);
    return rc;
}

static const char *run_started(const struct catalog_run *r) {
    const char *started = json_string_value(json_object_get(r->manifest, "started"));
    return started ? started : "";
}

static int compare_runs(const void *a, const void *b) {
    const struct catalog_run *x = a;
    const struct catalog_run *y = b;
    const int order = strcmp(run_started(x), run_started(y));
    return order ? order : strcmp(x->name, y->name);
}

/* Marks what "latest" names; a link that leads elsewhere names nothing here. */
static void catalog_mark_latest(struct catalog *c, const char *results) {
    char link[PATH_MAX];
    struct stat latest;
    struct stat st;
    struct err ignored;
    if (file_join(link, sizeof link, results, CATALOG_LATEST, &ignored) != 0 ||
        stat(link, &latest) != 0) {
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        c->run[i].latest = stat(c->run[i].path, &st) == 0 && st.st_dev == latest.st_dev &&
                           st.st_ino == latest.st_ino;
    }
}

int catalog_read(struct catalog *c, const char *results, struct err *e) {
    char published[PATH_MAX];
    *c = (struct catalog){0};
    if (file_join(published, sizeof published, results, CATALOG_PUBLISHED, e) != 0) {
        return -1;
    }
    if (catalog_scan(c, results, false, e) != 0 || catalog_scan(c, published, true, e) != 0) {
        catalog_release(c);
        return -1;
    }
    if (c->count > 0) {
        qsort(c->run, c->count, sizeof *c->run, compare_runs);
    }
    catalog_mark_latest(c, results);
    return 0;
}

void catalog_release(struct catalog *c) {
    for (size_t i = 0; i < c->count; i++) {
        run_release(&c->run[i]);
    }
    for (size_t i = 0; i < c->damaged_count; i++) {
        free(c->damaged[i]);
    }
    free(c->damaged);
    free(c->run);
    *c = (struct catalog){0};
}

static bool is_run_folder(const char *path) {
    char file[PATH_MAX];
    struct err ignored;
    return file_join(file, sizeof file, path, "manifest.json", &ignored) == 0 && file_exists(file);
}

/* A run whose folder is called otherwise is named by its id all the same, where only one has it.
 * Returns 1 when it is found, 0 when not, -1 with *e. */
static int find_by_id(const char *results, const char *name, char *path, size_t size,
                      struct err *e) {
    struct catalog c;
    size_t found = 0;
    if (!catalog_is_run_id(name)) {
        return 0;
    }
    if (catalog_read(&c, results, e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < c.count; i++) {
        const char *id = json_string_value(json_object_get(c.run[i].manifest, "run_id"));
        if (id && strcmp(id, name) == 0) {
            found += (size_t)snprintf(path, size, "%s", c.run[i].path) < size;
        }
    }
    catalog_release(&c);
    return found > 1 ? err_set(e, ERR_USAGE,
                               "%zu runs in %s have the id %s; name the folder of one of them",
                               found, results, name)
                     : (int)found;
}

int catalog_resolve(const char *results, const char *name, char *path, size_t size, struct err *e) {
    const char *const folders[] = {"", CATALOG_PUBLISHED "/"};
    int n = snprintf(path, size, "%s", name);
    if (*name && n >= 0 && (size_t)n < size && is_run_folder(path)) {
        return 0;
    }
    bool replay = *name && replay_state_is(name);
    for (size_t i = 0; *name && i < 2; i++) {
        n = snprintf(path, size, "%s/%s%s", results, folders[i], name);
        replay = replay || (n >= 0 && (size_t)n < size && replay_state_is(path));
        if (n >= 0 && (size_t)n < size && is_run_folder(path)) {
            return 0;
        }
    }
    const int found = replay ? 0 : find_by_id(results, name, path, size, e);
    if (found != 0) {
        return found > 0 ? 0 : -1;
    }
    if (replay) {
        return err_set(e, ERR_USAGE,
                       "'%s' is a replay, which holds a run for each part: name one of those, like "
                       "%s/PART",
                       name, name);
    }
    return err_set(e, ERR_USAGE,
                   "no run '%s': neither a run's folder nor a run in %s; `loopbench list` names "
                   "those there are",
                   name, results);
}

/* ---- removing */

#define ASIDE_PREFIX ".removed-"

int catalog_remove_tree(int parent, const char *name) {
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) {
        return 0;
    }
    if (errno != EISDIR && errno != EPERM) {
        return -1;
    }
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    int rc = d ? 0 : -1;
    while (rc == 0 && (entry = readdir(d))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            rc = catalog_remove_tree(fd, entry->d_name);
        }
    }
    const int saved = errno;
    if (d) {
        closedir(d);
    } else if (fd >= 0) {
        close(fd);
    }
    errno = saved;
    return rc == 0 ? unlinkat(parent, name, AT_REMOVEDIR) : -1;
}

void catalog_sweep(const char *results) {
    DIR *d = opendir(results);
    const struct dirent *entry;
    while (d && (entry = readdir(d))) {
        if (strncmp(entry->d_name, ASIDE_PREFIX, sizeof ASIDE_PREFIX - 1) == 0 &&
            catalog_is_run_id(entry->d_name + sizeof ASIDE_PREFIX - 1)) {
            (void)catalog_remove_tree(dirfd(d), entry->d_name);
        }
    }
    if (d) {
        closedir(d);
    }
}

/* Takes the run's lock, so that nobody continues it meanwhile. Returns the descriptor that holds
 * it, -1 when somebody else does, -2 with errno when it cannot be taken. */
static int lock_run(int run) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int fd = openat(run, "trials.jsonl", O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) {
        return -2;
    }
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
        return fd;
    }
    const int saved = errno;
    close(fd);
    errno = saved;
    return saved == EAGAIN || saved == EACCES ? -1 : -2;
}

static int remove_locked(int folder, const char *name) {
    char aside[64];
    snprintf(aside, sizeof aside, ASIDE_PREFIX "%s", name);
    return renameat(folder, name, folder, aside) != 0 ? -1 : catalog_remove_tree(folder, aside);
}

int catalog_find_foreign(const char *results, const char *name, char *out, size_t size,
                         struct err *e) {
    char path[PATH_MAX];
    if (file_join(path, sizeof path, results, name, e) != 0) {
        return -1;
    }
    const int run = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int rc = run >= 0 ? owned_find_foreign(run, out, size) : -1;
    if (rc < 0) {
        err_set(e, ERR_MACHINE, "cannot read the folder %s: %s; see that you may read it", path,
                strerror(errno));
    }
    if (run >= 0) {
        close(run);
    }
    return rc;
}

int catalog_remove(const char *results, const char *name, struct err *e) {
    char path[PATH_MAX];
    char foreign[256];
    struct stat st;
    enum store_state state;
    if (file_join(path, sizeof path, results, name, e) != 0) {
        return -1;
    }
    json_t *manifest = catalog_is_run_id(name) && lstat(path, &st) == 0 && S_ISDIR(st.st_mode)
                           ? run_manifest(path, &state)
                           : NULL;
    if (!manifest) {
        return err_set(e, ERR_USAGE, "%s: not the folder of a run of ours; it stays", path);
    }
    json_decref(manifest);
    const int found = catalog_find_foreign(results, name, foreign, sizeof foreign, e);
    if (found != 0) {
        return found < 0 ? -1
                         : err_set(e, ERR_USAGE, "%s: %s in it is not loopbench's; it stays", path,
                                   foreign);
    }
    const int folder = open(results, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int run = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int lock = run >= 0 ? lock_run(run) : -2;
    int rc = lock == -1 ? 0 : 1;
    if (lock == -2 || (lock >= 0 && remove_locked(folder, name) != 0)) {
        rc = err_set(
            e, ERR_MACHINE,
            "cannot remove %s: %s; see that you may write in its folder and what is below it", path,
            strerror(errno));
    }
    if (lock >= 0) {
        close(lock);
    }
    if (run >= 0) {
        close(run);
    }
    if (folder >= 0) {
        close(folder);
    }
    return rc;
}
