/* formats.h — the text formats of a report; each is one file. */
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include "base/err.h"
#include "report/cells.h"
#include "report/findings.h"
#include "report/plots.h"
#include "report/reproduction.h"
#include "report/verdicts.h"

/* cells.csv: one row a cell, every figure with its interval; missing figures are empty and named
 * with their reason in the last column. */
int csv_write(const struct cells *c, struct err *e);

/* report.json: the same, every round's value, all verdicts and the findings, for programs. */
int json_write(const struct cells *c, const struct verdicts *v, const struct findings *f,
               struct err *e);

/* What report.md and report.html are made of. */
struct report_parts {
    const struct cells *cells;
    const struct verdicts *verdicts;
    const struct findings *findings;
    const struct plots *plots; /* those that were made */
    const char *docs;          /* what links into the documentation begin with; NULL = none */
    const struct reproduction *reproduction; /* the run repeats another; NULL = it does not */
};

/* report.md, for a repository or a forum: plots as links. */
int markdown_write(const struct report_parts *r, struct err *e);

/* report.html, the same in one file that needs no other, plots within. */
int html_write(const struct report_parts *r, struct err *e);

#endif
