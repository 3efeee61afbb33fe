/* The page of a replay: the claims first, then what was measured for them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "report/doc_html.h"
#include "report/page_parts.h"
#include "report/replay_metrics.h"
#include "report/replay_parts.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- the head */

static void put_summary(struct doc *d, const struct replay_judged *j) {
    const struct replay *r = j->replay;
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_name(d, r->source);
    if (r->year > 0) {
        doc_say(d, " (%d)", (int)r->year);
    }
    doc_say(d, ". ");
    doc_name(d, r->summary);
    doc_close(d, DOC_PARAGRAPH);
    doc_begin(d, DOC_LIST, NULL);
    for (int i = REPLAY_HOLDS; i <= REPLAY_DOES_NOT_HOLD + 1; i++) {
        const enum replay_outcome outcome =
            i > REPLAY_DOES_NOT_HOLD ? REPLAY_CANNOT_BE_TOLD : (enum replay_outcome)i;
        doc_begin(d, DOC_ITEM, NULL);
        replay_page_outcome(d, outcome);
        doc_say(d, " %zu of %zu claims", j->count[outcome], r->claims);
        doc_close(d, DOC_ITEM);
    }
    doc_close(d, DOC_LIST);
}

/* ---- the table of claims */

static bool all_untold(const struct replay_result *r) {
    for (size_t i = 0; i < r->claim->levels; i++) {
        if (isfinite(r->evidence[i].value)) {
            return false;
        }
    }
    return true;
}

static void put_now(struct doc *d, const struct replay_result *r) {
    char text[REPLAY_TEXT_MAX];
    if (all_untold(r)) {
        doc_say(d, "n/a");
        return;
    }
    for (size_t i = 0; i < r->claim->levels; i++) {
        replay_now_text(&r->evidence[i], text, sizeof text);
        if (doc_is_html(d)) {
            fputs("<br>", d->t.f); /* a line for each level */
        } else if (i > 0) {
            doc_say(d, "; ");
        }
        if (r->claim->levels > 1) {
            doc_say(d, "%d: ", r->evidence[i].level);
        }
        doc_say(d, "%s", text);
    }
}

static void put_claims(struct doc *d, const struct replay_judged *j) {
    static const struct doc_column columns[] = {{"claim", DOC_NAME},
                                                {"verdict", DOC_TEXT},
                                                {"measured then", DOC_TEXT},
                                                {"measured now, with its interval", DOC_TEXT}};
    char text[REPLAY_TEXT_MAX];
    doc_whole(d, DOC_SECTION, "claims", "The claims");
    if (j->replay->claims == 0) {
        doc_whole(d, DOC_PARAGRAPH, NULL, "The replay's file names none.");
        return;
    }
    doc_table(d, "What was claimed, measured then and now", columns, COUNT(columns));
    for (size_t i = 0; i < j->replay->claims; i++) {
        const struct replay_result *r = &j->result[i];
        doc_row(d, NULL);
        doc_cell(d);
        doc_name(d, r->claim->title);
        doc_cell(d);
        replay_page_outcome(d, r->outcome);
        doc_cell(d);
        doc_name(d, r->claim->figures);
        doc_cell(d);
        replay_subject_text(r->claim, text, sizeof text);
        doc_name(d, text);
        doc_say(d, ": ");
        put_now(d, r);
        doc_row_end(d);
    }
    doc_table_end(d);
}

/* ---- the parts */

static void put_left_out(struct doc *d, const json_t *list, const char *key) {
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) {
        const char *name = json_string_value(json_object_get(one, key));
        const char *reason = json_string_value(json_object_get(one, "reason"));
        const char *package = json_string_value(json_object_get(one, "package"));
        doc_begin(d, DOC_ITEM, NULL);
        doc_name(d, name ? name : "?");
        doc_say(d, " was left out: ");
        doc_name(d, reason ? reason : "no reason is recorded");
        if (package) {
            doc_say(d, "; ");
            doc_code(d, "apt-get install");
            doc_say(d, " ");
            doc_name(d, package);
        }
        doc_close(d, DOC_ITEM);
    }
}

