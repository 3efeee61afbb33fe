#include "sample/proc.h"

/* Ticks are counted up to one short per process and figure; and where the kernel samples them, they
 * scatter around the truth. Only beyond this does their sum prove that an ended thread took part of
 * run_ns with it. */
#define TICKS_SLACK 3

static int64_t usage_delta(int64_t before, int64_t after) {
    return before >= 0 && after >= before ? after - before : -1;
}

void proc_usage_between(const struct proc_cpu *before, const struct proc_cpu *after,
                        int64_t ticks_per_second, struct proc_usage *out) {
    *out = (struct proc_usage){-1, -1, -1, -1, -1};
    int64_t user = usage_delta(before->user_ticks, after->user_ticks);
    int64_t system = usage_delta(before->system_ticks, after->system_ticks);
    int64_t run = usage_delta(before->run_ns, after->run_ns);
    out->voluntary = usage_delta(before->voluntary, after->voluntary);
    out->involuntary = usage_delta(before->involuntary, after->involuntary);
    if (ticks_per_second <= 0) {
        return;
    }
    bool ticks = user >= 0 && system >= 0;
    int64_t tick_ns = 1000000000 / ticks_per_second;
    int64_t by_ticks = ticks ? (user + system) * tick_ns : -1;
    if (run < 0 || (ticks && by_ticks > run + run / 20 + TICKS_SLACK * tick_ns)) {
        out->cpu_ns = by_ticks;
    } else {
        out->cpu_ns = run;
    }
    if (ticks && out->cpu_ns >= 0 && user + system > 0) {
        double part = (double)user / (double)(user + system);
        out->user_ns = (int64_t)(part * (double)out->cpu_ns + 0.5);
        out->system_ns = out->cpu_ns - out->user_ns;
    }
}
