#include "report/reproduction.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/doc.h"
#include "store/manifest.h"
#include "store/shown.h"

#define FORMAT  "loopbench-reproduction"
#define VERSION 1
#define LIMIT   ((size_t)64 << 20)

/* ---- writing */

static json_t *real_or_null(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *run_json(const struct reading *r) {
    char buf[64];
    const json_t *m = r->store.manifest;
    json_t *run = json_pack("{s:s}", "run_id", manifest_text(m, "run_id", buf, sizeof buf, ""));
    json_object_set_new(run, "started",
                        json_string(manifest_text(m, "started", buf, sizeof buf, "")));
    json_object_set_new(run, "validity", json_string(findings_validity_name(r->findings.validity)));
    return run;
}

static json_t *side_json(const struct verdict_row *row) {
    char text[VERDICT_TEXT_MAX];
    const struct verdict *v = &row->gated;
    verdict_row_text(row, true, text, sizeof text);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:f}", "verdict", verdict_name(v->kind), "text",
                     text, "ratio", real_or_null(v->ratio), "lo", real_or_null(v->lo), "hi",
                     real_or_null(v->hi), "margin", v->margin);
}

static json_t *row_json(const struct ratio_row *r, const struct cells *cells) {
    const struct verdict_row *row = r->first;
    return json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o}}",
                     "figure", figure_info(verdict_about_info(row->about)->figure)->key, "workload",
                     row->a->workload, "connections", row->a->connections, "a",
                     cells->targets[row->a->target].name, "b", cells->targets[row->b->target].name,
                     "outcome", reproduce_name(r->r.outcome), "before", side_json(row), "after",
                     side_json(r->second), "change", "ratio", real_or_null(exp(r->r.d)), "lo",
                     real_or_null(exp(r->r.log_lo)), "hi", real_or_null(exp(r->r.log_hi)), "p",
                     real_or_null(r->r.p), "p_holm", real_or_null(r->r.p_holm));
}

static json_t *counts_json(const struct ratios *r) {
    json_t *counts = json_object();
    for (int i = 0; i < RATIOS_OUTCOMES; i++) {
        json_object_set_new(counts, reproduce_name((enum reproduce_outcome)i),
                            json_integer((json_int_t)r->of[i]));
    }
    return counts;
}

static json_t *all_json(const struct reading *before, const struct reading *after,
                        const struct alike *alike, const struct ratios *ratios) {
    json_t *differs = json_array();
    json_t *rows = json_array();
    for (size_t i = 0; i < alike->notes; i++) {
        json_array_append_new(differs, json_string(alike->note[i]));
    }
    for (size_t i = 0; i < ratios->count; i++) {
        json_array_append_new(rows, row_json(&ratios->row[i], &before->cells));
    }
    return json_pack("{s:s, s:i, s:o, s:o, s:s, s:s?, s:o, s:s, s:b, s:o, s:o}", "format", FORMAT,
                     "format_version", VERSION, "before", run_json(before), "after",
                     run_json(after), "judged_by", ratios->by_direction ? "direction" : "size",
                     "machine_differs", alike->machine[0] ? alike->machine : NULL, "differs",
                     differs, "overall", reproduce_name(ratios->overall), "holds", ratios->holds,
                     "counts", counts_json(ratios), "ratios", rows);
}

static int write_json(const struct reading *before, const struct reading *after,
                      const struct alike *alike, const struct ratios *ratios, struct err *e) {
    struct text_file t;
    json_t *root = all_json(before, after, alike, ratios);
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    if (!text || text_begin(&t, e) != 0) {
        free(text);
        return err_set(e, ERR_MACHINE, "out of memory writing %s/" REPRODUCTION_JSON,
                       after->store.dir);
    }
    fprintf(t.f, "%s\n", text);
    free(text);
    return text_end(&t, after->store.dir, REPRODUCTION_JSON, e);
}

static void put_run(struct doc *d, const char *label, const struct reading *r) {
    char buf[64];
    const json_t *m = r->store.manifest;
    doc_begin(d, DOC_ITEM, NULL);
    doc_say(d, "%s: ", label);
    doc_code(d, manifest_text(m, "run_id", buf, sizeof buf, "?"));
    doc_say(d, ", begun ");
    doc_name(d, manifest_text(m, "started", buf, sizeof buf, "?"));
    doc_say(d, ", %zu round%s, %s", r->cells.rounds, r->cells.rounds == 1 ? "" : "s",
            r->findings.validity_word);
    doc_close(d, DOC_ITEM);
}

