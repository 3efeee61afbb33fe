/* Documents as one HTML file that needs nothing beside it: no script, no picture, no network. */
#include "report/doc_html.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "report/svg.h"

/* Pictures larger than this are none of gnuplot's for a run that can be reported. */
#define SVG_MAX ((size_t)32 << 20)

static const char *const tags[] = {
    [DOC_SECTION] = "h2",  [DOC_SUBSECTION] = "h3", [DOC_SMALL] = "h4",
    [DOC_PARAGRAPH] = "p", [DOC_LIST] = "ul",       [DOC_ITEM] = "li",
    [DOC_GOOD] = "p",      [DOC_BAD] = "p",         [DOC_COMMAND] = "pre",
};

static void html_begin(struct doc *d, enum doc_block block, const char *id) {
    fprintf(d->t.f, "<%s", tags[block]);
    if (id) {
        fprintf(d->t.f, " id=\"%s\"", id);
    }
    if (block == DOC_GOOD || block == DOC_BAD) {
        fprintf(d->t.f, " class=\"%s\"", block == DOC_GOOD ? "good" : "bad");
    }
    fputs(block == DOC_LIST ? ">\n" : block == DOC_COMMAND ? "><code>" : ">", d->t.f);
}

static void html_end(struct doc *d, enum doc_block block) {
    fprintf(d->t.f, "%s</%s>\n", block == DOC_COMMAND ? "</code>" : "", tags[block]);
}

static void html_say(struct doc *d, const char *text) {
    text_html(d->t.f, text);
}

/* A name that is written from right to left must not turn the figures beside it. */
static void html_name(struct doc *d, const char *text) {
    bool plain = true;
    for (const char *c = text; *c && plain; c++) {
        plain = (unsigned char)*c < 0x80;
    }
    fputs(plain ? "" : "<bdi>", d->t.f);
    text_html(d->t.f, text);
    fputs(plain ? "" : "</bdi>", d->t.f);
}

static void html_interval(struct doc *d, const char *text) {
    fputs(" <span class=\"i\">", d->t.f);
    text_html(d->t.f, text);
    fputs("</span>", d->t.f);
}

static void html_strong(struct doc *d, const char *text) {
    fputs("<strong>", d->t.f);
    text_html(d->t.f, text);
    fputs("</strong>", d->t.f);
}

static void html_code(struct doc *d, const char *text) {
    fputs("<code>", d->t.f);
    text_html(d->t.f, text);
    fputs("</code>", d->t.f);
}

static void html_link(struct doc *d, const char *href, const char *text) {
    fputs("<a href=\"", d->t.f);
    text_html(d->t.f, href);
    fputs("\">", d->t.f);
    text_html(d->t.f, text);
    fputs("</a>", d->t.f);
}

