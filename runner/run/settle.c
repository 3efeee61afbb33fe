#include "run/settle.h"

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/proc.h"

#define STEP_NS   INT64_C(20000000)
#define REST_PART 4 /* of a CPU: one in so many */
#define TREE_MAX  512

static bool settle_read(const pid_t *pids, size_t n, struct proc_cpu *out) {
    pid_t all[TREE_MAX];
    size_t found = proc_trees(pids, n, all, TREE_MAX);
    return found > 0 && proc_cpu_read(all, found, out) == 0;
}

enum loop_wait settle_wait(struct loop *loop, const pid_t *pids, size_t n, int64_t max_ns) {
    const int64_t begun = clock_mono_ns();
    const int64_t per_second = sysconf(_SC_CLK_TCK);
    struct proc_cpu before;
    struct proc_cpu after;
    bool seen = n > 0 && settle_read(pids, n, &before);
    int64_t at = begun;
    while (seen && at - begun < max_ns) {
        struct proc_usage used;
        if (loop_wait(loop, NULL, NULL, STEP_NS) == LOOP_INTERRUPTED) {
            return LOOP_INTERRUPTED;
        }
        const int64_t now = clock_mono_ns();
        seen = settle_read(pids, n, &after);
        if (!seen) {
            break;
        }
        proc_usage_between(&before, &after, per_second, &used);
        /* What ended or began meanwhile makes it unknown: then the next step tells. */
        if (used.cpu_ns >= 0 && used.cpu_ns * REST_PART < now - at) {
            break;
        }
        before = after;
        at = now;
    }
    return seen && at - begun >= max_ns ? LOOP_TIMEOUT : LOOP_DONE;
}