static int write_markdown(const struct reading *before, const struct reading *after,
                          const struct alike *alike, const struct ratios *ratios, struct err *e) {
    struct doc d;
    if (doc_markdown(&d, after->store.dir, NULL, e) != 0) {
        return -1;
    }
    doc_whole(&d, DOC_SECTION, NULL, "Did it come out the same?");
    doc_begin(&d, DOC_LIST, NULL);
    put_run(&d, "Before", before);
    put_run(&d, "Now", after);
    doc_close(&d, DOC_LIST);
    doc_whole(&d, DOC_PARAGRAPH, NULL,
              ratios->by_direction
                  ? "On another machine sizes are not expected to hold: the directions of verdicts "
                    "are compared."
                  : "On the same machine, as far as is recorded: each ratio of two targets is held "
                    "against the same ratio of the other run.");
    ratios_put(&d, ratios, &before->cells, "before", "now");
    if (alike->notes > 0 || alike->machine[0]) {
        doc_whole(&d, DOC_SECTION, NULL, "What differs between the runs");
        alike_put(&d, alike);
    }
    return doc_end(&d, REPRODUCTION_MD, e);
}

int reproduction_write(const struct reading *before, const struct reading *after,
                       const struct alike *alike, const struct ratios *ratios, struct err *e) {
    return write_markdown(before, after, alike, ratios, e) == 0
               ? write_json(before, after, alike, ratios, e)
               : -1;
}

/* ---- reading */

#define REMEDY "take it out of the folder, or run `reproduce` again"

static int refuse(struct err *e, const char *where, const char *what) {
    return err_set(e, ERR_USAGE, "%s: %s; " REMEDY, where, what);
}

static int take_counts(struct ratios *r, const json_t *counts) {
    for (int i = 0; i < RATIOS_OUTCOMES; i++) {
        const json_t *n = json_object_get(counts, reproduce_name((enum reproduce_outcome)i));
        if (!json_is_integer(n) || json_integer_value(n) < 0 || json_integer_value(n) > INT_MAX) {
            return -1;
        }
        r->of[i] = (size_t)json_integer_value(n);
        r->count += r->of[i];
    }
    return 0;
}

static int take(struct reproduction *r, const json_t *root, const char *where, struct err *e) {
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "format_version");
    const char *run = json_string_value(json_object_get(json_object_get(root, "before"), "run_id"));
    const char *by = json_string_value(json_object_get(root, "judged_by"));
    if (!format || strcmp(format, FORMAT) != 0) {
        return refuse(e, where, "not the outcome of `reproduce`");
    }
    if (json_integer_value(version) != VERSION) {
        return refuse(e, where, "written by another version of loopbench");
    }
    if (!run || !by || (strcmp(by, "size") != 0 && strcmp(by, "direction") != 0) ||
        take_counts(&r->ratios, json_object_get(root, "counts")) != 0) {
        return refuse(e, where, "before.run_id, judged_by or counts is missing or odd");
    }
    text_terminal(r->run, sizeof r->run, run, 32, true);
    r->ratios.by_direction = strcmp(by, "direction") == 0;
    ratios_conclude(&r->ratios);
    return 0;
}

int reproduction_parse(struct reproduction *r, const char *text, size_t len, const char *where,
                       struct err *e) {
    json_error_t why;
    *r = (struct reproduction){0};
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    const int rc = root && shown_json(root) == 0
                       ? take(r, root, where, e)
                       : err_set(e, ERR_USAGE, "%s, line %d: not JSON; " REMEDY, where, why.line);
    json_decref(root);
    return rc;
}

void reproduction_text(const struct reproduction *r, char *out, size_t size) {
    ratios_text(&r->ratios, out, size);
}

int reproduction_read(struct reproduction *r, const char *dir, struct err *e) {
    char path[PATH_MAX];
    char *text = NULL;
    size_t len = 0;
    if (file_join(path, sizeof path, dir, REPRODUCTION_JSON, e) != 0) {
        return -1;
    }
    if (!file_exists(path)) {
        return 0;
    }
    int rc = file_read_or(REMEDY, path, LIMIT, &text, &len, e);
    if (rc == 0) {
        rc = reproduction_parse(r, text, len, path, e);
    }
    free(text);
    return rc == 0 ? 1 : -1;
}
