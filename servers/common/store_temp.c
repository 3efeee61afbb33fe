#include "common/store_temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "loopbench-posts-"

static const char *find_parent(void) {
    const char *parent = getenv("TMPDIR");
    return parent != NULL && *parent == '/' ? parent : "/tmp";
}

static int open_folder(int at, const char *path) {
    return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Empties the folder; only files that a store has. */
static void remove_files(int fd) {
    static const char *const names[] = {STORE_TEMP_FILE, STORE_TEMP_FILE "-wal",
                                        STORE_TEMP_FILE "-shm", STORE_TEMP_FILE "-journal"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)unlinkat(fd, names[i], 0);
    }
}

/* Removes what a process left that could not clean up: a folder of ours that nobody has locked. */
static void sweep(const char *parent) {
    DIR *dir = opendir(parent);
    if (dir == NULL) {
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) { // NOLINT(concurrency-mt-unsafe)
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0) {
            continue;
        }
        int fd = open_folder(dirfd(dir), entry->d_name);
        struct stat info;
        if (fd < 0) {
            continue;
        }
        if (fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
            flock(fd, LOCK_EX | LOCK_NB) == 0) {
            remove_files(fd);
            (void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
        }
        close(fd);
    }
    (void)closedir(dir);
}

/* Locks it, unless a sweep of another process was faster: between mkdtemp and flock the folder
 * looks like one left behind. */
static bool lock_folder(int fd) {
    struct stat info;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0 && info.st_nlink != 0;
}

int store_temp_make(struct store_temp *temp, char *error, size_t error_size) {
    const char *parent = find_parent();
    sweep(parent);
    for (int tries = 0; tries < 3; tries++) {
        int len = snprintf(temp->path, sizeof temp->path, "%s/" PREFIX "XXXXXX", parent);
        if (len < 0 || (size_t)len >= sizeof temp->path - sizeof STORE_TEMP_FILE) {
            errno = ENAMETOOLONG;
            break;
        }
        if (mkdtemp(temp->path) == NULL) {
            break;
        }
        temp->fd = open_folder(AT_FDCWD, temp->path);
        if (temp->fd >= 0 && lock_folder(temp->fd)) {
            return 0;
        }
        if (temp->fd >= 0) {
            close(temp->fd);
            temp->fd = -1;
        }
    }
    temp->fd = -1;
    (void)snprintf(error, error_size, "no temporary file in %s: %s: set TMPDIR", parent,
                   strerror(errno));
    return -1;
}

void store_temp_remove(struct store_temp *temp) {
    if (temp->fd >= 0) {
        remove_files(temp->fd);
        (void)rmdir(temp->path);
        close(temp->fd);
        temp->fd = -1;
    }
}
