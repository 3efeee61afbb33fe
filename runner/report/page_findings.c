/* The top of a report: is the run to be believed, what does it say, and what does it not. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/page_parts.h"

void page_validity(struct doc *d, const struct findings *findings) {
    const bool all = findings->validity == FINDINGS_VALIDATED &&
                     findings->cells_judged == findings->cells_measured;
    const enum doc_block block = all ? DOC_GOOD : DOC_BAD;
    char word[sizeof findings->validity_word];
    snprintf(word, sizeof word, "%s", findings->validity_word);
    word[0] = (char)toupper((unsigned char)word[0]);
    doc_begin(d, block, NULL);
    doc_strong(d, word);
    doc_say(d, ": ");
    doc_name(d, findings->validity_reason);
    doc_say(d, findings->validity == FINDINGS_NOT_VALIDATED
                   ? ". The differences below may be the machine's or the harness's; run it again "
                     "before believing them."
                   : ".");
    doc_close(d, block);
    if (findings->resolution_text) {
        doc_begin(d, DOC_PARAGRAPH, NULL);
        doc_strong(d, "Resolution");
        doc_say(d, ": ");
        doc_name(d, findings->resolution_text);
        doc_close(d, DOC_PARAGRAPH);
    }
}

void page_about(struct doc *d, enum verdict_about about) {
    const char *title = figure_info(verdict_about_info(about)->figure)->title;
    /* "p50" stays as it is. */
    const bool word = isalpha((unsigned char)title[1]) != 0;
    doc_begin(d, DOC_SUBSECTION, NULL);
    doc_say(d, "%c%s", word ? toupper((unsigned char)*title) : *title, title + 1);
    doc_close(d, DOC_SUBSECTION);
}

static void put_item(struct doc *d, const char *text) {
    doc_begin(d, DOC_ITEM, NULL);
    doc_name(d, text);
    doc_close(d, DOC_ITEM);
}

static bool is_caution(const struct finding *f) {
    return f->kind == FINDING_CAUTION;
}

/* Sorted: by figure, the cautions last. */
void page_findings(struct doc *d, const struct findings *findings) {
    const struct finding *before = NULL;
    doc_whole(d, DOC_SECTION, "findings", "Findings");
    for (size_t i = 0; i < findings->count && !is_caution(&findings->finding[i]); i++) {
        const struct finding *one = &findings->finding[i];
        if (!before || before->about != one->about) {
            if (before) {
                doc_close(d, DOC_LIST);
            }
            if (one->about != ABOUT_COUNT) {
                page_about(d, one->about);
            }
            doc_begin(d, DOC_LIST, NULL);
        }
        put_item(d, one->text);
        before = one;
    }
    if (before) {
        doc_close(d, DOC_LIST);
    }
}

void page_cautions(struct doc *d, const struct findings *findings) {
    bool begun = false;
    for (size_t i = 0; i < findings->count; i++) {
        if (!is_caution(&findings->finding[i])) {
            continue;
        }
        if (!begun) {
            doc_whole(d, DOC_SECTION, "cautions", "What not to conclude");
            doc_begin(d, DOC_LIST, NULL);
            begun = true;
        }
        put_item(d, findings->finding[i].text);
    }
    if (begun) {
        doc_close(d, DOC_LIST);
    }
}
