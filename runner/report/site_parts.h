/* site_parts.h — between the files that write a site; nobody else includes it. */
#ifndef REPORT_SITE_PARTS_H
#define REPORT_SITE_PARTS_H

#include <jansson.h>
#include <stddef.h>

#include "report/findings.h"
#include "report/reproduction.h"
#include "report/site.h"

#define SITE_NAME_MAX 64

/* One run's page. */
struct site_run {
    char name[SITE_NAME_MAX]; /* of its folder below runs/; nothing but letters, digits, . _ - */
    json_t *manifest;         /* owned */
    enum store_state state;
    char validity[64]; /* in words; "" of counts */
    size_t trials;
    const char *kind; /* the manifest's, "" of an ordinary run; points into it */
    bool counts;      /* it holds counts and no trials */
    bool repeats;     /* an earlier run, as `reproduce` does */
    struct reproduction reproduction;
};

struct site_comparison {
    char name[2 * SITE_NAME_MAX + 8]; /* of its files below comparisons/, without the ending */
    size_t first, second;
    size_t changes, rows; /* verdicts higher or lower, of all */
};

struct site {
    const struct site_options *o;
    char dir[4096]; /* where it is being written */
    struct site_run *run;
    size_t *order; /* of the runs, by their beginning */
    struct site_comparison *comparison;
    size_t comparisons;
};

/* Copies a run's data below dir/runs/ and makes its report there. */
int site_add_run(struct site *s, size_t i, struct err *e);

/* Compares as the options ask. */
int site_add_comparisons(struct site *s, struct err *e);

/* index.html, from what was added. */
int site_write_index(const struct site *s, struct err *e);

/* The names of the data in a run's folder that index and pages offer; ended by NULL. */
extern const char *const site_data[];

#endif