static void html_table_begin(struct doc *d, const char *caption) {
    /* A box that scrolls has to be within reach of the keyboard, and then to have a name. */
    fputs("<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"", d->t.f);
    text_html(d->t.f, caption);
    fprintf(d->t.f, "\"><table%s>\n<caption>", d->cards ? " class=\"cards\"" : "");
    text_html(d->t.f, caption);
    fputs("</caption>\n<thead><tr>", d->t.f);
    for (size_t i = 0; i < d->columns; i++) {
        fprintf(d->t.f, "<th scope=\"col\"%s>",
                d->column[i].kind == DOC_NUMBER ? " class=\"n\"" : "");
        text_html(d->t.f, d->column[i].title);
        fputs("</th>", d->t.f);
    }
    fputs("</tr></thead>\n<tbody>\n", d->t.f);
}

static void put_data(FILE *f, const char *name, const char *text) {
    if (text) {
        fprintf(f, " data-%s=\"", name);
        text_html(f, text);
        fputc('"', f);
    }
}

static void html_row_begin(struct doc *d, const struct doc_row *row) {
    fputs("<tr", d->t.f);
    if (row) {
        put_data(d->t.f, "ratio", row->figure);
        put_data(d->t.f, "kind", !row->figure ? NULL : row->control ? "control" : "pair");
        put_data(d->t.f, "workload", row->workload);
        fprintf(d->t.f, " data-connections=\"%d\"", row->connections);
        put_data(d->t.f, row->b ? "a" : "target", row->a);
        put_data(d->t.f, "b", row->b);
    }
    fputc('>', d->t.f);
}

static void put_number(FILE *f, const char *name, double v) {
    if (isfinite(v)) {
        fprintf(f, " data-%s=\"%.10g\"", name, v);
    }
}

static const struct doc_column *column_now(const struct doc *d) {
    static const struct doc_column none = {"", DOC_TEXT};
    return d->at > 0 && d->at <= d->columns ? &d->column[d->at - 1] : &none;
}

static void html_cell_begin(struct doc *d, const struct doc_value *value) {
    const struct doc_column *column = column_now(d);
    fputs(column->kind == DOC_NAME ? "<th scope=\"row\"" : "<td", d->t.f);
    if (column->kind == DOC_NUMBER) {
        fputs(" class=\"n\"", d->t.f);
    }
    if (value) {
        put_data(d->t.f, "figure", value->key);
        put_number(d->t.f, "value", value->value);
        put_number(d->t.f, "lo", value->lo);
        put_number(d->t.f, "hi", value->hi);
    }
    put_data(d->t.f, "label", d->cards && column->kind != DOC_NAME ? column->title : NULL);
    fputc('>', d->t.f);
}

static void html_cell_end(struct doc *d) {
    fputs(column_now(d)->kind == DOC_NAME ? "</th>" : "</td>", d->t.f);
}

static void html_row_end(struct doc *d) {
    fputs("</tr>\n", d->t.f);
}

static void html_table_end(struct doc *d) {
    fputs("</tbody>\n</table></div>\n", d->t.f);
}

static int put_svg(struct doc *d, const struct plot *p, const char *folder,
                   const struct svg_wording *words) {
    struct err ignored;
    char path[4096];
    char name[128];
    char *svg = NULL;
    size_t len = 0;
    snprintf(name, sizeof name, "plots/%s%s.svg", folder, p->name);
    if (file_join(path, sizeof path, d->dir, name, &ignored) != 0 ||
        file_read_all(path, SVG_MAX, &svg, &len, &ignored) != 0) {
        return -1;
    }
    int rc = svg_inline(d->t.f, svg, len, words, &ignored);
    free(svg);
    return rc;
}

static void html_picture(struct doc *d, const struct plot *p, const char *gist) {
    char prefix[16];
    char small[16];
    char about[16];
    snprintf(prefix, sizeof prefix, "p%u", d->pictures);
    snprintf(small, sizeof small, "n%u", d->pictures);
    snprintf(about, sizeof about, "p%u-c", d->pictures);
    /* The page's style shows one of the two. */
    const struct svg_wording wide = {prefix, p->title, about, "wide"};
    const struct svg_wording narrow = {small, p->title, about, "narrow"};
    fputs("<figure>\n<div class=\"scroll plot\" role=\"group\" tabindex=\"0\" aria-label=\"Plot: ",
          d->t.f);
    text_html(d->t.f, p->title);
    fputs("\">\n", d->t.f);
    if (put_svg(d, p, "", &wide) != 0 || put_svg(d, p, "narrow/", &narrow) != 0) {
        fprintf(d->t.f, "<p>This plot is not in this file: plots/%s.svg is missing or odd.</p>\n",
                p->name);
    }
    fprintf(d->t.f, "</div>\n<figcaption id=\"%s\">", about);
    html_name(d, gist);
    fputs("</figcaption>\n</figure>\n", d->t.f);
}

void html_top(struct doc *d, const char *title, const struct doc_link *links, size_t n) {
    fputs("<h1>", d->t.f);
    text_html(d->t.f, title);
    fputs("</h1>\n", d->t.f);
    fputs("<nav aria-label=\"Contents\"><ul>\n", d->t.f);
    for (size_t i = 0; i < n; i++) {
        if (links[i].there) {
            fprintf(d->t.f, "<li><a href=\"#%s\">%s</a></li>\n", links[i].id, links[i].text);
        }
    }
    fputs("</ul></nav>\n", d->t.f);
}

static const struct doc_ops html_ops = {
    .begin = html_begin,
    .end = html_end,
    .say = html_say,
    .name = html_name,
    .interval = html_interval,
    .strong = html_strong,
    .code = html_code,
    .link = html_link,
    .table_begin = html_table_begin,
    .row_begin = html_row_begin,
    .cell_begin = html_cell_begin,
    .cell_end = html_cell_end,
    .row_end = html_row_end,
    .table_end = html_table_end,
    .picture = html_picture,
};

int doc_html(struct doc *d, const char *dir, const char *docs, const char *title,
             const char *description, struct err *e) {
    *d = (struct doc){.ops = &html_ops, .dir = dir, .docs = docs};
    if (text_begin(&d->t, e) != 0) {
        return -1;
    }
    html_head(d->t.f, title, description);
    return 0;
}

bool doc_is_html(const struct doc *d) {
    return d->ops == &html_ops;
}

int doc_end(struct doc *d, const char *name, struct err *e) {
    if (doc_is_html(d)) {
        html_foot(d->t.f);
    }
    return text_end(&d->t, d->dir, name, e);
}
