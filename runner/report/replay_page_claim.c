/* One claim of a replay, in full: what it rests on, level by level. */
#include <math.h>

#include "report/doc_html.h"
#include "report/replay_metrics.h"
#include "report/replay_parts.h"

/* A verdict, as a small label where there is colour. */
void replay_page_outcome(struct doc *d, enum replay_outcome outcome) {
    static const char *const classes[] = {"open", "yes", "no"};
    const char *name = replay_outcome_name(outcome);
    if (doc_is_html(d)) {
        fprintf(d->t.f, "<span class=\"chip %s\">%s</span>", classes[outcome], name);
    } else {
        doc_strong(d, name);
    }
}

static void put_value(struct doc *d, const struct replay_evidence *ev, double v) {
    char text[48];
    doc_cell(d);
    replay_format(text, sizeof text, ev->claim->metric, v);
    doc_say(d, "%s", text);
}

/* The columns that have something in them, in order. */
struct evidence_table {
    struct doc_column column[8];
    size_t n;
    bool ratio, median, why;
};

static void add_column(struct evidence_table *t, const char *title, enum doc_column_kind kind) {
    t->column[t->n++] = (struct doc_column){title, kind};
}

static struct evidence_table table_of(const struct replay_result *r) {
    struct evidence_table t = {.ratio = r->claim->check == REPLAY_RATIO};
    for (size_t i = 0; i < r->claim->levels; i++) {
        t.why = t.why || r->evidence[i].outcome == REPLAY_CANNOT_BE_TOLD;
        t.median = t.median || isfinite(r->evidence[i].a);
    }
    add_column(&t, "connections", DOC_NUMBER);
    if (t.median) {
        add_column(&t, t.ratio ? "A" : "median", DOC_NUMBER);
    }
    if (t.median && t.ratio) {
        add_column(&t, "B", DOC_NUMBER);
    }
    add_column(&t, t.ratio ? "A / B" : "judged", DOC_NUMBER);
    add_column(&t, r->claim->check == REPLAY_SHARE ? "trials" : "rounds", DOC_NUMBER);
    add_column(&t, "verdict", DOC_TEXT);
    if (t.why) {
        add_column(&t, "why it cannot be told", DOC_TEXT);
    }
    return t;
}

static void put_evidence_row(struct doc *d, const struct evidence_table *t,
                             const struct replay_evidence *ev) {
    const struct doc_value value = {"judged", ev->value, ev->lo, ev->hi};
    char text[REPLAY_TEXT_MAX];
    doc_row(d, NULL);
    doc_cell(d);
    doc_say(d, "%d", ev->level);
    if (t->median) {
        put_value(d, ev, ev->a);
    }
    if (t->median && t->ratio) {
        put_value(d, ev, ev->b);
    }
    doc_cell_value(d, &value);
    replay_now_text(ev, text, sizeof text);
    doc_say(d, "%s", text);
    doc_cell(d);
    if (ev->planned > 0) {
        doc_say(d, "%zu of %zu", ev->valid, ev->planned);
    }
    doc_cell(d);
    replay_page_outcome(d, ev->outcome);
    if (t->why) {
        doc_cell(d);
        doc_name(d, ev->outcome == REPLAY_CANNOT_BE_TOLD ? ev->why : "");
    }
    doc_row_end(d);
}

static void put_evidence(struct doc *d, const struct replay_result *r) {
    const struct evidence_table t = table_of(r);
    doc_table(d, "What the verdict rests on", t.column, t.n);
    for (size_t i = 0; i < r->claim->levels; i++) {
        put_evidence_row(d, &t, &r->evidence[i]);
    }
    doc_table_end(d);
}

static void put_labelled(struct doc *d, const char *label, const char *text) {
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_strong(d, label);
    doc_say(d, " ");
    doc_name(d, text);
    doc_close(d, DOC_PARAGRAPH);
}

void replay_page_claim(struct doc *d, const struct replay_result *r) {
    char text[REPLAY_TEXT_MAX];
    doc_begin(d, DOC_SUBSECTION, NULL);
    doc_name(d, r->claim->title);
    doc_say(d, " ");
    replay_page_outcome(d, r->outcome);
    doc_close(d, DOC_SUBSECTION);
    put_labelled(d, "Measured then:", r->claim->figures);
    replay_subject_text(r->claim, text, sizeof text);
    put_labelled(d, "Judged now:", text);
    replay_reason_text(r, text, sizeof text);
    put_labelled(d, "Verdict:", text);
    put_labelled(d, "Why:", r->claim->why);
    put_evidence(d, r);
}
