/* doc_html.h — the frame of every HTML page: reports, and whatever else is shown beside them. */
#ifndef REPORT_DOC_HTML_H
#define REPORT_DOC_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "report/doc.h"

/* From the doctype to the beginning of <main>: language, style (light, dark, paper), a policy that
 * lets nothing be fetched or run. Neither text needs to be inert; description may be "". */
void html_head(FILE *f, const char *title, const char *description);

/* What html_head left open. */
void html_foot(FILE *f);

struct doc_link {
    const char *id, *text;
    bool there; /* the heading is in the page */
};

/* The page's own heading, and links to those below it. */
void html_top(struct doc *d, const char *title, const struct doc_link *links, size_t n);

bool doc_is_html(const struct doc *d);

#endif
