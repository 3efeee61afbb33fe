/* machine_rules.h — what of a machine and a configuration is judged once: from facts to the value
 * that quality_judge takes. The machine check reads its facts from the system, a report from the
 * manifest; both are judged here. */
#ifndef BASE_MACHINE_RULES_H
#define BASE_MACHINE_RULES_H

#include "base/quality.h"

/* NaN and "" = unknown; of yes and no 1 and 0. Texts are borrowed and never NULL. */
struct machine_facts {
    double connections;            /* most of any level */
    double backlog;                /* asked for; 0 = as much as the kernel allows */
    double somaxconn, syn_backlog; /* the kernel's */
    double load1, cpus;            /* load average; CPUs it is of */
    double quota;                  /* CPUs that a control group allows; INFINITY = no limit */
    double used;                   /* CPUs that server and generator are to use, both together */
    double disjoint;               /* server and generator have CPUs of their own */
    double shares_core;            /* a core of theirs has threads on both sides */
    double cpus_short;             /* a side has fewer CPUs than workers or threads */
    double boost;
    double aslr; /* kernel.randomize_va_space */
    const char *governor, *thp, *clocksource;
};

/* Everything unknown. */
void machine_facts_init(struct machine_facts *f);

/* The listen queue that a server gets: the smallest of what it asks for and what the kernel allows,
 * as far as that is known. */
double machine_queue(const struct machine_facts *f);

/* The value of the check, in its unit; NaN where it is unknown, and for a check that is not made
 * from these facts. */
double machine_rule(enum quality_id id, const struct machine_facts *f);

#endif
