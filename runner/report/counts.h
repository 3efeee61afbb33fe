/* counts.h — what one request costs, shown: for a terminal, in a report, as CSV and JSON, in plots.
 */
#ifndef REPORT_COUNTS_H
#define REPORT_COUNTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/doc.h"
#include "report/plots.h"
#include "store/counts.h"

#define COUNTS_TEXT_MAX    96
#define COUNTS_DAMAGE_SIZE 256

/* "2,620", "3.00"; "n/a". */
void counts_value_text(char *out, size_t size, enum count_kind kind, double value);

/* The same with its spread: "2,620 (agree to 0.01%)", "4,120 (did not settle: 1.3% apart)". */
void counts_figure_text(char *out, size_t size, enum count_kind kind, const struct count_figure *f);

/* "less than 0.001%", "0.02%" */
void counts_percent_text(char *out, size_t size, double part);

/* Whether any record holds a figure of that kind. */
bool counts_have(const struct counts *c, enum count_kind kind);

/* What of counts.jsonl is not there any more, without a full stop; `of` = "" or whose file it is
 * ("A's "). Returns whether anything is missing. */
bool counts_damage(const struct counts *c, const char *of, char *out, size_t size);

/* A table for a terminal, a line a record, and what is missing and why. */
void counts_print(FILE *out, const struct counts *c, bool utf8);

/* One line about a record, for progress. */
void counts_line(char *out, size_t size, const struct count_record *r);

/* The section "What one request costs", with its pictures. */
void counts_page(struct doc *d, const struct counts *c, const struct plots *p);

/* DIR/counts.csv: a row a figure. */
int counts_csv_write(const struct counts *c, const char *dir, struct err *e);

/* An array of records, as counts.jsonl has them; NULL out of memory. */
json_t *counts_json(const struct counts *c);

/* Draws what instructions and system calls are made of into DIR/plots, a picture a workload. As
 * plots_make, but leaves other pictures alone. */
int counts_plots_make(struct plots *p, const struct counts *c, const char *dir,
                      const struct plots_options *o, struct err *e);

#endif
