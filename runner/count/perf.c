#include "count/perf.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

#define COUNTERS_MAX 1024 /* two a thread */

struct perf {
    int n;
    struct {
        int fd;
        bool kernel;
    } counter[COUNTERS_MAX];
};

static int perf_open(pid_t tid, int kernel) {
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .inherit = 1,
        .exclude_user = kernel != 0,
        .exclude_kernel = kernel == 0,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int perf_refused(const struct perf_source *s, int why, struct err *e) {
    char path[256];
    char text[32] = "?";
    snprintf(path, sizeof path, "%s/proc/sys/kernel/perf_event_paranoid", s->root ? s->root : "");
    if (file_read_small(path, text, sizeof text) > 0) {
        text[strcspn(text, "\n")] = '\0';
    }
    switch (why) {
    case EACCES:
    case EPERM:
        return err_set(
            e, ERR_MACHINE,
            "hardware counters are not permitted (kernel.perf_event_paranoid is %s, 1 or "
            "less is needed; a container may forbid them besides)",
            text);
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return err_set(e, ERR_MACHINE,
                       "this machine shows no hardware counters, as most virtual ones");
    case ENOSYS:
        return err_set(e, ERR_MACHINE, "this kernel has no perf_event_open");
    default:
        return err_set(e, ERR_MACHINE, "perf_event_open: %s; see whether `perf stat` works here",
                       strerror(why));
    }
}

static void perf_free(struct perf *p) {
    for (int i = 0; i < p->n; i++) {
        close(p->counter[i].fd);
    }
    free(p);
}

static int perf_add_task(struct perf *p, const struct perf_source *s, pid_t tid, struct err *e) {
    for (int kernel = 0; kernel < 2; kernel++) {
        const int fd = (s->open ? s->open : perf_open)(tid, kernel);
        if (fd < 0 && errno == ESRCH) {
            return 0; /* it has just ended */
        }
        if (fd < 0) {
            return perf_refused(s, errno, e);
        }
        if (p->n == COUNTERS_MAX) {
            close(fd);
            return err_set(e, ERR_MACHINE, "more than %d threads to count", COUNTERS_MAX / 2);
        }
        p->counter[p->n].fd = fd;
        p->counter[p->n++].kernel = kernel != 0;
    }
    return 0;
}

static int perf_add_process(struct perf *p, const struct perf_source *s, pid_t pid, struct err *e) {
    char path[256];
    const struct dirent *entry;
    int rc = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *d = opendir(path);
    while (d && rc == 0 && (entry = readdir(d))) {
        const long tid = strtol(entry->d_name, NULL, 10);
        rc = tid > 0 ? perf_add_task(p, s, (pid_t)tid, e) : 0;
    }
    if (d) {
        closedir(d);
    }
    return rc;
}

struct perf *perf_start(const struct perf_source *source, const pid_t *pids, size_t n,
                        struct err *e) {
    static const struct perf_source real = {NULL, NULL};
    struct perf *p = calloc(1, sizeof *p);
    if (!p) {
        err_set(e, ERR_MACHINE, "out of memory for hardware counters");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (perf_add_process(p, source ? source : &real, pids[i], e) != 0) {
            perf_free(p);
            return NULL;
        }
    }
    if (p->n == 0) {
        err_set(e, ERR_MACHINE, "its processes cannot be seen from here; count where it runs");
        perf_free(p);
        return NULL;
    }
    return p;
}

int perf_stop(struct perf *p, int64_t *user, int64_t *kernel, struct err *e) {
    struct {
        uint64_t value, enabled, running;
    } now;
    int rc = 0;
    *user = *kernel = 0;
    for (int i = 0; i < p->n && rc == 0; i++) {
        if (read(p->counter[i].fd, &now, sizeof now) != (ssize_t)sizeof now) {
            rc = err_set(e, ERR_MACHINE, "a hardware counter cannot be read: %s; count again",
                         strerror(errno));
        } else if (now.running < now.enabled) {
            rc = err_set(e, ERR_MACHINE,
                         "the hardware counters were shared with others; stop what uses them");
        } else {
            *(p->counter[i].kernel ? kernel : user) += (int64_t)now.value;
        }
    }
    perf_free(p);
    return rc;
}
