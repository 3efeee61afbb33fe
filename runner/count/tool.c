#include "count/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "count/strace.h"
#include "sample/proc.h"

#define STRACE_LIMIT ((size_t)1 << 20)
#define PIDS_MAX     256
#define LOG_PREFIX   "log." /* of valgrind's own messages, one file a process */

void count_total_init(struct count_total *t) {
    *t = (struct count_total){0};
    for (int k = 0; k < COUNT_KINDS; k++) {
        t->of[k] = -1;
    }
}

void count_total_release(struct count_total *t) {
    callgrind_release(&t->instructions);
    json_decref(t->calls);
    count_total_init(t);
}

void count_paths_find(struct count_paths *p, const char *servers) {
    static const char *const places[] = {"../lib/alloccount.so", "alloccount.so"};
    struct err ignored;
    *p = (struct count_paths){0};
    if (file_which("valgrind", p->valgrind, sizeof p->valgrind) != 0) {
        p->valgrind[0] = '\0';
    }
    if (file_which("strace", p->strace, sizeof p->strace) != 0) {
        p->strace[0] = '\0';
    }
    if (file_which("setpriv", p->setpriv, sizeof p->setpriv) != 0) {
        p->setpriv[0] = '\0';
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !p->preload[0]; i++) {
        char path[PATH_MAX];
        /* The loader wants a whole path: a target may run in another folder. */
        char *real = file_join(path, sizeof path, servers, places[i], &ignored) == 0
                         ? realpath(path, NULL)
                         : NULL;
        snprintf(p->preload, sizeof p->preload, "%s", real ? real : "");
        free(real);
    }
}

/* ---- allocations: a library in front of malloc, which adds to a number in a file */

static void alloc_words(const struct count_paths *paths, const char *dir, struct tool_words *w) {
    const char *others = getenv("LD_PRELOAD");
    if (!paths->preload[0]) {
        return; /* bytes are counted all the same */
    }
    snprintf(w->room[0], sizeof w->room[0], "ALLOCCOUNT_FILE=%s/allocations", dir);
    snprintf(w->room[1], sizeof w->room[1], "LD_PRELOAD=%s%s%.40s", paths->preload,
             others && *others ? ":" : "", others ? others : "");
    w->env[w->envc++] = w->room[0];
    w->env[w->envc++] = w->room[1];
    int fd = open(strchr(w->room[0], '=') + 1, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
        const uint64_t nothing[2] = {0}; /* the count, and whether it was loaded */
        ssize_t n = write(fd, nothing, sizeof nothing);
        (void)n; /* a file that is too short reads as not loaded */
        close(fd);
    }
}

