/* counts.jsonl: read whole, appended to line by line. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/counts.h"
#include "store/store.h"

#define FILE_LIMIT  ((size_t)64 << 20)
#define LINE_REMEDY "put it back, or remove the line: `loopbench count --add` counts that again"

static int counts_path(char *out, size_t size, const char *dir, struct err *e) {
    return file_join(out, size, dir, COUNTS_FILE, e);
}

/* The last record of a cell stands where the first of it was. */
static int counts_keep(struct counts *c, size_t *room, const struct count_record *r) {
    const struct count_record *old =
        counts_find(c, r->target, r->workload, r->connections, r->pipeline);
    if (old) {
        c->record[old - c->record] = *r;
        return 0;
    }
    if (c->count == *room) {
        const size_t more = *room ? *room * 2 : 16;
        struct count_record *grown = realloc(c->record, more * sizeof *grown);
        if (!grown) {
            return -1;
        }
        c->record = grown;
        *room = more;
    }
    c->record[c->count++] = *r;
    return 0;
}

static int counts_read_lines(struct counts *c, const char *text, size_t len, const char *path,
                             struct err *e) {
    size_t room = 0;
    size_t line = 1;
    for (size_t at = 0; at < len; line++) {
        struct count_record r;
        const char *newline = memchr(text + at, '\n', len - at);
        if (!newline) {
            c->torn = true;
            return 0;
        }
        const size_t n = (size_t)(newline - (text + at));
        if (count_from_line(text + at, n, &r, e) != 0) {
            err_prefix(e, "%s:%zu: damaged line", path, line);
            return e->class == ERR_MACHINE ? -1 : err_remedy(e, LINE_REMEDY);
        }
        if (counts_keep(c, &room, &r) != 0) {
            return err_set(e, ERR_MACHINE, "out of memory reading %s", path);
        }
        c->lines++;
        at += n + 1;
    }
    return 0;
}

/* A line cut short is told as such. */
static void counts_find_lost(struct counts *c, const char *dir) {
    c->lost = counts_lost(dir, c->lines);
    if (c->torn && c->lost > 0) {
        c->lost--;
    }
}

int counts_read(struct counts *c, const char *dir, struct err *e) {
    char path[PATH_MAX];
    char *text = NULL;
    size_t len = 0;
    *c = (struct counts){0};
    if (counts_path(path, sizeof path, dir, e) != 0) {
        return -1;
    }
    if (!file_exists(path)) {
        counts_find_lost(c, dir);
        return 0;
    }
    if (file_read_or(STORE_REMEDY, path, FILE_LIMIT, &text, &len, e) != 0) {
        return -1;
    }
    const int rc = counts_read_lines(c, text, len, path, e);
    free(text);
    if (rc != 0) {
        counts_release(c);
    } else {
        counts_find_lost(c, dir);
    }
    return rc;
}

/* Bytes up to the end of the last whole line; -1 with errno. */
static off_t counts_whole(int fd) {
    char buf[4096];
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return -1;
    }
    for (off_t end = st.st_size; end > 0;) {
        const off_t begin = end > (off_t)sizeof buf ? end - (off_t)sizeof buf : 0;
        const ssize_t n = pread(fd, buf, (size_t)(end - begin), begin);
        if (n <= 0) {
            return -1;
        }
        for (ssize_t i = n; i > 0; i--) {
            if (buf[i - 1] == '\n') {
                return begin + i;
            }
        }
        end = begin;
    }
    return 0;
}

int counts_open(const char *dir, struct err *e) {
    char path[PATH_MAX];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (counts_path(path, sizeof path, dir, e) != 0) {
        return -1;
    }
    const int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path,
                       strerror(errno));
    }
    if (fcntl(fd, F_OFD_SETLK, &lock) != 0) {
        close(fd);
        return err_set(e, ERR_USAGE, "%s is being written by another loopbench; wait for its end",
                       path);
    }
    const off_t whole = counts_whole(fd);
    if (whole < 0 || ftruncate(fd, whole) != 0) {
        err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

int counts_append(int fd, const struct count_record *r, struct err *e) {
    char *line = count_to_line(r);
    if (!line) {
        return err_set(e, ERR_MACHINE, "out of memory writing " COUNTS_FILE);
    }
    const size_t len = strlen(line);
    ssize_t n;
    do {
        n = write(fd, line, len);
    } while (n < 0 && errno == EINTR);
    const int why = n >= 0 && (size_t)n < len ? ENOSPC : errno;
    free(line);
    if (n < 0 || (size_t)n < len || fdatasync(fd) != 0) {
        return err_set(e, ERR_MACHINE,
                       "cannot write " COUNTS_FILE ": %s; make room, and add what is missing by "
                       "`loopbench count --add`",
                       strerror(why));
    }
    return 0;
}
