#include "common/stats.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t to_us(struct timeval t) {
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

/* A line "VmHWM:     1234 kB" of /proc/self/status, in bytes; 0 where there is none. ru_maxrss
 * would not do: it remembers what the process was before exec. */
static uint64_t find_kb(const char *text, const char *name) {
    const char *line = strstr(text, name);
    return line == NULL ? 0 : strtoull(line + strlen(name), NULL, 10) * 1024;
}

/* Without stdio, which would allocate. */
static void read_memory(struct stats_process *out) {
    char text[4096];
    size_t len = 0;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    for (ssize_t n;
         len < sizeof text - 1 && (n = read(fd, text + len, sizeof text - 1 - len)) > 0;) {
        len += (size_t)n;
    }
    close(fd);
    text[len] = '\0';
    out->rss_bytes = find_kb(text, "\nVmRSS:");
    out->peak_rss_bytes = find_kb(text, "\nVmHWM:");
}

void stats_read_process(struct stats_process *out) {
    struct rusage usage;
    *out = (struct stats_process){0};
    read_memory(out);
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        out->user_us = to_us(usage.ru_utime);
        out->system_us = to_us(usage.ru_stime);
    }
}
