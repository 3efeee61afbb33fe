/* Sections of report.md about verdicts: the table of all, the A/A control, trials and flags. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/quality.h"
#include "report/text.h"
#include "report/verdicts_formats.h"

void markdown_about(FILE *f, enum verdict_about about) {
    const char *title = figure_info(verdict_about_info(about)->figure)->title;
    /* "p50" stays as it is. */
    const bool word = isalpha((unsigned char)title[1]) != 0;
    fprintf(f, "**%c%s**\n\n", word ? toupper((unsigned char)*title) : *title, title + 1);
}

static void put_ratio(FILE *f, const struct verdict *v) {
    if (!isfinite(v->ratio)) {
        fputs("n/a", f);
        return;
    }
    fprintf(f, "%.3f", v->ratio);
    if (isfinite(v->lo)) {
        fprintf(f, " [%.3f, %.3f]", v->lo, v->hi);
    }
}

static void put_row(FILE *f, const struct verdicts *v, const struct verdict_row *r) {
    char text[VERDICT_TEXT_MAX];
    fputs("| ", f);
    text_markdown(f, r->a->workload);
    fprintf(f, " | %d | ", r->a->connections);
    text_markdown(f, v->cells->targets[r->a->target].name);
    fputs(" / ", f);
    text_markdown(f, v->cells->targets[r->b->target].name);
    fputs(" | ", f);
    put_ratio(f, &r->gated);
    fprintf(f, " | %zu of %zu | ", r->gated.pairs.valid, r->gated.pairs.planned);
    verdict_row_text(r, true, text, sizeof text);
    text_markdown(f, text);
    fputs(" | ", f);
    if (r->differs) {
        verdict_row_text(r, false, text, sizeof text);
        text_markdown(f, text);
    }
    fputs(" |\n", f);
}

static void put_rows(FILE *f, const struct verdicts *v, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (i == from || v->row[i].about != v->row[i - 1].about) {
            fputs(i == from ? "" : "\n", f);
            markdown_about(f, v->row[i].about);
            fputs("| workload | connections | A / B | ratio | blocks | A is, against "
                  "B | ungated, where it differs |\n|---|--:|---|--:|--:|---|---|\n",
                  f);
        }
        put_row(f, v, &v->row[i]);
    }
    fputs(from < to ? "\n" : "", f);
}

static void put_control(FILE *f, const struct verdicts *v) {
    fputs("## A/A control\n\n", f);
    if (v->pair_count == v->count) {
        fputs("This run carries no A/A control, so nothing here says how small a difference its "
              "machine can show.\n\n",
              f);
        return;
    }
    fputs("The same server under two names, judged as any two targets are: on a perfect machine "
          "every ratio is 1.000. Any difference here was put there by the machine or by loopbench. "
          "CPU per request and throughput decide whether the run is validated; throughput that "
          "the load generator limited does not.\n\n",
          f);
    for (int i = 0; i < ABOUT_AA_COUNT; i++) {
        const struct aa *aa = &v->aa[i].gated;
        if (aa->judged > 0) {
            fprintf(f,
                    "- %s: pooled ratio over %zu cell%s %.4f, 95%% interval [%.4f, %.4f]; one "
                    "verdict of this run resolves %.1f%% (median cell), %.1f%% in the worst.\n",
                    verdict_about_info((enum verdict_about)i)->title, aa->judged,
                    aa->judged == 1 ? "" : "s", exp(aa->pooled.mean), exp(aa->log_lo),
                    exp(aa->log_hi), 100 * aa->resolution, 100 * aa->resolution_worst);
        }
    }
    fputc('\n', f);
    put_rows(f, v, v->pair_count, v->count);
}

