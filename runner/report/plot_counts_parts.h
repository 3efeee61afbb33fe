/* plot_counts_parts.h — between the files that draw what requests are made of; nobody else includes
 * it. */
#ifndef REPORT_PLOT_COUNTS_PARTS_H
#define REPORT_PLOT_COUNTS_PARTS_H

#include "report/plot_layout.h"

#define SLICES_MAX 8 /* of a row; what is left is one more */

/* The slices of one plot, in the order they are drawn. */
struct slices {
    const char *name[SLICES_MAX + 1];
    const char *color[SLICES_MAX + 1];
    size_t n;
};

struct stack {
    const struct counts *c;
    const char *workload;
    enum count_kind kind;
    struct slices slices;
    const struct plot *plot;
};

/* Whether a record is a row of the plot, how many are, and the longest of them. */
bool stack_has(const struct stack *s, const struct count_record *r);
size_t stack_rows(const struct stack *s);
double stack_widest(const struct stack *s);

/* The settings that stack.gp reads, for a desk and paper, or for a narrow page. */
void stack_put_settings(FILE *f, const struct stack *s, bool narrow);

#endif
