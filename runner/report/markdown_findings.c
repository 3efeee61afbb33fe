/* The top of report.md: is the run to be believed, and what does it say. */
#include <math.h>

#include "report/markdown_parts.h"

static void put_resolution(FILE *f, const struct findings *findings) {
    const bool cpu = isfinite(findings->resolution);
    const bool rate = isfinite(findings->resolution_rate);
    if (!cpu && !rate) {
        return;
    }
    fputs("**Resolution**: ", f);
    if (cpu) {
        fprintf(f, "%.1f%% of CPU per request", 100 * findings->resolution);
    }
    if (rate) {
        fprintf(f, "%s%.1f%% of throughput", cpu ? ", " : "", 100 * findings->resolution_rate);
    }
    fputs(" in one cell: this run cannot be expected to show smaller differences.\n\n", f);
}

void markdown_validity(FILE *f, const struct findings *findings) {
    switch (findings->validity) {
    case FINDINGS_VALIDATED:
        fputs("**Validated**: ", f);
        break;
    case FINDINGS_NOT_VALIDATED:
        fputs("> **Not validated**: ", f);
        break;
    case FINDINGS_NOT_JUDGED:
        fputs("> **Not judged**: ", f);
        break;
    }
    text_markdown(f, findings->validity_reason);
    fputs(findings->validity == FINDINGS_NOT_VALIDATED
              ? ". The differences below may be the machine's or the harness's; run it again "
                "before believing them.\n\n"
              : ".\n\n",
          f);
    put_resolution(f, findings);
}

static void put_bullet(FILE *f, const char *text) {
    fputs("- ", f);
    text_markdown(f, text);
    fputc('\n', f);
}

/* A heading before the first sentence of each figure, and before the cautions. */
static void put_heading(FILE *f, const struct finding *one, const struct finding *before) {
    const bool caution = one->kind == FINDING_CAUTION;
    if (before && before->about == one->about && (before->kind == FINDING_CAUTION) == caution) {
        return;
    }
    fputs(before ? "\n" : "", f);
    if (caution) {
        fputs("**What not to conclude**\n\n", f);
    } else if (one->about != ABOUT_COUNT) {
        markdown_about(f, one->about);
    }
}

void markdown_findings(FILE *f, const struct findings *findings) {
    fputs("## Findings\n\n", f);
    for (size_t i = 0; i < findings->count; i++) {
        put_heading(f, &findings->finding[i], i > 0 ? &findings->finding[i - 1] : NULL);
        put_bullet(f, findings->finding[i].text);
    }
    fputs(findings->count ? "\n" : "", f);
}
