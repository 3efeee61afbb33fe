/* What must not be concluded about servers that send other bytes, or close connections. */
#include <math.h>
#include <string.h>

#include "report/findings_parts.h"
#include "report/guests.h"

#define BYTES_ALIKE 0.5 /* what is less is rounding */

/* Where connections were to be kept: who closed them. */
static void say_closing(struct maker *m, const char *workload) {
    const struct cells *c = m->v->cells;
    size_t said = 0;
    for (size_t i = 0; i < c->target_count; i++) {
        const json_t *reply = guests_is(c, i) ? guests_reply(c, i, workload) : NULL;
        if (!json_is_false(json_object_get(reply, "keeps_connection")) ||
            (said == 0 && !maker_begin(m))) {
            continue;
        }
        fputs(said == 0 ? workload : ",", m->say.f);
        fprintf(m->say.f, "%s %s", said++ == 0 ? ":" : "", c->targets[i].name);
    }
    if (said > 0) {
        fprintf(
            m->say.f,
            " close%s the connection after a reply, where it was to be kept: connecting is part "
            "of every request there, and of no other server's. A run with --no-keepalive "
            "compares them.",
            said == 1 ? "s" : "");
        maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
    }
}

void findings_say_guests(struct maker *m) {
    const struct cells *c = m->v->cells;
    size_t reference = guests_reference(c);
    for (size_t w = 0; !strstr(c->mode, "close") && w < c->workload_count; w++) {
        say_closing(m, c->workloads[w]);
    }
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
