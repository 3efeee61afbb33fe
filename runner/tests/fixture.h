/* fixture.h — a temporary folder that stands for another machine's root. */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FIXTURE_TEMPLATE "/tmp/loopbench-test-XXXXXX"

static inline void fixture_put(const char *root, const char *path, const char *text) {
    char full[1024];
    struct err e;
    snprintf(full, sizeof full, "%s%s", root, path);
    char *slash = strrchr(full, '/');
    *slash = '\0';
    if (file_mkdirs(full, &e) != 0) {
        abort();
    }
    *slash = '/';
    FILE *f = fopen(full, "we");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) {
        abort();
    }
}

static inline int fixture_remove_one(const char *path, const struct stat *st, int type,
                                     struct FTW *at) {
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static inline void fixture_remove(const char *root) {
    nftw(root, fixture_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
