/* Documents as Markdown, for a repository or a forum. */
#include "report/doc.h"

static void md_begin(struct doc *d, enum doc_block block, const char *id) {
    static const char *const marks[] = {
        [DOC_SECTION] = "## ", [DOC_SUBSECTION] = "### ", [DOC_SMALL] = "**",
        [DOC_PARAGRAPH] = "",  [DOC_LIST] = "",           [DOC_ITEM] = "- ",
        [DOC_GOOD] = "",       [DOC_BAD] = "> ",          [DOC_COMMAND] = "    ",
    };
    (void)id;
    fputs(marks[block], d->t.f);
}

static void md_end(struct doc *d, enum doc_block block) {
    fputs(block == DOC_SMALL                       ? "**\n\n"
          : block == DOC_ITEM || block == DOC_LIST ? "\n"
                                                   : "\n\n",
          d->t.f);
}

static void md_say(struct doc *d, const char *text) {
    fputs(text, d->t.f);
}

static void md_name(struct doc *d, const char *text) {
    text_markdown(d->t.f, text);
}

static void md_interval(struct doc *d, const char *text) {
    fprintf(d->t.f, " %s", text);
}

static void md_strong(struct doc *d, const char *text) {
    fprintf(d->t.f, "**%s**", text);
}

static void md_code(struct doc *d, const char *text) {
    text_code(d->t.f, text);
}

static void md_link(struct doc *d, const char *href, const char *text) {
    fprintf(d->t.f, "[%s](%s)", text, href);
}

static void md_table_begin(struct doc *d, const char *caption) {
    (void)caption;
    for (size_t i = 0; i < d->columns; i++) {
        fprintf(d->t.f, "| %s ", d->column[i].title);
    }
    fputs("|\n", d->t.f);
    for (size_t i = 0; i < d->columns; i++) {
        fputs(d->column[i].kind == DOC_NUMBER ? "|--:" : "|---", d->t.f);
    }
    fputs("|\n", d->t.f);
}

static void md_row_begin(struct doc *d, const struct doc_row *row) {
    (void)row;
    fputs("|", d->t.f);
}

static void md_cell_begin(struct doc *d, const struct doc_value *value) {
    (void)value;
    fputc(' ', d->t.f);
}

static void md_cell_end(struct doc *d) {
    fputs(" |", d->t.f);
}

static void md_row_end(struct doc *d) {
    fputc('\n', d->t.f);
}

static void md_picture(struct doc *d, const struct plot *p, const char *gist) {
    (void)gist;
    fputs("![", d->t.f);
    text_markdown(d->t.f, p->title);
    fprintf(d->t.f, "](plots/%s.svg)\n\n", p->name);
}

int doc_markdown(struct doc *d, const char *dir, const char *docs, struct err *e) {
    return doc_markdown_titled(d, dir, docs, "loopbench report", e);
}

int doc_markdown_titled(struct doc *d, const char *dir, const char *docs, const char *title,
                        struct err *e) {
    static const struct doc_ops ops = {
        .begin = md_begin,
        .end = md_end,
        .say = md_say,
        .name = md_name,
        .interval = md_interval,
        .strong = md_strong,
        .code = md_code,
        .link = md_link,
        .table_begin = md_table_begin,
        .row_begin = md_row_begin,
        .cell_begin = md_cell_begin,
        .cell_end = md_cell_end,
        .row_end = md_row_end,
        .table_end = md_row_end,
        .picture = md_picture,
    };
    *d = (struct doc){.ops = &ops, .dir = dir, .docs = docs};
    if (text_begin(&d->t, e) != 0) {
        return -1;
    }
    fputs("# ", d->t.f);
    text_markdown(d->t.f, title);
    fputs("\n\n", d->t.f);
    return 0;
}
