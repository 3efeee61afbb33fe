/* site.h — a static site of runs: an index, a page for each run with its data, a page for each
 * comparison. Everything is made again from the runs' raw data, so that a page shows what this
 * version says and nothing that a folder brought along; all links are relative.
 *
 *   index.html
 *   runs/NAME/report.html, plots/, the data and every other file of a report
 *   comparisons/A-B.html, A-B.md */
#ifndef REPORT_SITE_H
#define REPORT_SITE_H

#include <stdio.h>

#include "base/err.h"
#include "report/compare_alike.h"

/* In every site, so that only a site is ever replaced. */
#define SITE_MARK ".loopbench-site"

struct site_pair {
    size_t first, second; /* of the runs */
};

struct site_options {
    const char *out;
    const char *const *run; /* folders */
    size_t runs;
    const struct site_pair *pair; /* to compare; what is unlike is an error */
    size_t pairs;                 /* 0 = each with the one begun before it, where they are alike */
    const char *plots;            /* as report_options has it */
    alike_default fallback;
    FILE *notes; /* a line for each thing worth saying; NULL = none */
};

/* Writes the site beside `out` and puts it in its place in one step; a site that was there is
 * replaced, anything else is refused (ERR_USAGE). On failure `out` is as it was. Returns the number
 * of comparisons, or -1 with *e. */
int site_write(const struct site_options *o, struct err *e);

#endif
