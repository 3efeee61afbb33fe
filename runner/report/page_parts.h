/* page_parts.h — the sections of a report; nobody but page.c includes it. */
#ifndef REPORT_PAGE_PARTS_H
#define REPORT_PAGE_PARTS_H

#include "report/doc.h"
#include "report/formats.h"
#include "report/verdicts_formats.h"
#include "store/manifest.h"

/* "6.71 µs [6.65, 6.80]", "≥ 125,431 [124,100, 126,000]", "n/a", as the next cell of a row */
void page_figure(struct doc *d, const struct cell *cell, enum figure_id id);

/* A heading: "Server CPU per request". */
void page_about(struct doc *d, enum verdict_about about);

/* Whether the run is to be believed, and how finely it sees. */
void page_validity(struct doc *d, const struct findings *findings);
void page_findings(struct doc *d, const struct findings *findings);
void page_cautions(struct doc *d, const struct findings *findings);

/* The plots of one workload, each with what it shows in words. */
void page_plots(struct doc *d, const struct report_parts *r, const char *workload);

void page_tables(struct doc *d, const struct cells *c, const char *workload);
void page_latency(struct doc *d, const struct cells *c);
void page_verdicts(struct doc *d, const struct verdicts *v);
void page_control(struct doc *d, const struct verdicts *v);
void page_trials(struct doc *d, const struct verdicts *v);
/* Nothing where all are ours. */
void page_guests(struct doc *d, const struct cells *c);
bool page_has_guests(const struct cells *c);
void page_missing(struct doc *d, const struct cells *c, const struct plots *p);
void page_reading(struct doc *d, const struct cells *c);
void page_machine(struct doc *d, const struct cells *c);
void page_options(struct doc *d, const struct cells *c);
void page_again(struct doc *d, const struct cells *c);

#endif
