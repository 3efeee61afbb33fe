#include "sample/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* A stretch of text that is not terminated. */
struct piece {
    const char *at;
    size_t len;
};

static bool piece_is(struct piece p, const char *text) {
    return strlen(text) == p.len && memcmp(p.at, text, p.len) == 0;
}

/* Whether the comma-separated list holds the word. */
static bool piece_lists(struct piece list, const char *word) {
    size_t i = 0;
    while (i <= list.len) {
        size_t len = 0;
        while (i + len < list.len && list.at[i + len] != ',') {
            len++;
        }
        if (piece_is((struct piece){list.at + i, len}, word)) {
            return true;
        }
        i += len + 1;
    }
    return false;
}

/* Takes the next blank-separated word of a line; empty at its end. */
static struct piece piece_take(const char **at) {
    *at += strspn(*at, " ");
    struct piece p = {*at, strcspn(*at, " \n")};
    *at += p.len;
    return p;
}

/* Our path in the hierarchy of the cpu controller: lines "id:controllers:path" (cgroups(7)). */
static bool cgroup_find_path(const char *text, bool v2, struct piece *path) {
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *first = strchr(line, ':');
        const char *second = first ? strchr(first + 1, ':') : NULL;
        const char *end = line + strcspn(line, "\n");
        if (!second || second >= end) {
            continue;
        }
        struct piece controllers = {first + 1, (size_t)(second - first - 1)};
        if (v2 ? controllers.len == 0 : piece_lists(controllers, "cpu")) {
            *path = (struct piece){second + 1, (size_t)(end - second - 1)};
            return path->len > 0;
        }
    }
    return false;
}

/* The mount of that hierarchy: fields 4 and 5 are the root within it and the mount point; behind
 * the lone dash stand type, source and super options (proc(5)). */
static bool cgroup_find_mount(const char *text, bool v2, struct piece *root, struct piece *mount) {
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line;
        for (int i = 0; i < 3; i++) {
            piece_take(&at);
        }
        *root = piece_take(&at);
        *mount = piece_take(&at);
        struct piece word;
        do {
            word = piece_take(&at);
        } while (word.len > 0 && !piece_is(word, "-"));
        struct piece type = piece_take(&at);
        piece_take(&at);
        struct piece options = piece_take(&at);
        if (v2 ? piece_is(type, "cgroup2")
               : piece_is(type, "cgroup") && piece_lists(options, "cpu")) {
            return mount->len > 0;
        }
    }
    return false;
}

/* A path in the hierarchy as seen through a mount whose root is not the hierarchy's (a container's
 * is its own group); one that lies outside is seen as the mount itself. */
static struct piece cgroup_below(struct piece path, struct piece root) {
    if (piece_is(root, "/")) {
        return path;
    }
    if (path.len >= root.len && memcmp(path.at, root.at, root.len) == 0 &&
        (path.len == root.len || path.at[root.len] == '/')) {
        return (struct piece){path.at + root.len, path.len - root.len};
    }
    return (struct piece){"", 0};
}

int cgroup_parse_cpu(const char *cgroup, const char *mountinfo, char *folder, char *mount,
                     size_t size) {
    for (int v2 = 0; v2 <= 1; v2++) {
        struct piece path, root, point;
        if (!cgroup_find_path(cgroup, v2 == 1, &path) ||
            !cgroup_find_mount(mountinfo, v2 == 1, &root, &point)) {
            continue;
        }
        path = cgroup_below(path, root);
        while (path.len > 0 && path.at[path.len - 1] == '/') {
            path.len--;
        }
        int n =
            snprintf(folder, size, "%.*s%.*s", (int)point.len, point.at, (int)path.len, path.at);
        int m = snprintf(mount, size, "%.*s", (int)point.len, point.at);
        /* A path with ".." is one outside our cgroup namespace. */
        if (n >= 0 && (size_t)n < size && m >= 0 && (size_t)m < size && !strstr(folder, "/../")) {
            return 0;
        }
    }
    return -1;
}

int64_t cgroup_parse_throttled(const char *text) {
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "nr_throttled ", 13) == 0) {
            char *end;
            long long n = strtoll(line + 13, &end, 10);
            return end > line + 13 && n >= 0 && (*end == '\n' || !*end) ? n : -1;
        }
    }
    return -1;
}

int64_t cgroup_read_run_ns(const char *root) {
    static const char *const folders[] = {"cpuacct", "cpu,cpuacct"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[PATH_MAX], text[64];
        /* Only the root of a whole hierarchy has a release agent. */
        snprintf(path, sizeof path, "%s/sys/fs/cgroup/%s/release_agent", root, folders[i]);
        if (!file_exists(path)) {
            continue;
        }
        snprintf(path, sizeof path, "%s/sys/fs/cgroup/%s/cpuacct.usage", root, folders[i]);
        if (file_read_small(path, text, sizeof text) > 0) {
            char *end;
            long long n = strtoll(text, &end, 10);
            return end > text && n >= 0 ? n : -1;
        }
    }
    return -1;
}
