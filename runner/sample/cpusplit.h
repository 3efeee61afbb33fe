/* cpusplit.h — which CPUs the server gets and which the load generator: disjoint, and never two
 * SMT threads of one core on both sides where there is a choice. */
#ifndef SAMPLE_CPUSPLIT_H
#define SAMPLE_CPUSPLIT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct cpusplit {
    cpu_set_t server, generator;
    bool disjoint;        /* no CPU on both sides */
    bool shares_core;     /* a core has an SMT thread on each side */
    bool server_short;    /* fewer CPUs than server workers */
    bool generator_short; /* fewer CPUs than generator threads */
    char note[256];       /* one line: what could not be done, and why; "" when all could */
};

/* core[cpu] = the lowest CPU of the same core, from topology/thread_siblings_list below `root`
 * (a prefix before /sys; "" = this machine). A CPU whose siblings cannot be read is its own core.
 * Returns true when every allowed CPU's file was read. */
bool cpusplit_read_cores(const char *root, const cpu_set_t *allowed, int core[CPU_SETSIZE]);

/* Chooses. workers and threads are at least 1. Spare cores go to the server's workers first, one
 * each. With too few CPUs the generator's threads share first; a core is divided between the sides
 * only where the workers would not have a CPU each otherwise, or where there is but one core; a
 * single CPU is shared by both (disjoint = false). Pure. */
void cpusplit_choose(const cpu_set_t *allowed, const int core[CPU_SETSIZE], int workers,
                     int threads, struct cpusplit *out);

/* Judges two sets that somebody chose by hand, in the same terms. */
void cpusplit_judge(const cpu_set_t *server, const cpu_set_t *generator,
                    const int core[CPU_SETSIZE], int workers, int threads, struct cpusplit *out);

#endif
