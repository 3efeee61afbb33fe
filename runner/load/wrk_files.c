#include "load/wrk_files.h"

#include <stdio.h>
#include <unistd.h>

#include "load/wrk_script.h"

static int files_write_script(int fd, const struct load_spec *spec, struct err *e) {
    int copy = dup(fd);
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!out) {
        int rc = memory_file_failed("write the script", e);
        if (copy >= 0) {
            close(copy);
        }
        return rc;
    }
    int rc = wrk_script_write(out, spec, e);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad;
    return rc == 0 && bad ? memory_file_failed("write the script", e) : rc;
}

int wrk_files_open(struct wrk_files *f, const struct load_spec *spec, struct err *e) {
    f->fd[0] = f->fd[1] = -1;
    if (memory_file_create("script", &f->fd[0], f->script, e) != 0 ||
        memory_file_create("result", &f->fd[1], f->result, e) != 0 ||
        files_write_script(f->fd[0], spec, e) != 0) {
        wrk_files_close(f);
        return -1;
    }
    return 0;
}

int wrk_files_read(const struct wrk_files *f, char **text, size_t *len, struct err *e) {
    return memory_file_read(f->fd[1], text, len, e);
}

void wrk_files_close(struct wrk_files *f) {
    for (int i = 0; i < 2; i++) {
        if (f->fd[i] >= 0) {
            close(f->fd[i]);
        }
        f->fd[i] = -1;
    }
}
