/* Everything that is read from /proc and /sys: the first byte chooses the parser. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sample/cgroup.h"
#include "sample/inside.h"
#include "sample/kernel.h"
#include "sample/proc.h"
#include "target/local_argv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_processes(char *text) {
    int64_t user = 0;
    int64_t system = 0;
    pid_t pids[8];
    struct proc_memory m;
    if (proc_parse_schedstat(text) < -1 || proc_parse_field(text, "VmRSS") < -1) {
        abort();
    }
    if (proc_parse_stat(text, &user, &system) == 0 && (user < 0 || system < 0)) {
        abort();
    }
    if (proc_parse_children(text, pids, 8) > 8) {
        abort();
    }
    proc_parse_memory(text, text, &m);
    if (m.rss < -1 || m.pss < -1 || m.peak_rss < -1) {
        abort();
    }
}

static void fuzz_kernel(char *text) {
    char type[8];
    inside_parse_root(text, type, sizeof type);
    if (memchr(type, ' ', strlen(type)) || memchr(type, '\n', strlen(type))) {
        abort();
    }
    struct kernel_cpu cpu;
    struct kernel_sockets sockets;
    struct kernel_tcp tcp;
    kernel_parse_cpu(text, &cpu);
    kernel_parse_sockets(text, text, 4096, &sockets);
    kernel_parse_tcp(text, text, &tcp);
    if (cpu.steal < -1 || sockets.tcp_memory < -1 || tcp.listen_overflows < -1 ||
        kernel_parse_run_ns(text) < -1 || kernel_parse_number(text) < -1 ||
        cgroup_parse_throttled(text) < -1) {
        abort();
    }
}

/* The part before the first NUL is the group, the rest the mounts. */
static void fuzz_cgroup(const char *text, size_t size) {
    char folder[128], mount[128];
    size_t len = strlen(text);
    const char *mounts = len < size ? text + len + 1 : "";
    if (cgroup_parse_cpu(text, mounts, folder, mount, sizeof folder) == 0 &&
        strncmp(folder, mount, strlen(mount)) != 0) {
        abort();
    }
}

static void fuzz_ready_line(const char *text) {
    char host[64];
    int port = 0;
    struct err e = {0};
    if (ready_line_parse(text, host, sizeof host, &port, &e) == 0 && (port < 1 || port > 65535)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size);
    if (!text) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0]) {
    case 'p':
        fuzz_processes(text);
        break;
    case 'k':
        fuzz_kernel(text);
        break;
    case 'c':
        fuzz_cgroup(text, size - 1);
        break;
    default:
        fuzz_ready_line(text);
        break;
    }
    free(text);
    return 0;
}
