#include "sample/proc.h"

#include <stdlib.h>
#include <string.h>

/* A non-negative decimal number at *at, after blanks; advances *at behind it. False for anything
 * else, also for one that does not fit. */
static bool proc_number(const char **at, int64_t *out) {
    const char *p = *at;
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    const char *begin = p;
    int64_t n = 0;
    while (*p >= '0' && *p <= '9') {
        if (n > (INT64_MAX - (*p - '0')) / 10) {
            return false;
        }
        n = n * 10 + (*p - '0');
        p++;
    }
    if (p == begin) {
        return false;
    }
    *at = p;
    *out = n;
    return true;
}

int64_t proc_parse_schedstat(const char *text) {
    int64_t run = -1;
    return proc_number(&text, &run) && (*text == ' ' || *text == '\n') ? run : -1;
}

/* Skips one blank-separated word; false at the end. */
static bool proc_skip_word(const char **at) {
    const char *p = *at + strspn(*at, " ");
    size_t len = strcspn(p, " \n");
    *at = p + len;
    return len > 0;
}

/* Two neighbouring fields of a stat line, the first of which is number `first`. */
static int proc_parse_pair(const char *text, int first, int64_t *a, int64_t *b) {
    /* Field 2 is the name in parentheses, which may itself hold any of ") (": the last one ends it.
     */
    const char *at = strrchr(text, ')');
    if (!at) {
        return -1;
    }
    at++;
    for (int field = 3; field < first; field++) {
        if (!proc_skip_word(&at)) {
            return -1;
        }
    }
    int64_t one;
    int64_t other;
    if (!proc_number(&at, &one) || !proc_number(&at, &other)) {
        return -1;
    }
    *a = one;
    *b = other;
    return 0;
}

int proc_parse_stat(const char *text, int64_t *user_ticks, int64_t *system_ticks) {
    return proc_parse_pair(text, 14, user_ticks, system_ticks); /* utime, stime (proc(5)) */
}

int proc_parse_stat_reaped(const char *text, int64_t *user_ticks, int64_t *system_ticks) {
    return proc_parse_pair(text, 16, user_ticks, system_ticks); /* cutime, cstime */
}

int64_t proc_parse_field(const char *text, const char *name) {
    size_t len = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, len) != 0 || line[len] != ':') {
            continue;
        }
        const char *at = line + len + 1;
        int64_t n;
        if (!proc_number(&at, &n)) {
            return -1;
        }
        if (strncmp(at, " kB", 3) == 0) {
            return n <= INT64_MAX / 1024 ? n * 1024 : -1;
        }
        return n;
    }
    return -1;
}

void proc_parse_memory(const char *status, const char *rollup, struct proc_memory *out) {
    *out = (struct proc_memory){-1, -1, -1, -1, -1, -1};
    if (status) {
        out->rss = proc_parse_field(status, "VmRSS");
        out->anon = proc_parse_field(status, "RssAnon");
        out->file = proc_parse_field(status, "RssFile");
        out->shmem = proc_parse_field(status, "RssShmem");
        out->peak_rss = proc_parse_field(status, "VmHWM");
    }
    if (rollup) {
        /* status counts in batches per thread and may lag behind; the rollup walks the pages. */
        int64_t rss = proc_parse_field(rollup, "Rss");
        out->rss = rss >= 0 ? rss : out->rss;
        out->pss = proc_parse_field(rollup, "Pss");
    }
}

size_t proc_parse_children(const char *text, pid_t *out, size_t max) {
    size_t n = 0;
    int64_t pid;
    while (n < max && proc_number(&text, &pid) && pid > 0 && pid <= INT32_MAX) {
        out[n++] = (pid_t)pid;
    }
    return n;
}