static int alloc_read(const char *dir, struct count_total *out, struct err *e) {
    char path[PATH_MAX];
    uint64_t n[2] = {0};
    if (file_join(path, sizeof path, dir, "allocations", e) != 0) {
        return -1;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool there = fd >= 0 && read(fd, n, sizeof n) == (ssize_t)sizeof n;
    if (fd >= 0) {
        close(fd);
    }
    out->preloaded = there && n[1] == 1;
    /* Not a single one: they are made elsewhere. */
    out->of[COUNT_ALLOCATIONS] =
        out->preloaded && n[0] > 0 && n[0] < INT64_MAX ? (int64_t)n[0] : -1;
    return 0;
}

/* ---- hardware */

static int hardware_begin(const struct count_paths *paths, struct target *t, void **state,
                          struct err *e) {
    pid_t roots[PIDS_MAX];
    pid_t all[PIDS_MAX];
    const size_t n = t->ops->pids(t, roots, PIDS_MAX);
    *state = perf_start(paths->perf, all, proc_trees(roots, n, all, PIDS_MAX), e);
    return *state ? 0 : -1;
}

static int hardware_end(void *state, struct count_total *out, struct err *e) {
    return perf_stop(state, &out->of[COUNT_USER], &out->of[COUNT_KERNEL], e);
}

/* ---- system calls */

static int strace_check(const struct count_paths *paths, struct err *e) {
    return paths->strace[0] ? 0
                            : err_set(e, ERR_MACHINE, "strace is not installed (package strace)");
}

static void strace_words(const struct count_paths *paths, const char *dir, struct tool_words *w) {
    snprintf(w->room[0], sizeof w->room[0], "%s/strace", dir);
    const char *const words[] = {paths->strace, "-f", "-c", "-U", "name,calls", "-o", w->room[0]};
    memcpy(w->argv, words, sizeof words);
    w->argc = sizeof words / sizeof words[0];
    /* Whoever kills the runner kills strace with it; the target must go, too. */
    const char *const guard[] = {paths->setpriv, "--pdeathsig", "KILL"};
    if (paths->setpriv[0]) {
        memcpy(w->argv + w->argc, guard, sizeof guard);
        w->argc += sizeof guard / sizeof guard[0];
    }
}

static int strace_read_file(const char *dir, struct count_total *out, struct err *e) {
    char path[PATH_MAX];
    char *text = NULL;
    size_t len = 0;
    json_t *value;
    const char *name;
    if (file_join(path, sizeof path, dir, "strace", e) != 0) {
        return -1;
    }
    if (file_read_all(path, STRACE_LIMIT, &text, &len, e) != 0) {
        return err_set(e, ERR_FAILED, "strace left no table");
    }
    out->calls = strace_read(text, len, e);
    free(text);
    if (!out->calls) {
        return -1;
    }
    out->of[COUNT_SYSCALLS] = 0;
    json_object_foreach(out->calls, name, value) {
        out->of[COUNT_SYSCALLS] += json_integer_value(value);
    }
    return 0;
}

/* ---- instructions */

static int callgrind_check(const struct count_paths *paths, struct err *e) {
    return paths->valgrind[0]
               ? 0
               : err_set(e, ERR_MACHINE, "valgrind is not installed (package valgrind)");
}

static void callgrind_words(const struct count_paths *paths, const char *dir,
                            struct tool_words *w) {
    snprintf(w->room[0], sizeof w->room[0], "--callgrind-out-file=%s/callgrind.%%p", dir);
    snprintf(w->room[1], sizeof w->room[1], "--log-file=%s/" LOG_PREFIX "%%p", dir);
    const char *const words[] = {
        paths->valgrind,   "--tool=callgrind", "--quiet",  "--vgdb=no", "--trace-children=yes",
        "--dump-line=yes", "--dump-instr=no",  w->room[0], w->room[1],  "--"};
    memcpy(w->argv, words, sizeof words);
    w->argc = sizeof words / sizeof words[0];
    /* Looking symbols up at the first call would be counted with some request. */
    w->env[w->envc++] = "LD_BIND_NOW=1";
}

static int callgrind_read_file(const char *dir, const char *name, struct count_total *out,
                               struct err *e) {
    char path[PATH_MAX];
    if (file_join(path, sizeof path, dir, name, e) != 0) {
        return -1;
    }
    FILE *in = fopen(path, "re");
    if (!in) {
        return err_set(
            e, ERR_FAILED,
            "cannot read what callgrind wrote, %s: %s; see that TMPDIR is yours alone, and "
            "count again",
            path, strerror(errno));
    }
    const int rc = callgrind_add(&out->instructions, in, "callgrind's file", e);
    fclose(in);
    return rc;
}

/* A log is there from a process's first moment, its counts from its last, unless it was killed: a
 * sum without them would be a part of the truth. */
static int callgrind_check_process(int dir, const char *pid, struct err *e) {
    char name[64];
    struct stat s;
    snprintf(name, sizeof name, "callgrind.%.32s", pid);
    return fstatat(dir, name, &s, 0) == 0 && s.st_size > 0
               ? 0
               : err_set(e, ERR_FAILED, "process %.32s was killed and left no counts", pid);
}

/* One file a process. */
static int callgrind_read(const char *dir, struct count_total *out, struct err *e) {
    const struct dirent *entry;
    size_t files = 0;
    int rc = callgrind_init(&out->instructions, e);
    DIR *d = opendir(dir);
    while (rc == 0 && d && (entry = readdir(d))) {
        if (strncmp(entry->d_name, LOG_PREFIX, sizeof LOG_PREFIX - 1) == 0) {
            rc = callgrind_check_process(dirfd(d), entry->d_name + sizeof LOG_PREFIX - 1, e);
        } else if (strncmp(entry->d_name, "callgrind.", 10) == 0) {
            files++;
        }
    }
    if (d) {
        rewinddir(d);
    }
    while (rc == 0 && d && (entry = readdir(d))) {
        if (strncmp(entry->d_name, "callgrind.", 10) == 0) {
            rc = callgrind_read_file(dir, entry->d_name, out, e);
        }
    }
    if (d) {
        closedir(d);
    }
    if (rc == 0 && files == 0) {
        rc = err_set(e, ERR_FAILED, "callgrind left no counts");
    }
    out->of[COUNT_INSTRUCTIONS] = rc == 0 ? out->instructions.total : -1;
    return rc;
}

static const struct count_tool allocations = {
    .name = "allocations",
    .kinds = {COUNT_ALLOCATIONS, COUNT_SENT, COUNT_RECEIVED, COUNT_KINDS},
    .slower = 1,
    .words = alloc_words,
    .read = alloc_read,
};
static const struct count_tool hardware = {
    .name = "hardware counters",
    .kinds = {COUNT_USER, COUNT_KERNEL, COUNT_KINDS},
    .clocked = true,
    .slower = 1,
    .begin = hardware_begin,
    .end = hardware_end,
};
static const struct count_tool system_calls = {
    .name = "strace",
    .kinds = {COUNT_SYSCALLS, COUNT_KINDS},
    .starts = true,
    .slower = 5,
    .check = strace_check,
    .words = strace_words,
    .read = strace_read_file,
};
static const struct count_tool instructions = {
    .name = "valgrind",
    .kinds = {COUNT_INSTRUCTIONS, COUNT_KINDS},
    .clocked = true,
    .starts = true,
    .slower = 12,
    .check = callgrind_check,
    .words = callgrind_words,
    .read = callgrind_read,
};

const struct count_tool *const count_tools[] = {&allocations, &hardware, &system_calls,
                                                &instructions, NULL};
