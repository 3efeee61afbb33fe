#include "target/external_process.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

pid_t external_find(const char *name, int *count) {
    DIR *proc = opendir("/proc");
    pid_t found = 0;
    *count = 0;
    for (struct dirent *d; proc && (d = readdir(proc));) {
        char path[300], comm[32];
        if (!isdigit((unsigned char)d->d_name[0])) {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%s/comm", d->d_name);
        ssize_t len = file_read_small(path, comm, sizeof comm);
        if (len <= 0) {
            continue;
        }
        comm[strcspn(comm, "\n")] = '\0';
        if (strcmp(comm, name) == 0) {
            found = (pid_t)strtol(d->d_name, NULL, 10);
            ++*count;
        }
    }
    if (proc) {
        closedir(proc);
    }
    return found;
}

/* The processes seen so far, by name. */
static struct known {
    char name[32];
    pid_t pid;
} known_processes[32];

static struct known *slot_of(const char *name) {
    for (size_t i = 0; i < sizeof known_processes / sizeof known_processes[0]; i++) {
        struct known *k = &known_processes[i];
        if (!k->name[0]) {
            snprintf(k->name, sizeof k->name, "%s", name);
        }
        if (strncmp(k->name, name, sizeof k->name - 1) == 0) {
            return k;
        }
    }
    return NULL;
}

pid_t external_seen(const char *name, pid_t pid) {
    struct known *k = slot_of(name);
    const pid_t before = k ? k->pid : 0;
    if (k) {
        k->pid = pid;
    }
    return before;
}

void external_forget(const char *name) {
    struct known *k = slot_of(name);
    if (k) {
        k->pid = 0;
    }
}
