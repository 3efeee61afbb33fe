#include "store/owned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything that any command writes into the folder of a run, by subfolder. A writer that was
 * killed leaves NAME.PID.tmp. */
static const struct {
    const char *folder; /* "" = the run's own */
    const char *file;   /* a pattern */
} owned[] = {
    {"", "manifest.json"},    {"", "config.ini"},        {"", "plan.json"},
    {"", "trials.jsonl"},     {"", "histograms.gz"},     {"", "report.md"},
    {"", "report.html"},      {"", "report.json"},       {"", "cells.csv"},
    {"", "verdicts.csv"},     {"", "reproduce.json"},    {"", "reproduce.md"},
    {"", "calibration.json"}, {"", "calibration.md"},    {"", "crosscheck.json"},
    {"", "crosscheck.md"},    {"", "counts.jsonl"},      {"", "counts.csv"},
    {"", "*.[0-9]*.tmp"},     {"plots", "*.svg"},        {"plots", "*.png"},
    {"plots", "*.tmp"},       {"plots/data", "*.gp"},    {"plots/data", "*.dat"},
    {"plots/data", "*.tmp"},  {"plots/narrow", "*.svg"}, {"plots/narrow", "*.tmp"},
};

static bool is_folder(const char *path) {
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        if (strcmp(owned[i].folder, path) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_file(const char *folder, const char *name) {
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        if (strcmp(owned[i].folder, folder) == 0 && fnmatch(owned[i].file, name, 0) == 0) {
            return true;
        }
    }
    return false;
}

static int search(int folder, const char *path, char *out, size_t size);

static int judge(int folder, const char *path, const char *name, char *out, size_t size) {
    char below[256];
    struct stat st;
    const int n = snprintf(below, sizeof below, "%s%s%s", path, *path ? "/" : "", name);
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? 0 : -1;
    }
    const bool whole = n > 0 && (size_t)n < sizeof below;
    if (whole && S_ISDIR(st.st_mode) && is_folder(below)) {
        const int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd < 0 ? -1 : search(fd, below, out, size);
    }
    if (S_ISREG(st.st_mode) && is_file(path, name)) {
        return 0;
    }
    snprintf(out, size, "%s", below);
    return 1;
}

/* Takes over the descriptor. */
static int search(int folder, const char *path, char *out, size_t size) {
    DIR *d = fdopendir(folder);
    const struct dirent *entry;
    int rc = d ? 0 : -1;
    while (rc == 0 && (entry = readdir(d))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            rc = judge(dirfd(d), path, entry->d_name, out, size);
        }
    }
    const int saved = errno;
    if (d) {
        closedir(d);
    } else {
        close(folder);
    }
    errno = saved;
    return rc;
}

int owned_find_foreign(int run, char *out, size_t size) {
    const int fd = openat(run, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -1 : search(fd, "", out, size);
}
