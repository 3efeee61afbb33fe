#include "count/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "store/catalog.h"

#define PREFIX  "loopbench-count-"
#define YOUNG_S 60 /* it may not be locked yet */

static const char *parent_of(void) {
    const char *tmp = getenv("TMPDIR");
    return tmp && *tmp ? tmp : "/tmp";
}

/* Ours, not just made, and with nobody who holds it. */
static bool is_left_over(int fd) {
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           s.st_mtime < time(NULL) - YOUNG_S && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void sweep(const char *parent) {
    const struct dirent *entry;
    DIR *d = opendir(parent);
    while (d && (entry = readdir(d))) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0) {
            continue;
        }
        const int fd =
            openat(dirfd(d), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && is_left_over(fd)) {
            catalog_remove_tree(dirfd(d), entry->d_name);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    if (d) {
        closedir(d);
    }
}

int scratch_make(struct scratch *s, struct err *e) {
    const char *parent = parent_of();
    *s = (struct scratch){.fd = -1};
    sweep(parent);
    if (file_join(s->dir, sizeof s->dir, parent, PREFIX "XXXXXX", e) != 0) {
        s->dir[0] = '\0';
        return -1;
    }
    if (!mkdtemp(s->dir)) {
        s->dir[0] = '\0';
        return err_set(
            e, ERR_MACHINE,
            "cannot make a folder in %s: %s; make room and see that you may write there, or "
            "name another place by TMPDIR",
            parent, strerror(errno));
    }
    s->fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->fd >= 0) {
        flock(s->fd, LOCK_EX | LOCK_NB);
    }
    return 0;
}

void scratch_remove(struct scratch *s) {
    if (!s->dir[0]) {
        return;
    }
    catalog_remove_tree(AT_FDCWD, s->dir);
    if (s->fd >= 0) {
        close(s->fd);
    }
    *s = (struct scratch){0};
}
