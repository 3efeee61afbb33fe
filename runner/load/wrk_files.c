#include "load/wrk_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/wrk_result.h"
#include "load/wrk_script.h"

static int files_failed(const char *what, struct err *e) {
    return err_set(e, ERR_MACHINE, "cannot %s for the load generator in memory: %s", what,
                   strerror(errno));
}

static int files_create(const char *name, int *fd, char path[WRK_FILES_PATH_SIZE], struct err *e) {
    *fd = memfd_create(name, MFD_CLOEXEC);
    if (*fd < 0) {
        return files_failed("make a file", e);
    }
    snprintf(path, WRK_FILES_PATH_SIZE, "/proc/self/fd/%d", *fd);
    return 0;
}

static int files_write_script(int fd, const struct load_spec *spec, struct err *e) {
    int copy = dup(fd);
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!out) {
        int rc = files_failed("write the script", e);
        if (copy >= 0) {
            close(copy);
        }
        return rc;
    }
    int rc = wrk_script_write(out, spec, e);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad;
    return rc == 0 && bad ? files_failed("write the script", e) : rc;
}

int wrk_files_open(struct wrk_files *f, const struct load_spec *spec, struct err *e) {
    f->fd[0] = f->fd[1] = -1;
    if (files_create("script", &f->fd[0], f->script, e) != 0 ||
        files_create("result", &f->fd[1], f->result, e) != 0 ||
        files_write_script(f->fd[0], spec, e) != 0) {
        wrk_files_close(f);
        return -1;
    }
    return 0;
}

int wrk_files_read(const struct wrk_files *f, char **text, size_t *len, struct err *e) {
    struct stat s;
    if (fstat(f->fd[1], &s) != 0) {
        return files_failed("read the result", e);
    }
    if (s.st_size > (off_t)WRK_RESULT_MAX) {
        return err_set(e, ERR_FAILED, "the load generator's result is not usable: it is too long");
    }
    char *all = malloc((size_t)s.st_size + 1);
    if (!all) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    size_t used = 0;
    while (used < (size_t)s.st_size) {
        ssize_t n = pread(f->fd[1], all + used, (size_t)s.st_size - used, (off_t)used);
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

void wrk_files_close(struct wrk_files *f) {
    for (int i = 0; i < 2; i++) {
        if (f->fd[i] >= 0) {
            close(f->fd[i]);
        }
        f->fd[i] = -1;
    }
}
