/* A comparison as a document. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "report/compare_parts.h"
#include "report/doc_html.h"
#include "store/manifest.h"

static void put_side(struct doc *d, const struct compare *c, size_t i, const char *link) {
    const struct compare_side *side = &c->side[i];
    const json_t *m = side->cells->store->manifest;
    char buf[32];
    doc_begin(d, DOC_ITEM, NULL);
    if (link) {
        doc_say(d, "%s: ", side->label);
        d->ops->link(d, link, "the run's report");
        doc_say(d, ", ");
    } else {
        doc_say(d, "%s: ", side->label);
    }
    doc_code(d, manifest_text(m, "run_id", buf, sizeof buf, "?"));
    doc_say(d, ", begun ");
    doc_name(d, manifest_text(m, "started", buf, sizeof buf, "?"));
    doc_say(d, ", %zu round%s, %s%s%s", side->cells->rounds, side->cells->rounds == 1 ? "" : "s",
            side->findings->validity_word,
            side->cells->store->state == STORE_COMPLETE ? "" : ", not complete",
            i == 0 && !c->alike.machine[0] ? "; its figures are 100%" : "");
    doc_close(d, DOC_ITEM);
}

static void put_head(struct doc *d, const struct compare *c, const char *const links[2]) {
    const size_t first = strcmp(c->side[0].label, "B") == 0 ? 1 : 0;
    char text[COMPARE_SENTENCE_MAX];
    doc_begin(d, DOC_LIST, NULL);
    put_side(d, c, first, links ? links[first] : NULL);
    put_side(d, c, 1 - first, links ? links[1 - first] : NULL);
    for (size_t i = 0; i < 2; i++) {
        if (compare_missing_targets(c, i, text, sizeof text)) {
            doc_begin(d, DOC_ITEM, NULL);
            doc_say(d, "Only in %s: ", c->side[i].label);
            doc_name(d, text);
            doc_close(d, DOC_ITEM);
        }
    }
    if (compare_lacks_text(c, text, sizeof text)) {
        doc_begin(d, DOC_ITEM, NULL);
        doc_say(d, "Not compared: ");
        doc_name(d, text);
        doc_close(d, DOC_ITEM);
    }
    doc_close(d, DOC_LIST);
    if (compare_same_text(c, text, sizeof text)) {
        doc_whole(d, DOC_BAD, NULL, text);
    }
    if (compare_doubt_text(c, text, sizeof text)) {
        doc_whole(d, DOC_BAD, NULL, text);
    }
    compare_method_text(c, text, sizeof text);
    doc_begin(d, c->anchor_changed ? DOC_BAD : DOC_PARAGRAPH, NULL);
    doc_name(d, text);
    doc_close(d, DOC_PARAGRAPH);
}

static void put_limits(struct doc *d, const struct compare *c) {
    char text[COMPARE_SENTENCE_MAX];
    if (c->limits == 0) {
        return;
    }
    doc_whole(d, DOC_SECTION, "limits", "Limits");
    for (size_t i = 0; i < c->limits; i++) {
        const bool kept =
            c->limit[i].crossed == 0 && c->limit[i].undecided == 0 && c->limit[i].rows > 0;
        compare_limit_text(c, &c->limit[i], text, sizeof text);
        doc_begin(d, kept ? DOC_GOOD : DOC_BAD, NULL);
        doc_name(d, text);
        doc_close(d, kept ? DOC_GOOD : DOC_BAD);
    }
}

static void put_figure(struct doc *d, const struct cell *cell, enum figure_id id) {
    const struct order_summary *s = &cell->figure[id].s;
    const struct doc_value value = {figure_info(id)->key, s->median, s->lo, s->hi};
    char text[32];
    figure_format(text, sizeof text, id, s->median);
    doc_cell_value(d, &value);
    doc_say(d, "%s", text);
}

/* What changed, before the tables that say the rest. */
static void put_changes(struct doc *d, const struct compare *c) {
    char text[COMPARE_SENTENCE_MAX];
    bool open = false;
    compare_count_text(c, text, sizeof text);
    doc_whole(d, DOC_PARAGRAPH, NULL, text);
    for (size_t i = 0; i < c->count; i++) {
        const struct compare_row *r = &c->row[i];
        if (r->u.change.kind != VERDICT_HIGHER && r->u.change.kind != VERDICT_LOWER) {
            continue;
        }
        if (!open) {
            doc_begin(d, DOC_LIST, NULL);
            open = true;
        }
        compare_row_text(r, text, sizeof text);
        doc_begin(d, DOC_ITEM, NULL);
        doc_name(d, r->base->workload);
        doc_say(d, ", %d connection%s: ", r->base->connections,
                r->base->connections == 1 ? "" : "s");
        doc_name(d, c->side[0].cells->targets[r->base->target].name);
        doc_say(d, ", %s: %s", verdict_about_info(r->about)->title, text);
        doc_close(d, DOC_ITEM);
    }
    if (open) {
        doc_close(d, DOC_LIST);
    }
}

