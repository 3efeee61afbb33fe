/* The ratios of two runs, and what differs between the runs, as parts of a document. */
#include "report/compare_ratios.h"
#include "report/doc.h"

static void put_ratio(struct doc *d, const struct cell_target *targets, const struct ratio_row *r) {
    const struct verdict_about_info *info = verdict_about_info(r->first->about);
    char text[VERDICT_TEXT_MAX];
    const struct doc_row about = {.figure = figure_info(info->figure)->key,
                                  .workload = r->first->a->workload,
                                  .connections = r->first->a->connections,
                                  .a = targets[r->first->a->target].name,
                                  .b = targets[r->first->b->target].name};
    doc_row(d, &about);
    doc_cell(d);
    doc_say(d, "%s, ", info->title);
    doc_name(d, about.workload);
    doc_say(d, ", %d", about.connections);
    doc_cell(d);
    doc_name(d, about.a);
    doc_say(d, " against ");
    doc_name(d, about.b);
    doc_cell(d);
    verdict_row_text(r->first, true, text, sizeof text);
    doc_say(d, "%s", text);
    doc_cell(d);
    verdict_row_text(r->second, true, text, sizeof text);
    doc_say(d, "%s", text);
    doc_cell(d);
    doc_say(d, "%s", reproduce_name(r->r.outcome));
    doc_row_end(d);
}

void ratios_put(struct doc *d, const struct ratios *r, const struct cells *cells, const char *first,
                const char *second) {
    const struct doc_column column[] = {{"figure and cell", DOC_NAME},
                                        {"targets", DOC_TEXT},
                                        {first, DOC_TEXT},
                                        {second, DOC_TEXT},
                                        {"outcome", DOC_TEXT}};
    char text[256];
    ratios_text(r, text, sizeof text);
    doc_whole(d, r->holds ? DOC_GOOD : DOC_BAD, NULL, text);
    const bool before = d->cards;
    d->cards = true;
    doc_table(d, "Each ratio in both runs", column, 5);
    for (size_t i = 0; i < r->count; i++) {
        put_ratio(d, cells->targets, &r->row[i]);
    }
    doc_table_end(d);
    d->cards = before;
}

void alike_put(struct doc *d, const struct alike *a) {
    doc_begin(d, DOC_LIST, NULL);
    for (size_t i = 0; i <= a->notes; i++) {
        const char *text = i == a->notes ? a->machine : a->note[i];
        if (*text) {
            doc_begin(d, DOC_ITEM, NULL);
            doc_name(d, text);
            doc_close(d, DOC_ITEM);
        }
    }
    doc_close(d, DOC_LIST);
}
