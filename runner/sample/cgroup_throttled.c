/* Throttling of several processes: each group once, whoever is in it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sample/cgroup.h"

#define MOUNTINFO_SIZE ((size_t)256 * 1024)
#define GROUPS         32 /* different ones; a target that is in more is not seen whole */
#define PROCESSES      64 /* of a target that are asked */

struct groups {
    const char *root;
    char folder[GROUPS][PATH_MAX];
    size_t n;
    int64_t sum; /* -1 = none says */
    char mountinfo[MOUNTINFO_SIZE];
};

/* Whether the level was summed with a group that is it or lies below it. */
static bool groups_have(const struct groups *g, const char *level) {
    const size_t len = strlen(level);
    for (size_t i = 0; i < g->n; i++) {
        if (strncmp(g->folder[i], level, len) == 0 &&
            (g->folder[i][len] == '\0' || g->folder[i][len] == '/')) {
            return true;
        }
    }
    return false;
}

/* -1 = the level says nothing. One that tells its use and no throttling (of v2 without the cpu
 * controller, or its root) has no quota. */
static int64_t groups_read_level(const char *root, const char *level) {
    char path[2 * PATH_MAX], text[4096];
    snprintf(path, sizeof path, "%s%s/cpu.stat", root, level);
    if (file_read_small(path, text, sizeof text) <= 0) {
        return -1;
    }
    return strstr(text, "nr_throttled") ? cgroup_parse_throttled(text) : 0;
}

/* Adds the group and all above it up to the mount. Returns false when there is no room. */
static bool groups_add(struct groups *g, const char *folder, const char *mount) {
    char level[PATH_MAX];
    snprintf(level, sizeof level, "%s", folder);
    for (;;) {
        if (groups_have(g, level)) {
            break;
        }
        const int64_t n = groups_read_level(g->root, level);
        if (n >= 0) {
            g->sum = (g->sum < 0 ? 0 : g->sum) + n;
        }
        char *slash = strrchr(level, '/');
        if (!slash || strlen(level) <= strlen(mount)) {
            break;
        }
        *slash = '\0';
    }
    if (groups_have(g, folder)) {
        return true;
    }
    if (g->n == GROUPS) {
        return false;
    }
    snprintf(g->folder[g->n++], PATH_MAX, "%s", folder);
    return true;
}

enum found { FOUND, GONE, NOT_SEEN };

/* `process` is "self" or a pid. */
static enum found groups_add_process(struct groups *g, const char *process) {
    char path[2 * PATH_MAX], cgroup[8192], folder[PATH_MAX], mount[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/%s/cgroup", g->root, process);
    if (file_read_small(path, cgroup, sizeof cgroup) <= 0) {
        return GONE;
    }
    return cgroup_parse_cpu(cgroup, g->mountinfo, folder, mount, sizeof folder) == 0 &&
                   groups_add(g, folder, mount)
               ? FOUND
               : NOT_SEEN;
}

int64_t cgroup_read_throttled(const char *root, const pid_t *pids, size_t n, bool *whole) {
    char path[PATH_MAX];
    struct groups *g = calloc(1, sizeof *g);
    size_t found = 0;
    size_t not_seen = n > PROCESSES;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    if (!g || file_read_small(path, g->mountinfo, sizeof g->mountinfo) <= 0) {
        free(g);
        *whole = false;
        return -1;
    }
    g->root = root;
    g->sum = -1;
    groups_add_process(g, "self");
    for (size_t i = 0; i < n && i < PROCESSES; i++) {
        char pid[24];
        snprintf(pid, sizeof pid, "%ld", (long)pids[i]);
        const enum found f = groups_add_process(g, pid);
        found += f == FOUND;
        not_seen += f == NOT_SEEN;
    }
    const int64_t sum = g->sum;
    *whole = found > 0 && not_seen == 0 && sum >= 0;
    free(g);
    return sum;
}
