/* findings.h — what the statistics conclude, ready to be shown; made from verdicts only. */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

enum findings_validity {
    FINDINGS_NOT_JUDGED, /* no A/A control in the run, or too few rounds to judge it */
    FINDINGS_VALIDATED,
    FINDINGS_NOT_VALIDATED,
};

struct findings {
    enum findings_validity validity;
    char validity_reason[256]; /* one sentence */
    double resolution;         /* half-width of the pooled A/A interval as a ratio; NaN unknown */
    char **sentence;           /* plain text, each with a number in it */
    size_t count;
};

#endif
