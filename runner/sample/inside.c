#include "sample/inside.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "sample/machine_parts.h"

#define MOUNTINFO_MAX ((size_t)1024 * 1024)

/* What follows `words` words of a line. */
static const char *inside_skip(const char *at, int words) {
    for (int i = 0; i < words; i++) {
        at += strcspn(at, " \n");
        at += strspn(at, " ");
    }
    return at;
}

void inside_parse_root(const char *mountinfo, char *out, size_t size) {
    out[0] = '\0';
    for (const char *line = mountinfo; line && *line; line += *line == '\n') {
        size_t len = strcspn(line, "\n");
        /* id, parent, major:minor, root within the file system; then the mount point. */
        const char *point = inside_skip(line, 4);
        const char *dash = memmem(line, len, " - ", 3);
        if (dash && strncmp(point, "/ ", 2) == 0) {
            const char *type = dash + 3;
            snprintf(out, size, "%.*s", (int)strcspn(type, " \n"), type);
        }
        line += len;
    }
}

static json_t *inside_limit(int64_t n) {
    return n == MACHINE_UNKNOWN     ? json_null()
           : n == MACHINE_UNLIMITED ? json_string("max")
                                    : json_integer((json_int_t)n);
}

static json_t *inside_text(const char *text) {
    return *text ? json_string(text) : json_null();
}

static int64_t inside_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return MACHINE_UNKNOWN;
    }
    return limit.rlim_max == RLIM_INFINITY ? MACHINE_UNLIMITED : (int64_t)limit.rlim_max;
}

/* Bits of an IPv4 netmask. */
static int inside_prefix(const struct sockaddr *mask) {
    return mask ? __builtin_popcount(
                      ((const struct sockaddr_in *)(const void *)mask)->sin_addr.s_addr)
                : 32;
}

static json_t *inside_addresses(void) {
    struct ifaddrs *all = NULL;
    json_t *out = json_array();
    if (getifaddrs(&all) != 0) {
        return out;
    }
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        char address[INET_ADDRSTRLEN];
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || (i->ifa_flags & IFF_LOOPBACK) ||
            !inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)i->ifa_addr)->sin_addr,
                       address, sizeof address)) {
            continue;
        }
        json_array_append_new(
            out, json_sprintf("%s %s/%d", i->ifa_name, address, inside_prefix(i->ifa_netmask)));
    }
    freeifaddrs(all);
    return out;
}

json_t *inside_json(const char *root) {
    struct machine_cgroup cgroup;
    char path[PATH_MAX];
    char type[64] = "";
    char *mountinfo = malloc(MOUNTINFO_MAX);
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    if (mountinfo && file_read_small(path, mountinfo, MOUNTINFO_MAX) > 0) {
        inside_parse_root(mountinfo, type, sizeof type);
    }
    free(mountinfo);
    machine_read_cgroup(root, &cgroup);
    return json_pack("{s:{s:o, s:o, s:o, s:o}, s:o, s:o}", "limits", "memory",
                     inside_limit(cgroup.memory_max), "pids", inside_limit(cgroup.pids_max),
                     "files", inside_limit(inside_files()), "cpus", inside_text(cgroup.cpuset),
                     "root_filesystem", inside_text(type), "addresses", inside_addresses());
}
