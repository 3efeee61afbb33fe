#include "report/replay.h"

#include <math.h>
#include <string.h>

#include "report/doc_html.h"
#include "report/replay_parts.h"
#include "report/text.h"

#define TITLE_MAX 512
#define INDENT    16 /* of what is said of a claim, on a terminal */

static void title_of(const struct replay_judged *j, char *out, size_t size) {
    snprintf(out, size, "Replayed: %s", j->replay->title);
}

static int write_markdown(const struct replay_judged *j, const char *dir, struct err *e) {
    struct doc d;
    char title[TITLE_MAX];
    title_of(j, title, sizeof title);
    if (doc_markdown_titled(&d, dir, NULL, title, e) != 0) {
        return -1;
    }
    replay_page(&d, j);
    return doc_end(&d, "replay.md", e);
}

static int write_html(const struct replay_judged *j, const char *dir, struct err *e) {
    const struct doc_link links[] = {
        {"claims", "The claims", true},
        {"one-by-one", "Claim by claim", j->replay->claims > 0},
        {"repeated", "What was repeated", true},
        {"differs", "How it differs", true},
        {"verdicts", "How verdicts are made", true},
    };
    struct doc d;
    char title[TITLE_MAX];
    title_of(j, title, sizeof title);
    if (doc_html(&d, dir, NULL, title, j->replay->source, e) != 0) {
        return -1;
    }
    html_top(&d, title, links, sizeof links / sizeof links[0]);
    replay_page(&d, j);
    return doc_end(&d, "replay.html", e);
}

int replay_write(const struct replay_judged *j, const char *dir, struct err *e) {
    return replay_json_write(j, dir, e) != 0 || write_markdown(j, dir, e) != 0
               ? -1
               : write_html(j, dir, e);
}

/* ---- terminal */

/* Words of a text, wrapped; the first line begins where the cursor is, at `indent`. */
static void print_wrapped(FILE *out, const char *text, size_t indent, bool utf8) {
    char shown[4 * REPLAY_TEXT_MAX];
    size_t column = indent;
    text_terminal(shown, sizeof shown, text, REPLAY_TEXT_MAX, utf8);
    for (const char *word = shown; *word;) {
        const size_t len = strcspn(word, " ");
        size_t wide = 0;
        for (size_t i = 0; i < len; i += text_char_len(word + i)) {
            wide++;
        }
        if (column > indent && column + 1 + wide > 100) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(word, 1, len, out);
        column += wide;
        word += len;
        word += strspn(word, " ");
    }
    fputc('\n', out);
}

/* All levels for one reason: that a target or a part is missing. */
static bool one_reason(const struct replay_result *r) {
    bool same = r->evidence[0].why[0] != '\0';
    for (size_t i = 0; i < r->claim->levels; i++) {
        const struct replay_evidence *ev = &r->evidence[i];
        same = same && !isfinite(ev->value) && strcmp(ev->why, r->evidence[0].why) == 0;
    }
    return same;
}

static void print_level(FILE *out, const struct replay_evidence *ev, bool utf8) {
    char now[REPLAY_TEXT_MAX];
    char line[3 * REPLAY_TEXT_MAX];
    replay_now_text(ev, now, sizeof now);
    snprintf(line, sizeof line, "%d connection%s: %s%s%s", ev->level, ev->level == 1 ? "" : "s",
             now, *ev->why ? "; " : "", ev->why);
    fprintf(out, "%*s", INDENT, "");
    print_wrapped(out, line, INDENT, utf8);
}

void replay_print(FILE *out, const struct replay_judged *j, bool utf8) {
    char text[REPLAY_TEXT_MAX];
    fputc('\n', out);
    print_wrapped(out, j->replay->title, 0, utf8);
    for (size_t i = 0; i < j->replay->claims; i++) {
        const struct replay_result *r = &j->result[i];
        fprintf(out, "\n%-*s", INDENT, replay_outcome_name(r->outcome));
        print_wrapped(out, r->claim->title, INDENT, utf8);
        fprintf(out, "%*s", INDENT, "");
        replay_subject_text(r->claim, text, sizeof text);
        print_wrapped(out, text, INDENT, utf8);
        if (one_reason(r)) {
            fprintf(out, "%*s", INDENT, "");
            print_wrapped(out, r->evidence[0].why, INDENT, utf8);
            continue;
        }
        for (size_t k = 0; k < r->claim->levels; k++) {
            print_level(out, &r->evidence[k], utf8);
        }
    }
    fprintf(out, "\n%zu claims: %zu hold, %zu do not hold, %zu cannot be told\n", j->replay->claims,
            j->count[REPLAY_HOLDS], j->count[REPLAY_DOES_NOT_HOLD],
            j->count[REPLAY_CANNOT_BE_TOLD]);
}
