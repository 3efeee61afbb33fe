/* svg.h — a picture of gnuplot's made part of an HTML page.
 *
 * Only what is known comes through: elements and attributes of two closed lists, values of a closed
 * set of characters, texts decoded and written anew. Anything else is left out where that changes
 * nothing (attributes, comments, descriptions) and refuses the picture where it might (elements).
 * So the page stays inert whatever the program that drew it did. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

struct svg_wording {
    const char *prefix; /* of all ids, so that they are unique in the page; [a-z0-9] */
    const char *title;  /* instead of gnuplot's */
    const char *about;  /* the id of the element that describes it */
    const char *class;  /* of the picture, for the page's style */
};

/* Writes the picture: colours as CSS variables (--ink, --faint, --rule, --band, --paper, --c0 …
 * --c6; the page defines them), ids prefixed, fonts left to the page, empty groups dropped.
 * Returns 0, or -1 with *e (ERR_USAGE) and nothing
 * written. */
int svg_inline(FILE *f, const char *svg, size_t len, const struct svg_wording *words,
               struct err *e);

/* Gives the picture in the file `path` that title, instead of gnuplot's, and its parts none.
 * Returns 0, or -1 with *e. */
int svg_retitle(const char *path, const char *title, struct err *e);

#endif