void markdown_verdicts(FILE *f, const struct verdicts *v) {
    fputs("## All verdicts\n\n", f);
    if (v->pair_count == 0) {
        fputs("Fewer than two targets were measured in the same cell.\n\n", f);
    } else {
        fprintf(f,
                "Ratio: A's value divided by B's, 20%% trimmed mean over the blocks in which both "
                "were measured, with its interval. The plan holds %zu ratios, so each interval is "
                "at 1 − 0.035/%zu = %.4f%%: all of them hold together with at least 95%%. "
                "Equivalent: the whole interval lies within %.3g%%. Fragile: the exact signed-rank "
                "test disagrees. Ungated: from the first attempt of every block, whatever its "
                "flags. All of this is in `verdicts.csv`.\n\n",
                v->ratios, v->ratios, 100 * (1 - v->rule.alpha), 100 * v->rule.margin);
        put_rows(f, v, 0, v->pair_count);
    }
    put_control(f, v);
}

/* Is the word among a trial's flags? */
static bool has_word(const char *flags, const char *word) {
    const size_t len = strlen(word);
    for (const char *at = flags; (at = strstr(at, word)); at += len) {
        if ((at == flags || at[-1] == ' ') && (at[len] == '\0' || at[len] == ' ')) {
            return true;
        }
    }
    return false;
}

static size_t count_flag(const struct store *s, const char *word) {
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        n += has_word(s->records[i].flags, word);
    }
    return n;
}

/* A threshold as a person reads it: "above 2%", "below 95%", "more than 3% either way". */
static void put_threshold(FILE *f, const struct quality_check *c, double threshold) {
    const char *side = c->side == QUALITY_BELOW ? "below" : "above";
    fprintf(f, "%s%s %g%s%s", c->side == QUALITY_ABOVE_ABS ? "either way " : "", side, threshold,
            *c->unit == '%' ? "" : " ", c->unit);
}

static void put_flags(FILE *f, const struct store *s) {
    bool begun = false;
    for (int id = 0; id < QUALITY_COUNT; id++) {
        const struct quality_check *c = quality_check((enum quality_id)id);
        for (int level = QUALITY_WARN; level <= QUALITY_INVALID; level++) {
            char word[64];
            snprintf(word, sizeof word, "%s-%s", c->name,
                     quality_level_name((enum quality_level)level));
            const size_t n = count_flag(s, word);
            if (n == 0) {
                continue;
            }
            if (!begun) {
                fputs("| flag | trials | when | why it matters | remedy |\n|---|--:|---|---|---|\n",
                      f);
                begun = true;
            }
            fprintf(f, "| %s | %zu | %s: ", word, n, c->what);
            put_threshold(f, c, level == QUALITY_INVALID ? c->invalid : c->warn);
            fprintf(f, " | %s | ", c->why);
            text_markdown(f, c->fix);
            fputs(" |\n", f);
        }
    }
    fputs(begun ? "\n" : "No trial carries a flag of the machine's.\n\n", f);
}

void markdown_trials(FILE *f, const struct verdicts *v) {
    const struct cells *c = v->cells;
    fprintf(f,
            "## Disturbed trials\n\nTrials are judged by signals that do not look at their result. "
            "A block with an invalid trial is run again, at most twice and as long as the run's "
            "allowance for that lasts, and then kept and flagged: "
            "%zu of %zu blocks were run again, %zu hold an invalid trial all the same. A pair's "
            "verdict leaves out the blocks in which a trial of its own is invalid.\n\n"
            "| target | trials that count | failed | invalid | replaced by a later attempt | "
            "invalid among those |\n|---|--:|--:|--:|--:|--:|\n",
            c->repeated, v->blocks, v->blocks_invalid);
    for (size_t t = 0; t < c->target_count; t++) {
        const struct verdict_trials *n = &v->trials[t];
        fputs("| ", f);
        text_markdown(f, c->targets[t].name);
        fprintf(f, " | %zu | %zu | %zu | %zu | %zu |\n", n->counted, n->failed, n->invalid,
                n->replaced, n->replaced_invalid);
    }
    fputc('\n', f);
    put_flags(f, c->store);
}
