#include "sample/database.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>

#include "base/file.h"

#define NAME "postgres" /* of every process of it, whatever its title says */

/* Of libpq, as its header declares it; only runs that use a database need the library. */
struct libpq {
    void *handle;
    void *(*connect)(const char *const *keywords, const char *const *values, int expand_dbname);
    int (*pid)(const void *connection);
    int (*fd)(const void *connection);
    void (*finish)(void *connection);
};

/* POSIX has it that a function's address may be kept so; ISO C does not. */
static bool libpq_symbol(struct libpq *l, const char *name, void *function) {
    void *found = dlsym(l->handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool libpq_open(struct libpq *l) {
    *l = (struct libpq){.handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL)};
    return l->handle && libpq_symbol(l, "PQconnectdbParams", &l->connect) &&
           libpq_symbol(l, "PQbackendPID", &l->pid) && libpq_symbol(l, "PQsocket", &l->fd) &&
           libpq_symbol(l, "PQfinish", &l->finish);
}

/* The number behind "Name:" of a status, and the last one on its line. */
static long status_number(const char *text, const char *name, bool last) {
    const char *at = strstr(text, name);
    long n = -1;
    if (!at || (at != text && at[-1] != '\n')) {
        return -1;
    }
    at += strlen(name);
    for (char *end; *at && *at != '\n'; at = end) {
        long next = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        n = next;
        if (!last) {
            break;
        }
        end += strspn(end, " \t"); /* strtol would step over the end of the line, too */
    }
    return n;
}

bool database_parse_status(const char *text, pid_t *inner, pid_t *parent) {
    static const char name[] = "Name:\t" NAME "\n";
    long pid = status_number(text, "NSpid:", true);
    if (pid < 0) {
        pid = status_number(text, "Pid:", false);
    }
    *inner = (pid_t)pid;
    *parent = (pid_t)status_number(text, "PPid:", false);
    return strncmp(text, name, sizeof name - 1) == 0 && pid > 0;
}

static bool read_status(const char *proc, const char *pid, pid_t *inner, pid_t *parent) {
    char path[512], text[4096];
    snprintf(path, sizeof path, "%s/%s/status", proc, pid);
    return file_read_small(path, text, sizeof text) > 0 &&
           database_parse_status(text, inner, parent);
}

/* The parent of the one process of PostgreSQL that calls itself `backend`: two servers in different
 * namespaces may use the same number. 0 = none, -1 = several. */
static pid_t find_root(const char *proc, pid_t backend) {
    DIR *folder = opendir(proc);
    pid_t root = 0;
    const struct dirent *d;
    while (folder && root >= 0 && (d = readdir(folder))) {
        pid_t inner, parent;
        if (d->d_name[0] < '1' || d->d_name[0] > '9' ||
            !read_status(proc, d->d_name, &inner, &parent) || inner != backend) {
            continue;
        }
        root = root == 0 ? parent : -1;
    }
    if (folder) {
        closedir(folder);
    }
    return root;
}

/* Whether both ends of the connection have one address. */
static bool is_local(int fd) {
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t a = sizeof here, b = sizeof there;
    if (getsockname(fd, (struct sockaddr *)&here, &a) != 0 ||
        getpeername(fd, (struct sockaddr *)&there, &b) != 0) {
        return true;
    }
    if (here.ss_family == AF_INET) {
        return ((struct sockaddr_in *)&here)->sin_addr.s_addr ==
               ((struct sockaddr_in *)&there)->sin_addr.s_addr;
    }
    return here.ss_family != AF_INET6 ||
           memcmp(&((struct sockaddr_in6 *)&here)->sin6_addr,
                  &((struct sockaddr_in6 *)&there)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

/* A runner in a container sees neither the processes of another nor whether they share a machine.
 */
static bool in_container(void) {
    return file_exists("/.dockerenv") || file_exists("/run/.containerenv");
}

static void find(const struct libpq *l, const char *url, const char *proc, struct database *out) {
    static const char *const keywords[] = {"dbname", "connect_timeout", "application_name", NULL};
    const char *const values[] = {url, "2", "loopbench", NULL};
    void *connection = l->connect(keywords, values, 1);
    const pid_t backend = connection ? (pid_t)l->pid(connection) : 0;
    if (backend > 0) {
        const pid_t root = find_root(proc, backend);
        if (root > 1) {
            *out = (struct database){DATABASE_HERE, root};
        } else if (root == 0 && !is_local(l->fd(connection)) && !in_container()) {
            out->place = DATABASE_ELSEWHERE;
        }
    }
    l->finish(connection);
}

void database_find(const char *url, const char *proc, struct database *out) {
    struct libpq l;
    *out = (struct database){DATABASE_NONE, 0};
    if (!url || strncmp(url, "postgres", 8) != 0) {
        return;
    }
    out->place = DATABASE_HIDDEN;
    if (libpq_open(&l)) { /* and never closed: what it has set up cannot be undone */
        find(&l, url, proc, out);
    }
}
