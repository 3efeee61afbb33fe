/* svg_parts.h — between the files that inline pictures; nobody else includes it. */
#ifndef REPORT_SVG_PARTS_H
#define REPORT_SVG_PARTS_H

#include <stddef.h>
#include <stdio.h>

/* Writes one attribute as the page wants it, or nothing. */
void svg_put_attribute(FILE *f, const char *name, size_t name_len, const char *value,
                       size_t value_len, const char *prefix);

#endif
