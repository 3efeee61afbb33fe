/* reading.h — a run read and judged, for commands that show it. */
#ifndef REPORT_READING_H
#define REPORT_READING_H

#include "base/err.h"
#include "report/findings.h"

struct reading {
    struct store store;
    struct cells cells;
    struct verdicts verdicts; /* as the run was begun */
    struct findings findings;
};

/* Its parts point at each other, so *r stays where it is. Returns 0, or -1 with *e. */
int reading_open(struct reading *r, const char *dir, struct err *e);
void reading_release(struct reading *r);

#endif
