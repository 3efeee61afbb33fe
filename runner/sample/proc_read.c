#include "sample/proc.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "sample/machine_text.h"

#define THREADS_MAX 4096

/* /proc/PID/NAME into buf; -1 when it cannot be read. */
static ssize_t proc_file(pid_t pid, const char *name, char *buf, size_t size) {
    char path[128];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return file_read_small(path, buf, size);
}

static ssize_t proc_task_file(pid_t pid, pid_t tid, const char *name, char *buf, size_t size) {
    char path[128];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/%s", (long)pid, (long)tid, name);
    return file_read_small(path, buf, size);
}

size_t proc_threads(pid_t pid, pid_t *out, size_t max) {
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *dir = opendir(path);
    const struct dirent *entry;
    if (!dir) {
        return 0;
    }
    while (n < max && (entry = readdir(dir))) {
        long tid = strtol(entry->d_name, NULL, 10);
        if (tid > 0) {
            out[n++] = (pid_t)tid;
        }
    }
    closedir(dir);
    return n;
}

int64_t proc_thread_cpu_ns(pid_t pid, pid_t tid) {
    char text[256];
    return proc_task_file(pid, tid, "schedstat", text, sizeof text) > 0 ? proc_parse_schedstat(text)
                                                                        : -1;
}

static void proc_add(int64_t *sum, int64_t value) {
    *sum = *sum < 0 || value < 0 ? -1 : *sum + value;
}

/* CPU of a process in ns, its ended threads included; -1 where the kernel does not tell. */
static int64_t proc_process_cpu_ns(pid_t pid) {
    clockid_t clock;
    struct timespec t;
    return clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &t) == 0
               ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec
               : -1;
}

static void proc_cpu_add_threads(pid_t pid, struct proc_cpu *out) {
    pid_t tids[THREADS_MAX];
    char text[4096];
    size_t n = proc_threads(pid, tids, THREADS_MAX);
    int64_t whole = proc_process_cpu_ns(pid);
    for (size_t i = 0; i < n; i++) {
        /* A thread that ended since it was listed is none any more; its time is in the ticks. */
        if (proc_task_file(pid, tids[i], "status", text, sizeof text) <= 0) {
            continue;
        }
        proc_add(&out->voluntary, proc_parse_field(text, "voluntary_ctxt_switches"));
        proc_add(&out->involuntary, proc_parse_field(text, "nonvoluntary_ctxt_switches"));
        if (whole < 0) {
            proc_add(&out->run_ns, proc_thread_cpu_ns(pid, tids[i]));
        }
    }
    if (whole >= 0) {
        proc_add(&out->run_ns, whole);
    }
}

/* Ticks of children waited for, as part of all three sums. */
static void proc_cpu_add_children(const char *stat, struct proc_cpu *out) {
    int64_t user;
    int64_t system;
    const int64_t per_second = sysconf(_SC_CLK_TCK);
    if (proc_parse_stat_reaped(stat, &user, &system) != 0 || per_second <= 0) {
        return; /* an odd kernel; no child is known of then */
    }
    out->user_ticks += user;
    out->system_ticks += system;
    proc_add(&out->run_ns, (user + system) * (1000000000 / per_second));
}

void proc_cpu_add_reaped(pid_t reaper, struct proc_cpu *out) {
    char text[4096];
    if (reaper > 0 && out->user_ticks >= 0 && proc_file(reaper, "stat", text, sizeof text) > 0) {
        proc_cpu_add_children(text, out);
    }
}

int proc_cpu_read(const pid_t *pids, size_t n, struct proc_cpu *out) {
    size_t seen = 0;
    *out = (struct proc_cpu){0};
    for (size_t i = 0; i < n; i++) {
        char text[4096];
        int64_t user;
        int64_t system;
        if (proc_file(pids[i], "stat", text, sizeof text) <= 0 ||
            proc_parse_stat(text, &user, &system) != 0) {
            continue;
        }
        seen++;
        out->user_ticks += user;
        out->system_ticks += system;
        proc_cpu_add_children(text, out);
        proc_cpu_add_threads(pids[i], out);
    }
    if (seen == 0) {
        *out = (struct proc_cpu){-1, -1, -1, -1, -1};
        return -1;
    }
    return 0;
}

int proc_memory_read(const pid_t *pids, size_t n, struct proc_memory *out) {
    size_t seen = 0;
    *out = (struct proc_memory){0};
    for (size_t i = 0; i < n; i++) {
        char status[4096], rollup[4096];
        struct proc_memory one;
        if (proc_file(pids[i], "status", status, sizeof status) <= 0) {
            continue;
        }
        bool rolled = proc_file(pids[i], "smaps_rollup", rollup, sizeof rollup) > 0;
        proc_parse_memory(status, rolled ? rollup : NULL, &one);
        if (one.rss < 0) {
            continue; /* a zombie has no memory */
        }
        seen++;
        proc_add(&out->rss, one.rss);
        proc_add(&out->anon, one.anon);
        proc_add(&out->file, one.file);
        proc_add(&out->shmem, one.shmem);
        proc_add(&out->pss, one.pss);
        proc_add(&out->peak_rss, one.peak_rss);
    }
    if (seen == 0) {
        *out = (struct proc_memory){-1, -1, -1, -1, -1, -1};
        return -1;
    }
    return 0;
}

size_t proc_tree(pid_t root, pid_t *out, size_t max) {
    char text[16384];
    size_t n = 0;
    if (max == 0 || proc_file(root, "stat", text, sizeof text) <= 0) {
        return 0;
    }
    out[n++] = root;
    /* out is its own queue: the children of out[i] are put behind it. */
    for (size_t i = 0; i < n; i++) {
        pid_t tids[THREADS_MAX];
        size_t threads = proc_threads(out[i], tids, THREADS_MAX);
        for (size_t t = 0; t < threads; t++) {
            if (proc_task_file(out[i], tids[t], "children", text, sizeof text) > 0) {
                n += proc_parse_children(text, out + n, max - n);
            }
        }
    }
    return n;
}

size_t proc_trees(const pid_t *roots, size_t n, pid_t *out, size_t max) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        found += proc_tree(roots[i], out + found, max - found);
    }
    return found;
}

int64_t proc_self_cpu_ns(void) {
    struct timespec t;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0
               ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec
               : -1;
}

int64_t proc_files_limit(const pid_t *pids, size_t n) {
    int64_t most = -1;
    for (size_t i = 0; i < n; i++) {
        char text[4096];
        int64_t soft = -1;
        int64_t hard;
        if (proc_file(pids[i], "limits", text, sizeof text) > 0) {
            text_limit(text, "Max open files", &soft, &hard);
        }
        most = soft > most ? soft : most;
    }
    return most;
}
