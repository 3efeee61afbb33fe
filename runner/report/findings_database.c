/* Whose work a database's is. */
#include <math.h>
#include <stdio.h>

#include "report/findings_parts.h"

/* The least and the most CPU that a database used beside the servers; false = there was none. */
static bool find_range(const struct cells *c, double *lo, double *hi) {
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t round = 0; round < c->rounds; round++) {
            const struct trial_record *r = c->cell[i].trial[round];
            if (r && r->environment.database_cpus > 0) {
                *lo = fmin(*lo, r->environment.database_cpus);
                *hi = fmax(*hi, r->environment.database_cpus);
            }
        }
    }
    return *hi >= *lo;
}

void findings_say_database(struct maker *m) {
    double lo, hi;
    if (!find_range(m->v->cells, &lo, &hi) || !maker_begin(m)) {
        return;
    }
    fprintf(
        m->say.f,
        "The servers stored in PostgreSQL on this machine. It used %.2f to %.2f CPUs of its own, "
        "which are in no server's CPU or memory; what SQLite does is part of the server. Figures "
        "of the two stores do not compare.",
        lo, hi);
    maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
}
