/* formats.h — the text formats of a report; each is one file. */
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include "base/err.h"
#include "report/cells.h"
#include "report/findings.h"
#include "report/plots.h"
#include "report/verdicts.h"

/* cells.csv: one row a cell, every figure with its interval; missing figures are empty and named
 * with their reason in the last column. */
int csv_write(const struct cells *c, struct err *e);

/* report.json: the same, every round's value, all verdicts and the findings, for programs. */
int json_write(const struct cells *c, const struct verdicts *v, const struct findings *f,
               struct err *e);

/* report.md, for a repository or a forum, with the plots that were made. */
int markdown_write(const struct cells *c, const struct verdicts *v, const struct findings *f,
                   const struct plots *p, struct err *e);

#endif
