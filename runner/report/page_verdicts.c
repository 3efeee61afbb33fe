/* Sections of a report about verdicts: the table of all, the A/A control, trials and flags. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/quality.h"
#include "report/calibration.h"
#include "report/page_parts.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void put_ratio(struct doc *d, const struct verdict_row *r) {
    const struct verdict *v = &r->gated;
    const struct doc_value value = {"ratio", v->ratio, v->lo, v->hi};
    doc_cell_value(d, &value);
    if (!isfinite(v->ratio)) {
        doc_say(d, "n/a");
        return;
    }
    doc_say(d, "%.3f", v->ratio);
    if (isfinite(v->lo)) {
        doc_interval(d, "[%.3f, %.3f]", v->lo, v->hi);
    }
}

static void put_row(struct doc *d, const struct verdicts *v, const struct verdict_row *r) {
    char text[VERDICT_TEXT_MAX];
    const struct doc_row row = {
        .figure = figure_info(verdict_about_info(r->about)->figure)->key,
        .workload = r->a->workload,
        .connections = r->a->connections,
        .a = v->cells->targets[r->a->target].name,
        .b = v->cells->targets[r->b->target].name,
        .control = r->control,
    };
    doc_row(d, &row);
    doc_cell(d);
    doc_name(d, row.a);
    doc_say(d, " / ");
    doc_name(d, row.b);
    doc_cell(d);
    doc_name(d, row.workload);
    doc_cell(d);
    doc_say(d, "%d", row.connections);
    doc_cell(d);
    verdict_row_text(r, true, text, sizeof text);
    doc_name(d, text);
    put_ratio(d, r);
    doc_cell(d);
    doc_say(d, "%zu of %zu", r->gated.pairs.valid, r->gated.pairs.planned);
    doc_cell(d);
    if (r->differs) {
        verdict_row_text(r, false, text, sizeof text);
        doc_name(d, text);
    }
    doc_row_end(d);
}

static void put_rows(struct doc *d, const struct verdicts *v, size_t from, size_t to) {
    static const struct doc_column columns[] = {
        {"A / B", DOC_NAME},
        {"workload", DOC_TEXT},
        {"connections", DOC_NUMBER},
        {"A is, against B", DOC_TEXT},
        {"ratio", DOC_NUMBER},
        {"blocks", DOC_NUMBER},
        {"ungated, where it differs", DOC_TEXT},
    };
    const bool before = d->cards;
    d->cards = true;
    for (size_t i = from; i < to; i++) {
        if (i == from || v->row[i].about != v->row[i - 1].about) {
            if (i > from) {
                doc_table_end(d);
            }
            page_about(d, v->row[i].about);
            doc_table(d, verdict_about_info(v->row[i].about)->title, columns, COUNT(columns));
        }
        put_row(d, v, &v->row[i]);
    }
    if (from < to) {
        doc_table_end(d);
    }
    d->cards = before;
}

static void put_pooled(struct doc *d, const struct verdicts *v) {
    doc_begin(d, DOC_LIST, NULL);
    for (int i = 0; i < ABOUT_POOLED_COUNT; i++) {
        const struct aa *aa = &v->aa[i].gated;
        if (aa->judged > 0) {
            doc_begin(d, DOC_ITEM, NULL);
            doc_say(d,
                    "%s: pooled ratio over %zu cell%s %.4f, 95%% interval [%.4f, %.4f]; one "
                    "verdict of this run resolves %.1f%% (median cell), %.1f%% in the worst.",
                    verdict_about_info((enum verdict_about)i)->title, aa->judged,
                    aa->judged == 1 ? "" : "s", exp(aa->pooled.mean), exp(aa->log_lo),
                    exp(aa->log_hi), 100 * aa->resolution, 100 * aa->resolution_worst);
            doc_close(d, DOC_ITEM);
        }
    }
    doc_close(d, DOC_LIST);
}

void page_control(struct doc *d, const struct verdicts *v) {
    doc_whole(d, DOC_SECTION, "control", "A/A control");
    if (v->pair_count == v->count) {
        doc_whole(d, DOC_PARAGRAPH, NULL,
                  "This run carries no A/A control, so nothing here says how small a difference "
                  "its machine can show.");
        return;
    }
    doc_whole(
        d, DOC_PARAGRAPH, NULL,
        "The same server under two names, judged as any two targets are: on a perfect machine "
        "every ratio is 1.000. Any difference here was put there by the machine or by loopbench. "
        "A difference in any figure makes the run not validated, and so does a pooled interval "
        "of CPU per request or throughput that excludes 1; throughput that the load generator "
        "limited decides nothing.");
    if (v->aa[0].gated.judged + v->aa[1].gated.judged > 0) {
        put_pooled(d, v);
    }
    put_rows(d, v, v->pair_count, v->count);
}

void page_verdicts(struct doc *d, const struct verdicts *v) {
    doc_whole(d, DOC_SECTION, "verdicts", "All verdicts");
    if (v->pair_count == 0) {
        doc_whole(d, DOC_PARAGRAPH, NULL, "Fewer than two targets were measured in the same cell.");
        return;
    }
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d,
            "Ratio: A's value divided by B's, 20%% trimmed mean over the blocks in which both "
            "were measured, with its interval. The plan holds %zu ratios, so each interval is "
            "at 1 − 0.035/%zu = %.4f%%: all of them hold together with at least 95%%. "
            "Equivalent: the whole interval lies within %.3g%%. Fragile: the exact signed-rank "
            "test disagrees. Ungated: from the first attempt of every block, whatever its "
            "flags. All of this is in ",
            v->ratios, v->ratios, 100 * (1 - v->rule.alpha), 100 * v->rule.margin);
    doc_code(d, "verdicts.csv");
    doc_say(d, ".");
    if (calibration_is(v->cells->store)) {
        doc_say(d, " ");
        doc_code(d, "calibration.md");
        doc_say(d, " judges the handicaps' CPU per request alone, fewer ratios, so its intervals "
                   "of the same ratios are narrower.");
    }
    doc_close(d, DOC_PARAGRAPH);
    put_rows(d, v, 0, v->pair_count);
}

static size_t count_flag(const struct store *s, const char *word) {
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        n += record_has_flag(&s->records[i], word);
    }
    return n;
}

/* A threshold as a person reads it: "above 2%", "below 95%", "more than 3% either way". */
static void put_threshold(struct doc *d, const struct quality_check *c, double threshold) {
    const char *side = c->side == QUALITY_BELOW ? "below" : "above";
    /* A number of what was just named needs no unit. */
    const bool bare = strcmp(c->unit, "count") == 0;
    doc_say(d, "%s%s %g%s%s", c->side == QUALITY_ABOVE_ABS ? "either way " : "", side, threshold,
            bare || *c->unit == '%' ? "" : " ", bare ? "" : c->unit);
}

