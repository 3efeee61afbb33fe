#include "run/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quality.h"

static double judge_count(int64_t n) {
    return n < 0 ? NAN : (double)n;
}

static double judge_shift(const struct environment_result *env) {
    return (env->speed_after / env->speed_before - 1) * 100;
}

bool judge_trial(struct trial_record *r) {
    const struct environment_result *env = &r->environment;
    const struct {
        enum quality_id id;
        double value;
    } signals[] = {
        {QUALITY_STEAL, env->steal_ratio * 100},
        {QUALITY_FOREIGN_CPU, env->foreign_cpus * 100},
        {QUALITY_THROTTLED, judge_count(env->throttled)},
        {QUALITY_SPEED_SHIFT, judge_shift(env)},
        {QUALITY_LISTEN_OVERFLOWS, judge_count(env->listen_overflows)},
        {QUALITY_LISTEN_DROPS, judge_count(env->listen_drops)},
        {QUALITY_RETRANSMITS, judge_count(env->retransmits)},
        {QUALITY_ACTIVE_SHARE, r->active_ratio * 100},
    };
    bool invalid = false;
    size_t used = 0;
    r->flags[0] = '\0';
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        enum quality_level level = quality_judge(signals[i].id, signals[i].value);
        if (level != QUALITY_WARN && level != QUALITY_INVALID) {
            continue;
        }
        invalid = invalid || level == QUALITY_INVALID;
        int n = snprintf(r->flags + used, sizeof r->flags - used, "%s%s-%s", used ? " " : "",
                         quality_check(signals[i].id)->name, quality_level_name(level));
        if (n < 0 || (size_t)n >= sizeof r->flags - used) {
            r->flags[used] = '\0';
            break;
        }
        used += (size_t)n;
    }
    return invalid;
}
