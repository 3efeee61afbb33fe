/* conditions.h — what of the machine and of the configuration is known to hurt a run, from its
 * manifest: thresholds, reasons and remedies are those of base/quality.h, and what the manifest
 * does not say warns of nothing. */
#ifndef REPORT_CONDITIONS_H
#define REPORT_CONDITIONS_H

#include <jansson.h>
#include <stddef.h>

#define CONDITIONS_MAX 16
/* Room for condition_text. */
#define CONDITION_TEXT_MAX 900

struct condition {
    const char *name; /* "backlog" */
    char value[400];  /* what there is, in words, with its numbers */
    const char *why;
    const char *fix;
};

/* Fills `out` with those that warn, in the order of the quality table; returns their number. */
size_t conditions_read(const json_t *manifest, struct condition out[CONDITIONS_MAX]);

/* "backlog: a listen queue of 1 for 1000 connections (…); connecting all at once may overflow the
 * listen queue; remedy: raise …": one line. Its value may hold text from the manifest: whoever
 * shows it makes it inert. */
void condition_text(const struct condition *c, char *out, size_t size);

#endif
