#include "load/memory_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int memory_file_failed(const char *what, struct err *e) {
    return err_set(
        e, ERR_MACHINE,
        "cannot %s for the load generator in memory: %s; free some, or raise the limit of "
        "open files (ulimit -n)",
        what, strerror(errno));
}

int memory_file_create(const char *name, int *fd, char path[MEMORY_FILE_PATH_SIZE], struct err *e) {
    *fd = memfd_create(name, MFD_CLOEXEC);
    if (*fd < 0) {
        return memory_file_failed("make a file", e);
    }
    snprintf(path, MEMORY_FILE_PATH_SIZE, "/proc/self/fd/%d", *fd);
    return 0;
}

int memory_file_read(int fd, char **text, size_t *len, struct err *e) {
    struct stat s;
    if (fstat(fd, &s) != 0) {
        return memory_file_failed("read the result", e);
    }
    if (s.st_size > (off_t)MEMORY_FILE_MAX) {
        return err_set(e, ERR_FAILED, "the load generator's result is not usable: it is too long");
    }
    char *all = malloc((size_t)s.st_size + 1);
    if (!all) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    size_t used = 0;
    while (used < (size_t)s.st_size) {
        ssize_t n = pread(fd, all + used, (size_t)s.st_size - used, (off_t)used);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break; /* torn: the parser will say so */
        }
        used += (size_t)n;
    }
    all[used] = '\0';
    *text = all;
    *len = used;
    return 0;
}
