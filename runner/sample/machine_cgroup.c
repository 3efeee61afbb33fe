/* Limits of the control group this process runs in: the tightest on the way up counts. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sample/machine_parts.h"
#include "sample/machine_text.h"

#define MOUNTINFO_MAX ((size_t)1024 * 1024)

/* Where to look for one controller. */
struct place {
    const char *root;
    char folder[PATH_MAX], mount[PATH_MAX];
    int version; /* -1 = nowhere */
};

static void place_find(const char *root, const char *controller, struct place *p) {
    char cgroup[8192];
    char path[PATH_MAX];
    char *mountinfo = malloc(MOUNTINFO_MAX);
    p->root = root;
    p->version = -1;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    if (mountinfo && machine_text(root, "/proc/self/cgroup", cgroup, sizeof cgroup) &&
        file_read_small(path, mountinfo, MOUNTINFO_MAX) > 0) {
        p->version =
            text_cgroup(cgroup, mountinfo, controller, p->folder, p->mount, sizeof p->folder);
    }
    free(mountinfo);
}

/* Reads `name` in the folder. */
static bool place_text(const struct place *p, const char *name, char *out, size_t size) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return machine_text(p->root, path, out, size);
}

/* One folder up; false at the mount point. */
static bool place_up(struct place *p) {
    char *slash = strrchr(p->folder, '/');
    if (!slash || strlen(p->folder) <= strlen(p->mount)) {
        return false;
    }
    *slash = '\0';
    return true;
}

/* The hierarchy's own root has no limit files: no limit there, and that is known. */
static bool place_is_there(const struct place *p) {
    char text[16];
    return place_text(p, "cgroup.procs", text, sizeof text);
}

static double place_cpu_quota(const struct place *p) {
    char text[64];
    char period[64];
    if (p->version == 2) {
        return place_text(p, "cpu.max", text, sizeof text) ? text_cpu_max(text) : NAN;
    }
    if (!place_text(p, "cpu.cfs_quota_us", text, sizeof text) ||
        !place_text(p, "cpu.cfs_period_us", period, sizeof period)) {
        return NAN;
    }
    if (strcmp(text, "-1") == 0) {
        return INFINITY;
    }
    int64_t quota = text_number(text);
    int64_t length = text_number(period);
    return quota > 0 && length > 0 ? (double)quota / (double)length : NAN;
}

static double read_cpu_quota(struct place *p) {
    double tightest = NAN;
    if (p->version < 0) {
        return NAN;
    }
    bool there = place_is_there(p);
    do {
        double quota = place_cpu_quota(p);
        tightest = isnan(tightest) || quota < tightest ? quota : tightest;
    } while (place_up(p));
    return isnan(tightest) && there ? INFINITY : tightest;
}

/* A byte or process limit, the tightest up the tree. */
static int64_t read_limit(struct place *p, const char *v1, const char *v2) {
    int64_t tightest = MACHINE_UNKNOWN;
    char text[64];
    if (p->version < 0) {
        return MACHINE_UNKNOWN;
    }
    bool there = place_is_there(p);
    do {
        int64_t limit = place_text(p, p->version == 1 ? v1 : v2, text, sizeof text)
                            ? text_number(text)
                            : MACHINE_UNKNOWN;
        /* v1 says "no limit" as the largest multiple of a page. */
        limit = limit > INT64_MAX / 4 ? MACHINE_UNLIMITED : limit;
        if (limit >= 0 && (tightest < 0 || limit < tightest)) {
            tightest = limit;
        }
    } while (place_up(p));
    return tightest < 0 && there ? MACHINE_UNLIMITED : tightest;
}

static void read_cpuset(struct place *p, char *out, size_t size) {
    out[0] = '\0';
    if (p->version < 0) {
        return;
    }
    do {
        bool found = p->version == 2 ? place_text(p, "cpuset.cpus.effective", out, size)
                                     : place_text(p, "cpuset.effective_cpus", out, size) ||
                                           place_text(p, "cpuset.cpus", out, size);
        if (found && out[0]) {
            return;
        }
    } while (place_up(p));
    out[0] = '\0';
}

void machine_read_cgroup(const char *root, struct machine_cgroup *cgroup) {
    struct place *p = malloc(sizeof *p); /* 8 KiB of paths */
    cgroup->version = MACHINE_UNKNOWN;
    cgroup->cpu_quota = NAN;
    cgroup->memory_max = MACHINE_UNKNOWN;
    cgroup->pids_max = MACHINE_UNKNOWN;
    cgroup->cpuset[0] = '\0';
    if (!p) {
        return;
    }
    place_find(root, "cpu", p);
    cgroup->version = p->version;
    cgroup->cpu_quota = read_cpu_quota(p);
    place_find(root, "memory", p);
    cgroup->memory_max = read_limit(p, "memory.limit_in_bytes", "memory.max");
    place_find(root, "pids", p);
    cgroup->pids_max = read_limit(p, "pids.max", "pids.max");
    place_find(root, "cpuset", p);
    read_cpuset(p, cgroup->cpuset, sizeof cgroup->cpuset);
    free(p);
}
