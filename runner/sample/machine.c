#include "sample/machine.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "sample/machine_parts.h"
#include "sample/machine_text.h"

bool machine_text(const char *root, const char *path, char *out, size_t size) {
    char full[2 * PATH_MAX];
    out[0] = '\0';
    snprintf(full, sizeof full, "%s%s", root, path);
    ssize_t n = file_read_small(full, out, size);
    if (n < 0) {
        out[0] = '\0';
        return false;
    }
    while (n > 0 && out[n - 1] == '\n') {
        out[--n] = '\0';
    }
    return true;
}

int64_t machine_number(const char *root, const char *path) {
    char text[64];
    return machine_text(root, path, text, sizeof text) ? text_number(text) : MACHINE_UNKNOWN;
}

/* A line of meminfo, in bytes. */
static int64_t read_kib(const char *meminfo, const char *key) {
    char text[64];
    if (!text_value(meminfo, key, text, sizeof text)) {
        return MACHINE_UNKNOWN;
    }
    text[strcspn(text, " ")] = '\0'; /* " kB" */
    int64_t kib = text_number(text);
    return kib < 0 || kib > INT64_MAX / 1024 ? MACHINE_UNKNOWN : kib * 1024;
}

static void read_memory(const char *root, struct machine_memory *memory) {
    char text[8192];
    machine_text(root, "/proc/meminfo", text, sizeof text);
    memory->total = read_kib(text, "MemTotal");
    memory->available = read_kib(text, "MemAvailable");
    memory->swap_total = read_kib(text, "SwapTotal");
    memory->swap_free = read_kib(text, "SwapFree");
    memory->overcommit = machine_number(root, "/proc/sys/vm/overcommit_memory");
    memory->swappiness = machine_number(root, "/proc/sys/vm/swappiness");
    machine_text(root, "/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    text_marked(text, memory->thp, sizeof memory->thp);
}

static json_t *read_vulnerabilities(const char *root) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/vulnerabilities", root);
    DIR *dir = opendir(path);
    json_t *all = dir ? json_object() : NULL;
    const struct dirent *entry;
    while (all && (entry = readdir(dir)) != NULL) { // NOLINT(concurrency-mt-unsafe)
        char name[PATH_MAX];
        char text[256];
        snprintf(name, sizeof name, "/sys/devices/system/cpu/vulnerabilities/%s", entry->d_name);
        if (entry->d_name[0] != '.' && machine_text(root, name, text, sizeof text)) {
            json_object_set_new(all, entry->d_name, json_string(text));
        }
    }
    if (dir) {
        closedir(dir);
    }
    return all;
}

static void read_mitigations(const char *root, char *out, size_t size) {
    static const char key[] = "mitigations=";
    char text[4096];
    out[0] = '\0';
    if (!machine_text(root, "/proc/cmdline", text, sizeof text)) {
        return;
    }
    snprintf(out, size, "default");
    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
        if (at == text || at[-1] == ' ') { /* the last one counts */
            const char *value = at + strlen(key);
            snprintf(out, size, "%.*s", (int)strcspn(value, " \n"), value);
        }
    }
}

/* Whether our personality (which servers inherit) switches address randomisation off: setarch -R.
 */
static bool without_randomisation(const char *root) {
    char text[32];
    if (!machine_text(root, "/proc/self/personality", text, sizeof text)) {
        return false;
    }
    char *end;
    const unsigned long flags = strtoul(text, &end, 16);
    return end > text && (flags & ADDR_NO_RANDOMIZE) != 0;
}

