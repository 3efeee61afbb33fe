/* compare_ratios.h — the ratios of two targets, in two runs: is what one run said said by the
 * other? Sizes on one machine, directions on two (stats/reproduce.h). */
#ifndef REPORT_COMPARE_RATIOS_H
#define REPORT_COMPARE_RATIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "report/compare_alike.h"
#include "report/verdicts.h"
#include "stats/reproduce.h"

#define RATIOS_OUTCOMES (REPRODUCE_CONTRADICTED + 1)

struct ratio_row {
    const struct verdict_row *first, *second;
    struct reproduced r;
};

struct ratios {
    bool by_direction;
    struct ratio_row *row; /* in the order of the first run's rows */
    size_t count;
    size_t of[RATIOS_OUTCOMES]; /* how many came out so */
    /* Of sizes, the worst that came out: reversed, not reproduced, consistent but imprecise,
     * reproduced. Of directions, contradicted if any is, else confirmed if any is, else
     * inconclusive. Unknown when nothing could be judged; single ratios that could not be hold
     * nothing up. */
    enum reproduce_outcome overall;
    bool holds; /* reproduced, consistent or confirmed overall */
};

/* Matches the ratios of two runs by figure, cell and targets, and judges them. `about` chooses
 * figures, NULL = all. Points into both. Returns 0 or -1 with *e (ERR_MACHINE: memory). */
int ratios_make(struct ratios *r, const struct verdicts *first, const struct verdicts *second,
                bool by_direction, const bool about[ABOUT_COUNT], struct err *e);

void ratios_release(struct ratios *r);

/* Sets overall and holds from the counts `of`. */
void ratios_conclude(struct ratios *r);

/* "reproduced: 14 reproduced, 1 consistent, imprecise, 3 unknown". Room: 256. */
void ratios_text(const struct ratios *r, char *out, size_t size);

/* A table for a terminal, then the text. */
void ratios_print(FILE *out, const struct ratios *r, const struct cells *cells, bool utf8);

struct doc;

/* What ratios_text says, and a table of the ratios; `first` and `second` head the runs' columns. */
void ratios_put(struct doc *d, const struct ratios *r, const struct cells *cells, const char *first,
                const char *second);

/* A list of what differs between two runs; there is something. */
void alike_put(struct doc *d, const struct alike *a);

#endif
