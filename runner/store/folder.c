#include "store/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

int folder_new_id(char id[FOLDER_ID_SIZE], struct err *e) {
    uint16_t random;
    struct tm tm;
    char when[20];
    time_t now = time(NULL);
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random || !gmtime_r(&now, &tm)) {
        return err_set(
            e, ERR_MACHINE,
            "cannot make a run id: no clock or no random numbers; wait until the machine is up");
    }
    strftime(when, sizeof when, "%Y%m%d-%H%M%S", &tm);
    snprintf(id, FOLDER_ID_SIZE, "%s-%04x", when, random);
    return 0;
}

/* 1 empty, 0 not, -1 cannot say. */
static int folder_is_empty(const char *path) {
    DIR *d = opendir(path);
    const struct dirent *entry;
    int empty = 1;
    if (!d) {
        return -1;
    }
    while (empty && (entry = readdir(d))) {
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    }
    closedir(d);
    return empty;
}

static int folder_accept(const char *path, struct err *e) {
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return err_set(e, ERR_USAGE, "%s is in the way: it is not a folder; choose another --out",
                       path);
    }
    int empty = folder_is_empty(path);
    if (empty == 0) {
        return err_set(e, ERR_USAGE,
                       "%s is not empty; choose another --out, or continue a run with --resume",
                       path);
    }
    if (empty < 0 || access(path, W_OK | X_OK) != 0) {
        return err_set(e, ERR_MACHINE, "cannot write to the folder %s: %s; " FILE_WRITE_REMEDY,
                       path, strerror(errno));
    }
    return 0;
}

/* Parents of path, which themselves may be new. */
static int folder_make_parents(const char *path, struct err *e) {
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) {
        return 0;
    }
    memcpy(parent, path, (size_t)(slash - path));
    parent[slash - path] = '\0';
    return file_mkdirs(parent, e);
}

int folder_create(char *path, size_t size, const char *parent, const char *name, bool *made,
                  struct err *e) {
    *made = false;
    int n = snprintf(path, size, "%s%s%s", parent ? parent : "", parent ? "/" : "", name);
    if (n <= 0 || (size_t)n >= size || n >= PATH_MAX) {
        return err_set(e, ERR_USAGE, "not a folder name: '%.200s'; name another", name);
    }
    if (strcmp(path, "-") == 0) {
        return err_set(e, ERR_USAGE,
                       "--out: results are a folder, which standard output is not; name one");
    }
    while (n > 1 && path[n - 1] == '/') {
        path[--n] = '\0';
    }
    if (folder_make_parents(path, e) != 0) {
        return -1;
    }
    if (mkdir(path, 0777) == 0) {
        *made = true;
        return 0;
    }
    if (errno == EEXIST) {
        return folder_accept(path, e);
    }
    return err_set(e, ERR_MACHINE, "cannot create the folder %s: %s; " FILE_WRITE_REMEDY, path,
                   strerror(errno));
}

int folder_set_latest(const char *parent, const char *name, struct err *e) {
    char latest[PATH_MAX];
    char sibling[PATH_MAX];
    struct stat st;
    int n = snprintf(sibling, sizeof sibling, "%s/.latest.%ld.tmp", parent, (long)getpid());
    if (file_join(latest, sizeof latest, parent, "latest", e) != 0) {
        return -1;
    }
    if (n < 0 || (size_t)n >= sizeof sibling) {
        return err_set(e, ERR_USAGE, "path too long: %s; " FILE_PATH_REMEDY, parent);
    }
    if (lstat(latest, &st) == 0 && !S_ISLNK(st.st_mode)) {
        return err_set(e, ERR_USAGE, "%s is in the way: it is not a symbolic link; move it away",
                       latest);
    }
    unlink(sibling);
    if (symlink(name, sibling) != 0 || rename(sibling, latest) != 0) {
        int saved = errno;
        unlink(sibling);
        return err_set(e, ERR_MACHINE, "cannot point %s to %s: %s; " FILE_WRITE_REMEDY, latest,
                       name, strerror(saved));
    }
    folder_sync(parent);
    return 0;
}

void folder_sync(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}
