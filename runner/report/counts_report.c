/* The report of a run of counts alone. */
#include <stdlib.h>
#include <string.h>

#include "report/counts.h"
#include "report/doc_html.h"
#include "report/page_parts.h"

static void put_state(struct doc *d, const struct store *s, const struct counts *c) {
    if (s->state == STORE_COMPLETE && !c->torn && c->lost == 0) {
        return;
    }
    doc_begin(d, DOC_BAD, NULL);
    doc_strong(d, "This run is not complete");
    doc_say(d, ": %s. The figures below are of what was counted until then.",
            s->live                         ? "it is still going on"
            : s->state == STORE_INTERRUPTED ? "it was interrupted"
            : s->state == STORE_RUNNING     ? "it was cut off"
            : c->torn                       ? "its last line was cut short"
                                            : "lines of its " COUNTS_FILE " are gone");
    doc_close(d, DOC_BAD);
}

static void put_run(struct doc *d, const struct store *s) {
    char buf[64];
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d, "Run ");
    doc_code(d, manifest_text(s->manifest, "run_id", buf, sizeof buf, "unknown"));
    doc_say(d, ", begun ");
    doc_name(d, manifest_text(s->manifest, "started", buf, sizeof buf, "at an unrecorded time"));
    doc_say(d, ". Nothing was timed: it has counts alone. ");
    doc_close(d, DOC_PARAGRAPH);
    const char *mode = manifest_text(s->manifest, "plan.mode", buf, sizeof buf, "");
    if (*mode) {
        doc_begin(d, DOC_PARAGRAPH, NULL);
        doc_strong(d, "Mode");
        doc_say(d, ": ");
        doc_code(d, mode);
        doc_say(d, ".");
        doc_close(d, DOC_PARAGRAPH);
    }
}

static void put_again(struct doc *d, const json_t *manifest) {
    const json_t *argv = manifest_at(manifest, "command");
    doc_whole(d, DOC_SECTION, "again", "Run it again");
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d, "All figures are in ");
    doc_code(d, "counts.csv");
    doc_say(d, ", every repeat in ");
    doc_code(d, COUNTS_FILE);
    doc_say(d, ". It was started as:");
    doc_close(d, DOC_PARAGRAPH);
    doc_begin(d, DOC_COMMAND, NULL);
    for (size_t i = 0; i < json_array_size(argv); i++) {
        const char *word = json_string_value(json_array_get(argv, i));
        doc_say(d, i ? " " : "");
        doc_shell(d, word ? word : "?");
    }
    doc_close(d, DOC_COMMAND);
}

static void put_body(struct doc *d, const struct store *s, const struct counts *c,
                     const struct plots *p) {
    const struct cells cells = {.store = s};
    put_state(d, s, c);
    put_run(d, s);
    counts_page(d, c, p);
    if (p->missing[0]) {
        doc_begin(d, DOC_PARAGRAPH, NULL);
        doc_say(d, "There are no plots: ");
        doc_name(d, p->missing);
        doc_say(d, ".");
        doc_close(d, DOC_PARAGRAPH);
    }
    page_machine(d, &cells);
    page_options(d, &cells);
    put_again(d, s->manifest);
}

static int write_json(const struct store *s, const struct counts *c, struct err *e) {
    struct text_file t;
    json_t *root = json_pack("{s:s, s:i, s:s, s:O, s:o}", "format", "loopbench-report",
                             "format_version", 1, "state", store_state_name(s->state), "run",
                             s->manifest, "counts", counts_json(c));
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    if (!text || text_begin(&t, e) != 0) {
        free(text);
        return err_set(e, ERR_MACHINE, "out of memory writing %s/report.json", s->dir);
    }
    fprintf(t.f, "%s\n", text);
    free(text);
    return text_end(&t, s->dir, "report.json", e);
}

static int write_html(const struct store *s, const struct counts *c, const struct plots *p,
                      const char *docs, struct err *e) {
    static const struct doc_link links[] = {
        {"counts", "What one request costs", true},
        {"machine", "Machine", true},
        {"configuration", "Configuration", true},
        {"again", "Run it again", true},
    };
    static const char title[] = "loopbench report: what one request costs";
    struct doc d;
    if (doc_html(&d, s->dir, docs, title,
                 "Instructions, system calls, allocations and bytes of one request, counted.",
                 e) != 0) {
        return -1;
    }
    html_top(&d, title, links, sizeof links / sizeof links[0]);
    put_body(&d, s, c, p);
    return doc_end(&d, "report.html", e);
}

static int write_markdown(const struct store *s, const struct counts *c, const struct plots *p,
                          const char *docs, struct err *e) {
    struct doc d;
    if (doc_markdown(&d, s->dir, docs, e) != 0) {
        return -1;
    }
    put_body(&d, s, c, p);
    return doc_end(&d, "report.md", e);
}

int counts_report_write(const struct store *s, const struct counts *counts,
                        const struct plots_options *plots, const char *docs, struct err *e) {
    struct plots drawn = {0};
    struct err why = {0};
    int no_plots = 0;
    if (plots) {
        no_plots = counts_plots_make(&drawn, counts, s->dir, plots, &why);
    } else {
        snprintf(drawn.missing, sizeof drawn.missing, "plots were not asked for");
    }
    int rc = counts_csv_write(counts, s->dir, e) != 0 || write_json(s, counts, e) != 0 ||
                     write_markdown(s, counts, &drawn, docs, e) != 0 ||
                     write_html(s, counts, &drawn, docs, e) != 0
                 ? -1
                 : 0;
    plots_release(&drawn);
    if (rc == 0 && no_plots) {
        *e = why;
        rc = err_prefix(e, "report.md, report.html, report.json and counts.csv are written, but no "
                           "plots");
    }
    return rc;
}
