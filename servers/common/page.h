/*
 * A page template: parsed once, rendered often.
 *
 *     literal text {{name}} more
 *     {{#rows}} once for each row, {{name}} {{/rows}}
 *
 * Every value is escaped for HTML.
 */
#ifndef LOOPBENCH_SERVERS_PAGE_H
#define LOOPBENCH_SERVERS_PAGE_H

#include "common/text.h"

#define PAGE_MAX_PARTS 32

/* Literal text, then the value of a field. */
struct page_part {
    struct app_slice literal;
    int field; /* index in the names given to page_parse; -1: none */
};

struct page {
    struct page_part parts[PAGE_MAX_PARTS];
    size_t count;
    size_t rows_begin, rows_end; /* parts rendered for each row */
};

/* The value of `field` in row `row` (of the page as a whole: -1). It is copied at once. */
typedef struct app_slice page_value(void *data, int field, int row);

/* Parses `text`, which must outlive the page. Returns 0, or -1: an unknown name, an unclosed brace,
 * rows opened twice or not closed, too many parts. */
int page_parse(struct page *page, const char *text, const char *const names[], int num_names);

/* Appends the page with `rows` rows. */
void page_render(const struct page *page, struct text *out, int rows, page_value *value,
                 void *data);

#endif
