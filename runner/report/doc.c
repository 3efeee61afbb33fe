/* What documents have in common, whatever their format. */
#include "report/doc.h"

#include <stdarg.h>

/* The longest sentence that doc_say writes at once. */
#define SAY_MAX 2048

void doc_begin(struct doc *d, enum doc_block block, const char *id) {
    d->ops->begin(d, block, id);
}

void doc_close(struct doc *d, enum doc_block block) {
    d->ops->end(d, block);
}

void doc_whole(struct doc *d, enum doc_block block, const char *id, const char *text) {
    doc_begin(d, block, id);
    d->ops->say(d, text);
    doc_close(d, block);
}

void doc_say(struct doc *d, const char *format, ...) {
    char text[SAY_MAX];
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    d->ops->say(d, text);
}

void doc_interval(struct doc *d, const char *format, ...) {
    char text[128];
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    d->ops->interval(d, text);
}

void doc_strong(struct doc *d, const char *text) {
    d->ops->strong(d, text);
}

void doc_name(struct doc *d, const char *text) {
    d->ops->name(d, text);
}

void doc_code(struct doc *d, const char *text) {
    d->ops->code(d, text);
}

void doc_shell(struct doc *d, const char *word) {
    struct text_file t;
    struct err ignored;
    if (text_begin(&t, &ignored) == 0) {
        text_shell(t.f, word);
        if (fflush(t.f) == 0) {
            d->ops->say(d, t.data);
        }
        text_drop(&t);
    }
}

void doc_see(struct doc *d, const char *page, const char *text) {
    char href[512];
    if (d->docs && snprintf(href, sizeof href, "%s/%s", d->docs, page) < (int)sizeof href) {
        d->ops->link(d, href, text);
    } else {
        d->ops->say(d, text);
    }
}

void doc_table(struct doc *d, const char *caption, const struct doc_column *column, size_t n) {
    d->column = column;
    d->columns = n;
    d->ops->table_begin(d, caption);
}

void doc_row(struct doc *d, const struct doc_row *row) {
    d->at = 0;
    d->in_cell = false;
    d->ops->row_begin(d, row);
}

void doc_cell_value(struct doc *d, const struct doc_value *value) {
    if (d->in_cell) {
        d->ops->cell_end(d);
    }
    d->at++;
    d->in_cell = true;
    d->ops->cell_begin(d, value);
}

void doc_cell(struct doc *d) {
    doc_cell_value(d, NULL);
}

void doc_row_end(struct doc *d) {
    if (d->in_cell) {
        d->ops->cell_end(d);
        d->in_cell = false;
    }
    d->ops->row_end(d);
}

void doc_table_end(struct doc *d) {
    d->ops->table_end(d);
    d->column = NULL;
    d->columns = 0;
}

void doc_picture(struct doc *d, const struct plot *p, const char *gist) {
    d->pictures++;
    d->ops->picture(d, p, gist);
}

void doc_drop(struct doc *d) {
    text_drop(&d->t);
}
