/* A comparison for a terminal. */
#include <math.h>
#include <string.h>

#include "report/compare.h"
#include "report/compare_parts.h"
#include "report/text.h"
#include "store/manifest.h"

#define NAME_COLUMNS 20

static void put_inert(FILE *out, const char *text, size_t columns, bool utf8) {
    char shown[4 * ALIKE_TEXT_MAX + 8];
    text_terminal(shown, sizeof shown, text, columns, utf8);
    fputs(shown, out);
}

static void print_side(FILE *out, const struct compare *c, size_t i, bool utf8) {
    const struct compare_side *side = &c->side[i];
    const struct store *s = side->cells->store;
    char buf[32];
    fprintf(out, "%s: ", side->label);
    put_inert(out, manifest_text(s->manifest, "run_id", buf, sizeof buf, "?"), 40, utf8);
    fputs(", begun ", out);
    put_inert(out, manifest_text(s->manifest, "started", buf, sizeof buf, "?"), 24, utf8);
    fprintf(out, ", %zu round%s, %s%s%s\n", side->cells->rounds,
            side->cells->rounds == 1 ? "" : "s", side->findings->validity_word,
            s->state == STORE_COMPLETE ? "" : ", not complete",
            i == 0 && !c->alike.machine[0] ? " (its figures are 100%)" : "");
}

static void print_head(FILE *out, const struct compare *c, bool utf8) {
    const bool swapped = strcmp(c->side[0].label, "B") == 0;
    char text[COMPARE_SENTENCE_MAX];
    print_side(out, c, swapped ? 1 : 0, utf8);
    print_side(out, c, swapped ? 0 : 1, utf8);
    for (size_t i = 0; i < c->alike.notes; i++) {
        fputs("differs: ", out);
        put_inert(out, c->alike.note[i], ALIKE_TEXT_MAX, utf8);
        fputc('\n', out);
    }
    compare_method_text(c, text, sizeof text);
    put_inert(out, text, sizeof text, utf8);
    fputc('\n', out);
    if (compare_same_text(c, text, sizeof text)) {
        fprintf(out, "%s\n", text);
    }
    if (compare_doubt_text(c, text, sizeof text)) {
        fprintf(out, "%s\n", text);
    }
    for (size_t i = 0; i < 2; i++) {
        if (compare_missing_targets(c, i, text, sizeof text)) {
            fprintf(out, "only in %s: ", c->side[i].label);
            put_inert(out, text, sizeof text, utf8);
            fputc('\n', out);
        }
    }
    if (compare_lacks_text(c, text, sizeof text)) {
        fputs("not compared: ", out);
        put_inert(out, text, sizeof text, utf8);
        fputc('\n', out);
    }
}

static void put_padded(FILE *out, const char *text, size_t columns, bool right, bool utf8) {
    char shown[4 * 64 + 8];
    const size_t used = text_terminal(shown, sizeof shown, text, columns, utf8);
    const int pad = used < columns ? (int)(columns - used) : 0;
    fprintf(out, "%*s%s%*s ", right ? pad : 0, "", shown, right ? 0 : pad, "");
}

static void print_row(FILE *out, const struct compare *c, const struct compare_row *r,
                      const struct compare_row *before, bool utf8) {
    const enum figure_id id = verdict_about_info(r->about)->figure;
    char value[32];
    char text[VERDICT_TEXT_MAX];
    const bool again = before && before->base == r->base;
    put_padded(out, again ? "" : c->side[0].cells->targets[r->base->target].name, NAME_COLUMNS,
               false, utf8);
    put_padded(out, verdict_about_info(r->about)->title, 15, false, utf8);
    const struct cell *const cells[] = {r->base, r->other};
    for (size_t i = 0; i < 2; i++) {
        figure_format(value, sizeof value, id, cells[i]->figure[id].s.median);
        put_padded(out, value, 10, true, utf8);
    }
    compare_row_text(r, text, sizeof text);
    fprintf(out, " %s\n", text);
}

static void print_rows(FILE *out, const struct compare *c, bool utf8) {
    const struct compare_row *before = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const struct compare_row *r = &c->row[i];
        if (!before || before->base->connections != r->base->connections ||
            strcmp(before->base->workload, r->base->workload) != 0) {
            fputc('\n', out);
            put_inert(out, r->base->workload, 40, utf8);
            fprintf(out, ", %d connection%s\n", r->base->connections,
                    r->base->connections == 1 ? "" : "s");
            put_padded(out, "target", NAME_COLUMNS, false, utf8);
            put_padded(out, "", 15, false, utf8);
            put_padded(out, c->side[0].label, 10, true, utf8);
            put_padded(out, c->side[1].label, 10, true, utf8);
            fprintf(out, " %s against %s\n", c->side[1].label, c->side[0].label);
        }
        print_row(out, c, r, before, utf8);
        before = r;
    }
}

void compare_print(FILE *out, const struct compare *c, bool utf8) {
    char text[COMPARE_SENTENCE_MAX];
    print_head(out, c, utf8);
    if (c->alike.machine[0]) {
        ratios_print(out, &c->ratios, c->side[0].cells, utf8);
    } else {
        print_rows(out, c, utf8);
        compare_count_text(c, text, sizeof text);
        fprintf(out, "\n%s\n", text);
        compare_level_text(c, text, sizeof text);
        fprintf(out, "%s\n", text);
    }
    for (size_t i = 0; i < c->limits; i++) {
        compare_limit_text(c, &c->limit[i], text, sizeof text);
        put_inert(out, text, sizeof text, utf8);
        fputc('\n', out);
    }
}
