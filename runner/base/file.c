#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t file_read_small(const char *path, char *buf, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t n = 0;
    if (fd < 0) {
        return -1;
    }
    while (used + 1 < size && (n = read(fd, buf + used, size - 1 - used)) != 0) {
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            int saved = errno;
            close(fd);
            errno = saved;
            return -1;
        }
        used += (size_t)n;
    }
    close(fd);
    buf[used] = '\0';
    return (ssize_t)used;
}

int file_read_or(const char *what_to_do, const char *path, size_t max, char **out, size_t *len,
                 struct err *e) {
    FILE *f = fopen(path, "rbe");
    struct stat st;
    if (!f) {
        return err_set(e, ERR_USAGE, "cannot read %s: %s; %s", path, strerror(errno), what_to_do);
    }
    if (fstat(fileno(f), &st) != 0 || S_ISDIR(st.st_mode)) {
        fclose(f);
        return err_set(e, ERR_USAGE, "cannot read %s: it is not a file; %s", path, what_to_do);
    }
    char *data = NULL;
    size_t used = 0;
    size_t room = 0;
    for (;;) {
        if (used + 1 >= room) {
            room = room ? room * 2 : 8192;
            char *grown = realloc(data, room);
            if (!grown) {
                free(data);
                fclose(f);
                return err_set(e, ERR_MACHINE, "out of memory reading %s", path);
            }
            data = grown;
        }
        size_t n = fread(data + used, 1, room - 1 - used, f);
        used += n;
        if (used > max) {
            free(data);
            fclose(f);
            return err_set(e, ERR_USAGE, "%s is over %zu bytes: not a file of ours; %s", path, max,
                           what_to_do);
        }
        if (n == 0) {
            break;
        }
    }
    int failed = ferror(f);
    fclose(f);
    if (failed) {
        free(data);
        return err_set(e, ERR_USAGE, "cannot read %s: input/output error; %s", path, what_to_do);
    }
    data[used] = '\0';
    *out = data;
    *len = used;
    return 0;
}

int file_read_all(const char *path, size_t max, char **out, size_t *len, struct err *e) {
    return file_read_or(FILE_READ_REMEDY, path, max, out, len, e);
}

static int file_write_fd(int fd, const char *data, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

int file_write_atomic(const char *path, const void *data, size_t len, struct err *e) {
    char sibling[PATH_MAX];
    int n = snprintf(sibling, sizeof sibling, "%s.%ld.tmp", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof sibling) {
        return err_set(e, ERR_USAGE, "path too long: %s; " FILE_PATH_REMEDY, path);
    }
    int fd = open(sibling, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path,
                       strerror(errno));
    }
    int bad = file_write_fd(fd, data, len) != 0 || fsync(fd) != 0;
    int saved = errno;
    if (close(fd) != 0 && !bad) {
        bad = 1;
        saved = errno;
    }
    if (!bad && rename(sibling, path) != 0) {
        bad = 1;
        saved = errno;
    }
    if (bad) {
        unlink(sibling);
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path,
                       strerror(saved));
    }
    return 0;
}

/* What is no file takes bytes and cannot be replaced. */
static int write_into(const char *path, const void *data, size_t len, struct err *e) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0666);
    bool bad = fd < 0 || file_write_fd(fd, data, len) != 0;
    int saved = errno;
    if (fd >= 0 && close(fd) != 0 && !bad) {
        bad = true;
        saved = errno;
    }
    return bad ? err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path,
                         strerror(saved))
               : 0;
}

int file_write_named(const char *path, const void *data, size_t len, struct err *e) {
    struct stat here;
    struct stat there;
    const bool leads = stat(path, &there) == 0;
    if (leads && S_ISDIR(there.st_mode)) {
        return err_set(e, ERR_USAGE,
                       "cannot write %s: it is a folder; name a file, in it or elsewhere", path);
    }
    if (lstat(path, &here) != 0 || S_ISREG(here.st_mode)) {
        return file_write_atomic(path, data, len, e);
    }
    if (!S_ISLNK(here.st_mode) || !leads || !S_ISREG(there.st_mode)) {
        return write_into(path, data, len, e);
    }
    char *end = realpath(path, NULL);
    if (!end) {
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path,
                       strerror(errno));
    }
    const int rc = file_write_atomic(end, data, len, e);
    free(end);
    return rc;
}

int file_mkdirs(const char *path, struct err *e) {
    char part[PATH_MAX];
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof part) {
        return err_set(e, ERR_USAGE, "not a folder name: '%s'; name another", path);
    }
    memcpy(part, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (part[i] != '/' && part[i] != '\0') {
            continue;
        }
        char kept = part[i];
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return err_set(e, ERR_MACHINE, "cannot create the folder %s: %s; " FILE_WRITE_REMEDY,
                           part, strerror(errno));
        }
        part[i] = kept;
    }
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return err_set(
            e, ERR_MACHINE,
            "%s is in the way: it is not a folder; move it away, or choose another place", path);
    }
    return 0;
}

bool file_exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

int file_join(char *out, size_t size, const char *dir, const char *name, struct err *e) {
    int n = snprintf(out, size, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= size) {
        return err_set(e, ERR_USAGE, "path too long: %s/%s; " FILE_PATH_REMEDY, dir, name);
    }
    return 0;
}

static bool file_is_program(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

int file_which(const char *name, char *out, size_t size) {
    if (strchr(name, '/')) {
        int n = snprintf(out, size, "%s", name);
        return n >= 0 && (size_t)n < size && file_is_program(name) ? 0 : -1;
    }
    const char *path = getenv("PATH");
    if (!path || !*name) {
        return -1;
    }
    while (*path) {
        size_t len = strcspn(path, ":");
        int n = snprintf(out, size, "%.*s/%s", len ? (int)len : 1, len ? path : ".", name);
        if (n >= 0 && (size_t)n < size && file_is_program(out)) {
            return 0;
        }
        path += len;
        path += *path == ':';
    }
    return -1;
}
