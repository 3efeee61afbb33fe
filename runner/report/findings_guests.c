/* What must not be concluded about servers that send other bytes. */
#include <math.h>

#include "report/findings_parts.h"
#include "report/guests.h"

#define BYTES_ALIKE 0.5 /* what is less is rounding */

void findings_say_guests(struct maker *m) {
    const struct cells *c = m->v->cells;
    size_t reference = guests_reference(c);
    for (size_t w = 0; reference != SIZE_MAX && w < c->workload_count; w++) {
        size_t said = 0;
        for (size_t i = 0; i < c->target_count; i++) {
            double more =
                guests_is(c, i) ? guests_more(c, i, reference, c->workloads[w]) : (double)NAN;
            if (!(fabs(more) >= BYTES_ALIKE) || (said == 0 && !maker_begin(m))) {
                continue;
            }
            if (said++ == 0) {
                fprintf(m->say.f, "%s: the servers do not send the same bytes: ", c->workloads[w]);
            } else {
                fputs(", ", m->say.f);
            }
            fprintf(m->say.f, "%s sends %.0f B %s a reply than %s", c->targets[i].name, fabs(more),
                    more > 0 ? "more" : "fewer", c->targets[reference].name);
        }
        if (said > 0) {
            fputs(". Part of a difference between them is that.", m->say.f);
            maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
        }
    }
}
