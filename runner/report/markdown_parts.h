/* markdown_parts.h — between the files that write report.md; nobody else includes it. */
#ifndef REPORT_MARKDOWN_PARTS_H
#define REPORT_MARKDOWN_PARTS_H

#include "report/formats.h"
#include "report/text.h"
#include "report/verdicts_formats.h"
#include "store/manifest.h"

/* "6.71 µs [6.65, 6.80]", "≥ 125,431 [124,100, 126,000]", "n/a" */
void markdown_figure(FILE *f, const struct cell *cell, enum figure_id id);

/* Whether the run is to be believed, and how finely it sees. */
void markdown_validity(FILE *f, const struct findings *findings);
void markdown_findings(FILE *f, const struct findings *findings);

void markdown_tables(FILE *f, const struct cells *c, const char *workload);
void markdown_latency(FILE *f, const struct cells *c);
void markdown_reading(FILE *f, const struct cells *c);
void markdown_missing(FILE *f, const struct cells *c, const struct plots *p);
void markdown_machine(FILE *f, const struct cells *c);
void markdown_again(FILE *f, const struct cells *c);

#endif
