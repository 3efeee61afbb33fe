#include "base/machine_rules.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define UNKNOWN ((double)NAN)

void machine_facts_init(struct machine_facts *f) {
    *f = (struct machine_facts){
        .connections = UNKNOWN,
        .backlog = UNKNOWN,
        .somaxconn = UNKNOWN,
        .syn_backlog = UNKNOWN,
        .load1 = UNKNOWN,
        .cpus = UNKNOWN,
        .quota = UNKNOWN,
        .used = UNKNOWN,
        .disjoint = UNKNOWN,
        .shares_core = UNKNOWN,
        .cpus_short = UNKNOWN,
        .boost = UNKNOWN,
        .aslr = UNKNOWN,
        .governor = "",
        .thp = "",
        .clocksource = "",
    };
}

double machine_queue(const struct machine_facts *f) {
    return fmin(fmin(f->backlog > 0 ? f->backlog : UNKNOWN, f->somaxconn), f->syn_backlog);
}

/* That the part of it that is known suffices is no proof where the kernel's limit is not. */
static double rule_backlog(const struct machine_facts *f) {
    const double beyond = machine_queue(f) - f->connections;
    return isnan(f->somaxconn) && beyond >= 0 ? UNKNOWN : beyond;
}

static double rule_load(const struct machine_facts *f) {
    return f->cpus > 0 ? f->load1 / f->cpus : UNKNOWN;
}

/* Of the quota, what both sides would use if they were never idle; all of it where that is not
 * known. */
static double rule_quota(const struct machine_facts *f) {
    if (isnan(f->quota) || isinf(f->quota)) {
        return isnan(f->quota) ? UNKNOWN : 0;
    }
    return f->used > 0 ? f->used / f->quota : 1;
}

static double is_text(const char *text, const char *yes) {
    return *text ? (double)(strcmp(text, yes) == 0) : UNKNOWN;
}

static double rule_clocksource(const struct machine_facts *f) {
    static const char *const slow[] = {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"};
    bool is_slow = false;
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++) {
        is_slow = is_slow || strcmp(f->clocksource, slow[i]) == 0;
    }
    return *f->clocksource ? (double)is_slow : UNKNOWN;
}

double machine_rule(enum quality_id id, const struct machine_facts *f) {
    switch (id) {
    case QUALITY_BACKLOG:
        return rule_backlog(f);
    case QUALITY_LOAD:
        return rule_load(f);
    case QUALITY_PINNING:
        return 1 - f->disjoint;
    case QUALITY_SMT:
        return f->shares_core;
    case QUALITY_CPUS:
        return f->cpus_short;
    case QUALITY_GOVERNOR:
        return 1 - is_text(f->governor, "performance");
    case QUALITY_BOOST:
        return f->boost;
    case QUALITY_THP:
        return is_text(f->thp, "always");
    case QUALITY_ASLR:
        return isnan(f->aslr) ? UNKNOWN : (double)!(fabs(f->aslr) > 0);
    case QUALITY_CLOCKSOURCE:
        return rule_clocksource(f);
    case QUALITY_QUOTA:
        return rule_quota(f);
    default:
        return UNKNOWN;
    }
}
