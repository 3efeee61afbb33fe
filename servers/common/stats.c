#include "common/stats.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t to_us(struct timeval t) {
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

/* /proc/self/statm: "size resident shared …" in pages. Read without stdio, which would allocate. */
static uint64_t read_rss(void) {
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) {
        return 0;
    }
    text[n] = '\0';
    const char *space = strchr(text, ' ');
    return space == NULL ? 0 : strtoull(space + 1, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void stats_read_process(struct stats_process *out) {
    struct rusage usage;
    *out = (struct stats_process){.rss_bytes = read_rss()};
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        out->user_us = to_us(usage.ru_utime);
        out->system_us = to_us(usage.ru_stime);
        out->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
    }
    /* The kernel keeps the peak with a delay of some pages; never report less than what is now. */
    if (out->peak_rss_bytes < out->rss_bytes) {
        out->peak_rss_bytes = out->rss_bytes;
    }
}
