/* formats.h — the text formats of a report; each is one file. */
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include "base/err.h"
#include "report/cells.h"
#include "report/counts.h"
#include "report/findings.h"
#include "report/plots.h"
#include "report/reproduction.h"
#include "report/verdicts.h"

/* cells.csv: one row a cell, every figure with its interval; missing figures are empty and named
 * with their reason in the last column. */
int csv_write(const struct cells *c, struct err *e);

/* report.json: the same, every round's value, all verdicts, the findings and counts where there are
 * any, for programs. */
int json_write(const struct cells *c, const struct verdicts *v, const struct findings *f,
               const struct counts *counts, struct err *e);

/* What report.md and report.html are made of. */
struct report_parts {
    const struct cells *cells;
    const struct verdicts *verdicts;
    const struct findings *findings;
    const struct plots *plots;       /* those that were made */
    const struct counts *counts;     /* of the run; may be none */
    const struct plots *count_plots; /* of those */
    const char *docs;                /* what links into the documentation begin with; NULL = none */
    const struct reproduction *reproduction; /* the run repeats another; NULL = it does not */
};

/* report.md, for a repository or a forum: plots as links. */
int markdown_write(const struct report_parts *r, struct err *e);

/* report.html, the same in one file that needs no other, plots within. */
int html_write(const struct report_parts *r, struct err *e);

/* All files of a run of counts alone: report.md, report.html, report.json, counts.csv and plots, as
 * report_write does. docs as in report_parts; plots NULL = none are wanted. */
int counts_report_write(const struct store *s, const struct counts *counts,
                        const struct plots_options *plots, const char *docs, struct err *e);

#endif