static void put_flag(struct doc *d, const struct quality_check *c, const char *word, size_t n,
                     double threshold, bool unknown) {
    doc_row(d, NULL);
    doc_cell(d);
    doc_say(d, "%s", word);
    doc_cell(d);
    doc_say(d, "%zu", n);
    doc_cell(d);
    doc_say(d, "%s: %s", c->what, unknown ? "unknown; invalid if " : "");
    put_threshold(d, c, threshold);
    doc_cell(d);
    doc_say(d, "%s", unknown ? "what is unknown rules nothing out" : c->why);
    doc_cell(d);
    doc_name(d, unknown ? "name the target's process (process =), or measure longer" : c->fix);
    doc_row_end(d);
}

static void put_flags(struct doc *d, const struct store *s) {
    static const struct doc_column columns[] = {{"flag", DOC_NAME},
                                                {"trials", DOC_NUMBER},
                                                {"when", DOC_TEXT},
                                                {"why it matters", DOC_TEXT},
                                                {"remedy", DOC_TEXT}};
    const bool before = d->cards;
    bool begun = false;
    d->cards = true;
    for (int id = 0; id < QUALITY_COUNT; id++) {
        const struct quality_check *c = quality_check((enum quality_id)id);
        for (int level = QUALITY_WARN; level <= QUALITY_UNKNOWN; level++) {
            char word[64];
            snprintf(word, sizeof word, "%s-%s", c->name,
                     quality_level_name((enum quality_level)level));
            const size_t n = count_flag(s, word);
            if (n == 0) {
                continue;
            }
            if (!begun) {
                doc_table(d, "Flags of trials", columns, COUNT(columns));
                begun = true;
            }
            put_flag(d, c, word, n, level == QUALITY_WARN ? c->warn : c->invalid,
                     level == QUALITY_UNKNOWN);
        }
    }
    if (begun) {
        doc_table_end(d);
    } else {
        doc_whole(d, DOC_PARAGRAPH, NULL, "No trial carries a flag of the machine's.");
    }
    d->cards = before;
}

void page_trials(struct doc *d, const struct verdicts *v) {
    static const struct doc_column columns[] = {
        {"target", DOC_NAME},
        {"trials that count", DOC_NUMBER},
        {"failed", DOC_NUMBER},
        {"invalid", DOC_NUMBER},
        {"a signal unknown", DOC_NUMBER},
        {"replaced by a later attempt", DOC_NUMBER},
        {"invalid among those", DOC_NUMBER},
    };
    const struct cells *c = v->cells;
    doc_whole(d, DOC_SECTION, "trials", "Disturbed trials");
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(
        d,
        "Trials are judged by signals that do not look at their result. "
        "A block with an invalid trial is run again, at most twice and as long as the run's "
        "allowance for that lasts, and then kept and flagged: "
        "%zu of %zu blocks run again, %zu with an invalid trial left all the same. A pair's "
        "verdict leaves out the blocks in which a trial of its own is invalid. A signal that could "
        "not be read, or is too little to judge in so short a window, is unknown: neither good "
        "nor bad. If it is about the whole machine, could not be read, and was bad in another "
        "trial of the same block, the trial counts as invalid.",
        c->repeated, v->blocks, v->blocks_invalid);
    doc_close(d, DOC_PARAGRAPH);
    doc_table(d, "Trials by target", columns, COUNT(columns));
    for (size_t t = 0; t < c->target_count; t++) {
        const struct verdict_trials *n = &v->trials[t];
        const size_t counts[] = {n->counted, n->failed,   n->invalid,
                                 n->unknown, n->replaced, n->replaced_invalid};
        doc_row(d, NULL);
        doc_cell(d);
        doc_name(d, c->targets[t].name);
        for (size_t i = 0; i < COUNT(counts); i++) {
            doc_cell(d);
            doc_say(d, "%zu", counts[i]);
        }
        doc_row_end(d);
    }
    doc_table_end(d);
    put_flags(d, c->store);
}
