#include "plan/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/quality.h"

#define RESERVE 64 /* files beside those of the connections */

int64_t limits_files_needed(int64_t connections) {
    return 2 * connections + RESERVE;
}

int limits_judge_files(int64_t connections, int64_t hard, struct err *e) {
    int64_t needed = limits_files_needed(connections);
    if (hard < 0 || hard >= needed) {
        return 0;
    }
    return err_set(e, ERR_MACHINE,
                   "%" PRId64 " connections need %" PRId64 " open files, the limit is %" PRId64
                   "; raise it (ulimit -Hn %" PRId64 " as root, or nofile in "
                   "/etc/security/limits.conf), or choose at most %" PRId64 " connections",
                   connections, needed, hard, needed, hard > 66 ? (hard - 64) / 2 : 1);
}

int limits_judge_target(const struct limits_target *t, int64_t connections, struct err *e) {
    const int64_t n = t->processes > 1 ? t->processes : 1;
    const int64_t needed = (connections + n - 1) / n + RESERVE;
    char each[48] = "";
    if (t->files < 0 || t->files >= needed) {
        return 0;
    }
    if (n > 1) {
        snprintf(each, sizeof each, " in each of %" PRId64 " processes", n);
    }
    return err_set(e, ERR_MACHINE,
                   "%s may open %" PRId64 " files%s, and %" PRId64 " connections need %" PRId64
                   "; raise its limit where it is started (ulimit -n %" PRId64
                   ", LimitNOFILE= or docker --ulimit nofile=), or choose at most %" PRId64
                   " connections",
                   t->name, t->files, each, connections, needed, needed,
                   t->files > RESERVE ? n * (t->files - RESERVE) : 1);
}

bool limits_judge_shares(const struct limits_target *t, int64_t connections, char *out,
                         size_t size) {
    if (t->processes < 2 || t->files < 0 || t->files >= connections + RESERVE) {
        return false;
    }
    snprintf(out, size,
             "%s may open %" PRId64 " files in each of %" PRId64 " processes: %" PRId64
             " connections fit only where they share them evenly, else trials fail",
             t->name, t->files, t->processes, connections);
    return true;
}

int limits_raise_files(int64_t connections, struct err *e) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return err_set(
            e, ERR_MACHINE,
            "the limit of open files cannot be read: %s; see that this account may ask for it",
            strerror(errno));
    }
    int64_t hard = limit.rlim_max == RLIM_INFINITY ? -1 : (int64_t)limit.rlim_max;
    if (limits_judge_files(connections, hard, e) != 0) {
        return -1;
    }
    int64_t needed = limits_files_needed(connections);
    if (limit.rlim_cur == RLIM_INFINITY || (int64_t)limit.rlim_cur >= needed) {
        return 0;
    }
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return err_set(e, ERR_MACHINE,
                       "the limit of open files cannot be raised to %" PRId64
                       ": %s; raise it with ulimit -n",
                       hard, strerror(errno));
    }
    return 0;
}

int64_t limits_connections_made(const struct config *c, size_t trials) {
    return c->keepalive || c->requests > INT64_MAX / ((int64_t)trials + 1)
               ? 0
               : c->requests * (int64_t)trials;
}

bool limits_judge_tracked(int64_t made, int64_t count, int64_t max, char *out, size_t size) {
    const double all = (double)made + (double)(count > 0 ? count : 0);
    out[0] = '\0';
    if (made <= 0 || max <= 0 ||
        quality_judge(QUALITY_CONNTRACK, 100 * all / (double)max) != QUALITY_INVALID) {
        return false;
    }
    snprintf(out, size,
             "%" PRId64 " connections will be made, and the kernel tracks at most %" PRId64
             ", each until two minutes after its end: trials may hang; raise "
             "net.netfilter.nf_conntrack_max, or do not track loopback (see `loopbench doctor`)",
             made, max);
    return true;
}
