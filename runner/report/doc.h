/* doc.h — one report, two formats: its sections are written once, with the words below, and come
 * out as Markdown or as HTML. What a run says (names, flags, reasons) goes through doc_name and
 * doc_code only, which make it inert in either. */
#ifndef REPORT_DOC_H
#define REPORT_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "report/plots.h"
#include "report/text.h"

enum doc_block {
    DOC_SECTION,    /* a heading of level 2 */
    DOC_SUBSECTION, /* 3 */
    DOC_SMALL,      /* 4 */
    DOC_PARAGRAPH,
    DOC_LIST,
    DOC_ITEM,
    DOC_GOOD, /* a paragraph that stands out: all is well */
    DOC_BAD,  /* the same: it is not */
    DOC_COMMAND,
};

enum doc_column_kind {
    DOC_TEXT,
    DOC_NUMBER, /* set to the right */
    DOC_NAME,   /* names its row */
};

struct doc_column {
    const char *title;
    enum doc_column_kind kind;
};

/* What a row of a table is about, for programs that read the HTML. */
struct doc_row {
    const char *figure; /* of a ratio: its key; NULL in rows of figures */
    const char *workload;
    int connections;
    const char *a, *b; /* target, or the two of a ratio; b may be NULL */
    bool control;      /* of a ratio: the A/A control's */
};

/* The number behind a cell of a table, for the same; NaN = none. */
struct doc_value {
    const char *key;
    double value, lo, hi;
};

struct doc;

struct doc_ops {
    void (*begin)(struct doc *d, enum doc_block block, const char *id);
    void (*end)(struct doc *d, enum doc_block block);
    void (*say)(struct doc *d, const char *text);  /* the report's own words */
    void (*name)(struct doc *d, const char *text); /* the run's */
    void (*interval)(struct doc *d, const char *text);
    void (*strong)(struct doc *d, const char *text);
    void (*code)(struct doc *d, const char *text);
    void (*link)(struct doc *d, const char *href, const char *text);
    void (*table_begin)(struct doc *d, const char *caption);
    void (*row_begin)(struct doc *d, const struct doc_row *row);
    void (*cell_begin)(struct doc *d, const struct doc_value *value);
    void (*cell_end)(struct doc *d);
    void (*row_end)(struct doc *d);
    void (*table_end)(struct doc *d);
    void (*picture)(struct doc *d, const struct plot *p, const char *gist);
};

/* A document being written; made by doc_markdown or doc_html. */
struct doc {
    const struct doc_ops *ops;
    struct text_file t;
    const char *dir;  /* of the run, where pictures are */
    const char *docs; /* what links into the documentation begin with; NULL = it is only named */
    const struct doc_column *column; /* of the table being written */
    size_t columns, at;              /* at: cells begun in the row */
    bool in_cell;
    bool cards; /* rows of tables become cards where a page is narrow: for texts, not for figures */
    unsigned pictures;
};

/* Begins a document in memory. Returns 0, or -1 with *e. */
int doc_markdown(struct doc *d, const char *dir, const char *docs, struct err *e);
/* The same under another title than "loopbench report", which may be any text. */
int doc_markdown_titled(struct doc *d, const char *dir, const char *docs, const char *title,
                        struct err *e);

/* Writes the head of the page too; `title` is inert text, `description` one sentence or "". */
int doc_html(struct doc *d, const char *dir, const char *docs, const char *title,
             const char *description, struct err *e);

/* Closes the document, writes it to dir/name and frees it. */
int doc_end(struct doc *d, const char *name, struct err *e);
void doc_drop(struct doc *d);

/* id: what links within the page lead to, unique in it; NULL = nothing. Only headings have one. */
void doc_begin(struct doc *d, enum doc_block block, const char *id);
void doc_close(struct doc *d, enum doc_block block);

/* A heading or paragraph of the report's own words. */
void doc_whole(struct doc *d, enum doc_block block, const char *id, const char *text);

/* The report's own words, with numbers; never with a text from the run. */
void doc_say(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "[6.65, 6.80]" after its figure. */
void doc_interval(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_strong(struct doc *d, const char *text);
void doc_name(struct doc *d, const char *text);
void doc_code(struct doc *d, const char *text);

/* One word of a command, quoted for a shell; within DOC_COMMAND. */
void doc_shell(struct doc *d, const char *word);

/* The documentation's file and heading: "methodology.md#verdicts". */
void doc_see(struct doc *d, const char *page, const char *text);

void doc_table(struct doc *d, const char *caption, const struct doc_column *column, size_t n);
void doc_row(struct doc *d, const struct doc_row *row); /* row: NULL = nothing to say of it */
void doc_cell(struct doc *d);
void doc_cell_value(struct doc *d, const struct doc_value *value);
void doc_row_end(struct doc *d);
void doc_table_end(struct doc *d);

/* A plot that was drawn; gist: what it shows, in one or two plain sentences, possibly with names of
 * the run's. */
void doc_picture(struct doc *d, const struct plot *p, const char *gist);

#endif