static void put_part(struct doc *d, const struct replay_judged *j, size_t i) {
    const struct replay_part *p = &j->replay->part[i];
    const struct replay_run *run = &j->run[i];
    char href[128];
    char path[PATH_MAX];
    struct err ignored;
    doc_begin(d, DOC_SUBSECTION, NULL);
    doc_name(d, p->title ? p->title : p->name);
    doc_close(d, DOC_SUBSECTION);
    doc_begin(d, DOC_PARAGRAPH, NULL);
    if (p->about) {
        doc_name(d, p->about);
        doc_say(d, " ");
    }
    if (!run->there) {
        doc_name(d, run->missing);
        doc_say(d, ".");
    } else {
        const struct cells *c = &run->reading.cells;
        doc_say(d, "%zu round%s; %s; mode ", c->rounds, c->rounds == 1 ? "" : "s",
                run->reading.findings.validity_word);
        doc_code(d, *c->mode ? c->mode : "closed loop");
        doc_say(d, "%s: ", run->reading.store.state == STORE_COMPLETE ? "" : "; not complete");
        snprintf(href, sizeof href, "%s/report.html", p->name);
        if (file_join(path, sizeof path, d->dir, href, &ignored) == 0 && file_exists(path)) {
            d->ops->link(d, href, "the whole report of this part");
            doc_say(d, ".");
        } else {
            doc_say(d, "its report was not written; ");
            doc_code(d, "loopbench report");
            doc_say(d, " writes it.");
        }
    }
    doc_close(d, DOC_PARAGRAPH);
    const json_t *here = replay_state_left_out(j->state, p->name);
    const json_t *there =
        run->there ? json_object_get(run->reading.store.manifest, "left_out") : NULL;
    if (json_array_size(here) + json_array_size(there) > 0) {
        doc_begin(d, DOC_LIST, NULL);
        put_left_out(d, here, "target");
        put_left_out(d, there, "name");
        doc_close(d, DOC_LIST);
    }
    for (size_t w = 0; run->there && w < run->reading.cells.workload_count; w++) {
        if (run->reading.cells.workload_count > 1) {
            doc_begin(d, DOC_SMALL, NULL);
            doc_say(d, "Workload ");
            doc_name(d, run->reading.cells.workloads[w]);
            doc_close(d, DOC_SMALL);
        }
        page_tables(d, &run->reading.cells, run->reading.cells.workloads[w]);
    }
}

static void put_parts(struct doc *d, const struct replay_judged *j) {
    doc_whole(d, DOC_SECTION, "repeated", "What was repeated, and what came out");
    for (size_t i = 0; i < j->replay->parts; i++) {
        put_part(d, j, i);
    }
}

static void put_differs(struct doc *d, const struct replay *r) {
    doc_whole(d, DOC_SECTION, "differs", "How this replay differs");
    doc_begin(d, DOC_LIST, NULL);
    if (r->omits) {
        doc_begin(d, DOC_ITEM, NULL);
        doc_name(d, r->omits);
        doc_close(d, DOC_ITEM);
    }
    doc_whole(d, DOC_ITEM, NULL,
              "Another machine, other versions, another load generator: figures are not expected "
              "to come out again, conclusions may.");
    doc_whole(d, DOC_ITEM, NULL,
              "Every cell is measured in every round on a fresh process, in an order drawn by lot, "
              "after a warm-up that is discarded; the original measured one after the other.");
    doc_close(d, DOC_LIST);
}

static void put_method(struct doc *d, const struct replay_judged *j) {
    doc_whole(d, DOC_SECTION, "verdicts", "How verdicts are made");
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d,
            "A claim holds when the whole interval of what was measured lies within what it says, "
            "does not hold when all of it lies outside, and cannot be told otherwise, or where too "
            "few rounds are valid, a target is missing, or the load generator was the limit. Two "
            "targets in the same blocks are judged by the verdict of the part's own run. All other "
            "intervals are at 1 − 0.035/%zu, for the %zu comparisons that the replay's file asks "
            "for. A claim at several numbers of connections holds where all of them do. A single "
            "round decides nothing.",
            j->comparisons > 0 ? j->comparisons : 1, j->comparisons);
    doc_close(d, DOC_PARAGRAPH);
}

void replay_page(struct doc *d, const struct replay_judged *j) {
    put_summary(d, j);
    put_claims(d, j);
    if (j->replay->claims > 0) {
        doc_whole(d, DOC_SECTION, "one-by-one", "Claim by claim");
    }
    for (size_t i = 0; i < j->replay->claims; i++) {
        replay_page_claim(d, &j->result[i]);
    }
    put_parts(d, j);
    put_differs(d, j->replay);
    put_method(d, j);
}
