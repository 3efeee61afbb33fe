/* The access log of a run's targets. */
#include "run/setup_log.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

int setup_log_open(struct setup *s, struct err *e) {
    char path[PATH_MAX];
    const char *tmp = getenv("TMPDIR");
    if (file_join(path, sizeof path, tmp && *tmp ? tmp : "/tmp", "loopbench-log-XXXXXX", e) != 0) {
        return -1;
    }
    s->log_fd = mkostemp(path, O_CLOEXEC);
    if (s->log_fd < 0) {
        return err_set(
            e, ERR_MACHINE,
            "cannot make a file for the access log in %s: %s; make room and see that you may "
            "write there, or name another place by TMPDIR",
            tmp && *tmp ? tmp : "/tmp", strerror(errno));
    }
    unlink(path);
    snprintf(s->log, sizeof s->log, "/proc/%ld/fd/%d", (long)getpid(), s->log_fd);
    return 0;
}

void setup_clear_log(const struct setup *s) {
    /* One that cannot be emptied only grows. */
    int ignored = s->log_fd >= 0 ? ftruncate(s->log_fd, 0) : 0;
    (void)ignored;
}

int64_t setup_log_size(const struct setup *s) {
    struct stat st;
    return s->log_fd >= 0 && fstat(s->log_fd, &st) == 0 ? (int64_t)st.st_size : -1;
}

int64_t setup_log_lines(const struct setup *s) {
    char piece[65536];
    int64_t lines = 0;
    off_t at = 0;
    ssize_t n = -1;
    while (s->log_fd >= 0 && (n = pread(s->log_fd, piece, sizeof piece, at)) > 0) {
        for (const char *p = piece; (p = memchr(p, '\n', (size_t)(piece + n - p))); p++) {
            lines++;
        }
        at += n;
    }
    return n < 0 ? -1 : lines;
}