static void read_kernel(const char *root, struct machine_kernel *kernel) {
    char text[8192];
    struct utsname name;
    machine_text(root, "/proc/sys/kernel/osrelease", kernel->release, sizeof kernel->release);
    machine_text(root, "/proc/sys/kernel/version", kernel->version, sizeof kernel->version);
    if (!machine_text(root, "/proc/sys/kernel/arch", kernel->arch, sizeof kernel->arch) &&
        root[0] == '\0' && uname(&name) == 0) {
        snprintf(kernel->arch, sizeof kernel->arch, "%s", name.machine);
    }
    if (machine_text(root, "/etc/os-release", text, sizeof text) ||
        machine_text(root, "/usr/lib/os-release", text, sizeof text)) {
        text_value(text, "PRETTY_NAME", kernel->os, sizeof kernel->os);
    }
    machine_text(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
                 kernel->clocksource, sizeof kernel->clocksource);
    kernel->aslr = machine_number(root, "/proc/sys/kernel/randomize_va_space");
    if (kernel->aslr > 0 && without_randomisation(root)) {
        kernel->aslr = 0;
    }
    read_mitigations(root, kernel->mitigations, sizeof kernel->mitigations);
    kernel->vulnerabilities = read_vulnerabilities(root);
}

static void read_limits(const char *root, struct machine_limits *limits) {
    char text[8192];
    limits->nofile_soft = MACHINE_UNKNOWN;
    limits->nofile_hard = MACHINE_UNKNOWN;
    limits->port_first = MACHINE_UNKNOWN;
    limits->port_last = MACHINE_UNKNOWN;
    if (machine_text(root, "/proc/self/limits", text, sizeof text)) {
        text_limit(text, "Max open files", &limits->nofile_soft, &limits->nofile_hard);
    }
    limits->somaxconn = machine_number(root, "/proc/sys/net/core/somaxconn");
    limits->tcp_max_syn_backlog = machine_number(root, "/proc/sys/net/ipv4/tcp_max_syn_backlog");
    limits->syncookies = machine_number(root, "/proc/sys/net/ipv4/tcp_syncookies");
    limits->tcp_tw_reuse = machine_number(root, "/proc/sys/net/ipv4/tcp_tw_reuse");
    limits->tcp_fin_timeout = machine_number(root, "/proc/sys/net/ipv4/tcp_fin_timeout");
    limits->conntrack_max = machine_number(root, "/proc/sys/net/netfilter/nf_conntrack_max");
    limits->file_max = machine_number(root, "/proc/sys/fs/file-max");
    if (machine_text(root, "/proc/sys/net/ipv4/ip_local_port_range", text, sizeof text)) {
        size_t first = strcspn(text, " \t");
        int64_t last = text_number(text + first);
        text[first] = '\0';
        if (last >= 0 && text_number(text) >= 0) {
            limits->port_first = text_number(text);
            limits->port_last = last;
        }
    }
}

static void read_load(const char *root, struct machine *m) {
    char text[256];
    m->load1 = NAN;
    m->load5 = NAN;
    m->load15 = NAN;
    m->uptime_s = MACHINE_UNKNOWN;
    if (machine_text(root, "/proc/loadavg", text, sizeof text) &&
        sscanf(text, "%lf %lf %lf", &m->load1, &m->load5, &m->load15) != 3) {
        m->load1 = NAN;
        m->load5 = NAN;
        m->load15 = NAN;
    }
    if (machine_text(root, "/proc/uptime", text, sizeof text)) {
        text[strcspn(text, ".")] = '\0';
        m->uptime_s = text_number(text);
    }
}

void machine_read(const char *root, struct machine *m) {
    memset(m, 0, sizeof *m);
    machine_read_cpu(root, &m->cpu);
    read_memory(root, &m->memory);
    read_kernel(root, &m->kernel);
    machine_read_virt(root, &m->virt);
    machine_read_cgroup(root, &m->cgroup);
    read_limits(root, &m->limits);
    read_load(root, m);
    machine_text(root, "/proc/sys/kernel/hostname", m->hostname, sizeof m->hostname);
}

void machine_release(struct machine *m) {
    json_decref(m->kernel.vulnerabilities);
    m->kernel.vulnerabilities = NULL;
}
