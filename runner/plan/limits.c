#include "plan/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

int64_t limits_files_needed(int64_t connections) {
    return 2 * connections + 64;
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

int limits_raise_files(int64_t connections, struct err *e) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return err_set(e, ERR_MACHINE, "the limit of open files cannot be read: %s",
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