static void put_row(struct doc *d, const struct compare *c, const struct compare_row *r) {
    const struct verdict_about_info *info = verdict_about_info(r->about);
    const struct verdict *v = &r->u.change;
    const struct doc_row about = {.figure = figure_info(info->figure)->key,
                                  .workload = r->base->workload,
                                  .connections = r->base->connections,
                                  .a = c->side[0].cells->targets[r->base->target].name};
    const struct doc_value value = {"change", v->ratio, v->lo, v->hi};
    const struct doc_value measured = {"change_as_measured", r->measured, NAN, NAN};
    char text[VERDICT_TEXT_MAX];
    doc_row(d, &about);
    doc_cell(d);
    doc_name(d, about.a);
    doc_cell(d);
    doc_say(d, "%s", info->title);
    put_figure(d, r->base, info->figure);
    put_figure(d, r->other, info->figure);
    doc_cell_value(d, &measured);
    if (isfinite(r->measured)) {
        doc_say(d, "%+.1f%%", 100 * (r->measured - 1));
    } else {
        doc_say(d, "n/a");
    }
    doc_cell_value(d, &value);
    compare_row_text(r, text, sizeof text);
    doc_say(d, "%s", text);
    doc_row_end(d);
}

static void put_rows(struct doc *d, const struct compare *c) {
    char change[32];
    char text[COMPARE_SENTENCE_MAX];
    snprintf(change, sizeof change, "%s against %s", c->side[1].label, c->side[0].label);
    const struct doc_column column[] = {
        {"target", DOC_NAME},           {"figure", DOC_TEXT},        {c->side[0].label, DOC_NUMBER},
        {c->side[1].label, DOC_NUMBER}, {"as measured", DOC_NUMBER}, {change, DOC_TEXT}};
    d->cards = true;
    for (size_t i = 0; i < c->count;) {
        const struct cell *cell = c->row[i].base;
        doc_begin(d, DOC_SUBSECTION, NULL);
        doc_name(d, cell->workload);
        doc_say(d, ", %d connection%s", cell->connections, cell->connections == 1 ? "" : "s");
        doc_close(d, DOC_SUBSECTION);
        doc_table(d, "The two runs, target by target", column, 6);
        for (; i < c->count && c->row[i].base->connections == cell->connections &&
               strcmp(c->row[i].base->workload, cell->workload) == 0;
             i++) {
            put_row(d, c, &c->row[i]);
        }
        doc_table_end(d);
    }
    d->cards = false;
    compare_level_text(c, text, sizeof text);
    doc_whole(d, DOC_PARAGRAPH, NULL, text);
    doc_whole(
        d, DOC_PARAGRAPH, NULL,
        "\"As measured\" is the change without an anchor, of trimmed means, so it may differ a "
        "little from that of the medians beside it.");
}

static void put_all(struct doc *d, const struct compare *c, const char *const links[2]) {
    if (doc_is_html(d)) {
        fputs("<h1>Two runs compared</h1>\n", d->t.f);
    } else {
        doc_whole(d, DOC_SECTION, "compared", "Two runs compared");
    }
    put_head(d, c, links);
    put_limits(d, c);
    if (c->alike.machine[0]) {
        doc_whole(d, DOC_SECTION, "directions", "Directions");
        ratios_put(d, &c->ratios, c->side[0].cells, c->side[0].label, c->side[1].label);
    } else {
        doc_whole(d, DOC_SECTION, "changes", "Changes");
        put_changes(d, c);
        put_rows(d, c);
    }
    if (c->alike.notes > 0 || c->alike.machine[0]) {
        doc_whole(d, DOC_SECTION, "differs", "What differs between the runs");
        alike_put(d, &c->alike);
    }
}

int compare_write(const struct compare *c, const char *dir, const char *name, bool html,
                  const char *const links[2], struct err *e) {
    struct doc d;
    int rc =
        html ? doc_html(&d, dir, NULL, "Two runs compared", "", e) : doc_markdown(&d, dir, NULL, e);
    if (rc != 0) {
        return -1;
    }
    put_all(&d, c, links);
    return doc_end(&d, name, e);
}

int compare_write_markdown(const struct compare *c, FILE *out, struct err *e) {
    struct doc d;
    if (doc_markdown(&d, ".", NULL, e) != 0) {
        return -1;
    }
    put_all(&d, c, NULL);
    const bool whole = fflush(d.t.f) == 0 && fwrite(d.t.data, 1, d.t.len, out) == d.t.len;
    const int why = errno;
    doc_drop(&d);
    return whole ? 0
                 : err_set(e, ERR_MACHINE,
                           "cannot write the comparison to standard output: %s; " FILE_WRITE_REMEDY,
                           strerror(why));
}
