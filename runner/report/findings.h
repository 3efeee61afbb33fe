/* findings.h — what the verdicts say, in sentences for people; made from verdicts only, so that no
 * sentence stands without a number behind it.
 *
 * Sentences are plain text with the names of the run in them as they are: whoever shows them makes
 * them inert (text.h). */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "report/verdicts.h"

enum findings_validity {
    FINDINGS_NOT_JUDGED, /* no A/A control in the run, or too few blocks to judge it */
    FINDINGS_VALIDATED,
    FINDINGS_NOT_VALIDATED,
};

enum finding_kind {
    FINDING_COST,          /* what a container or the bridge costs a target */
    FINDING_DIFFERENCE,    /* one target does better than another */
    FINDING_EQUIVALENT,    /* within the margin */
    FINDING_NO_DIFFERENCE, /* none shown, which is not the same */
    FINDING_INSUFFICIENT,  /* too few blocks to say anything */
    FINDING_CAUTION,       /* what must not be concluded */
};

struct finding {
    enum finding_kind kind;
    enum verdict_about about; /* ABOUT_COUNT: the run as a whole */
    double size;              /* orders findings of one kind: the largest log ratio in it */
    size_t nth;               /* the order they were made in */
    char *text;               /* one sentence or two */
};

struct findings {
    enum findings_validity validity;
    char validity_word[64];     /* for people: "validated in 1 of 3 cells" where not in all */
    char validity_reason[4096]; /* one sentence */
    size_t cells_judged;        /* cells of the control in which it was judged, in CPU per request,
                                   else in throughput; of those in which it was measured */
    size_t cells_measured;
    char *resolution_text;   /* what is resolved and where, in sentences; NULL unknown */
    double resolution;       /* of CPU per request: the half-width of a control cell's own
                                interval as a relative difference (aa.h); NaN unknown */
    double resolution_rate;  /* of throughput */
    double resolution_worst; /* the two of the worst cell */
    double resolution_rate_worst;
    struct finding *finding; /* by figure, differences first and the largest of them first;
                                cautions last */
    size_t count;
};

/* Sentences from verdicts. Returns 0, or -1 with *e (ERR_MACHINE: memory). */
int findings_make(struct findings *f, const struct verdicts *v, struct err *e);

void findings_release(struct findings *f);

/* "validated", "not validated", "not judged": for programs, whatever cells were judged. */
const char *findings_validity_name(enum findings_validity validity);

/* The lines of a run that has just ended, from verdicts as it was begun: whether it is validated
 * before anything else, then the table of its figures (summary.h), then findings_print. Returns 0,
 * or -1 with *e. */
int findings_print_run(FILE *out, const struct cells *c, bool utf8, struct err *e);

/* Whether the run is validated, and why; wrapped at 100 columns. */
void findings_print_validity(FILE *out, const struct findings *f, bool utf8);

/* The closing lines of a run: the first sentences, at most 8, wrapped at 100 columns. */
void findings_print(FILE *out, const struct findings *f, bool utf8);

#endif
