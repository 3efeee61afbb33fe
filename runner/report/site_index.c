/* The first page of a site. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "report/crosscheck.h"
#include "report/doc_html.h"
#include "report/site_parts.h"
#include "store/manifest.h"

/* Names of compared targets, or of whatever else the list holds. */
static void put_names(struct doc *d, const json_t *list) {
    bool first = true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *role = json_string_value(json_object_get(item, "role"));
        const char *name = json_is_string(item) ? json_string_value(item)
                                                : json_string_value(json_object_get(item, "name"));
        if (name && (!role || strcmp(role, "target") == 0)) {
            doc_say(d, first ? "" : ", ");
            doc_name(d, name);
            first = false;
        }
    }
}

static void put_levels(struct doc *d, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        doc_say(d, "%s%" JSON_INTEGER_FORMAT, i ? ", " : "",
                json_integer_value(json_array_get(list, i)));
    }
}

static void put_text(struct doc *d, const json_t *manifest, const char *path) {
    char buf[32];
    doc_name(d, manifest_text(manifest, path, buf, sizeof buf, "not recorded"));
}

static void put_downloads(struct doc *d, const struct site *s, const struct site_run *run) {
    const char *sep = "";
    for (size_t i = 0; site_data[i]; i++) {
        char href[SITE_NAME_MAX + 64];
        char path[4096];
        struct err ignored;
        snprintf(href, sizeof href, "runs/%s/%s", run->name, site_data[i]);
        if (file_join(path, sizeof path, s->dir, href, &ignored) == 0 && file_exists(path)) {
            doc_say(d, "%s", sep);
            d->ops->link(d, href, site_data[i]);
            sep = ", ";
        }
    }
}

/* "reproduced: 20260131-120000-9f3a", of a run that repeats another. */
static void put_repeats(struct doc *d, const struct site_run *run) {
    if (run->repeats) {
        doc_say(d, "%s: ", reproduce_name(run->reproduction.ratios.overall));
        doc_name(d, run->reproduction.run);
    }
}

/* What a run has in place of a judgement where it has no control. */
static const char *validity_text(const struct site_run *run) {
    return run->counts                               ? "counts, not times"
           : strcmp(run->kind, CROSSCHECK_KIND) == 0 ? "cross-check"
                                                     : run->validity;
}

static void put_run(struct doc *d, const struct site *s, const struct site_run *run, bool repeats) {
    char href[SITE_NAME_MAX + 32];
    char started[17] = "";
    char buf[32];
    snprintf(href, sizeof href, "runs/%s/report.html", run->name);
    snprintf(started, sizeof started, "%.16s",
             manifest_text(run->manifest, "started", buf, sizeof buf, "not recorded"));
    if (strlen(started) > 10 && started[10] == 'T') {
        started[10] = ' ';
    }
    doc_row(d, NULL);
    doc_cell(d);
    d->ops->link(d, href, run->name);
    doc_cell(d);
    doc_name(d, started);
    doc_cell(d);
    doc_say(d, "%s%s", validity_text(run), run->state == STORE_COMPLETE ? "" : ", not complete");
    doc_cell(d);
    put_text(d, run->manifest, "machine.cpu.model");
    doc_cell(d);
    put_names(d, manifest_at(run->manifest, "targets"));
    doc_cell(d);
    put_names(d, manifest_at(run->manifest, "plan.workloads"));
    doc_cell(d);
    put_levels(d, manifest_at(run->manifest, "plan.connections"));
    doc_cell(d);
    doc_say(d, "%zu", run->trials);
    doc_cell(d);
    put_downloads(d, s, run);
    if (repeats) {
        doc_cell(d);
        put_repeats(d, run);
    }
    doc_row_end(d);
}

static bool any_repeats(const struct site *s) {
    bool any = false;
    for (size_t i = 0; i < s->o->runs; i++) {
        any = any || s->run[i].repeats;
    }
    return any;
}

/* The newest first. */
static void put_runs(struct doc *d, const struct site *s) {
    static const struct doc_column column[] = {{"run", DOC_NAME},         {"begun (UTC)", DOC_TEXT},
                                               {"A/A control", DOC_TEXT}, {"machine", DOC_TEXT},
                                               {"targets", DOC_TEXT},     {"workloads", DOC_TEXT},
                                               {"connections", DOC_TEXT}, {"trials", DOC_NUMBER},
                                               {"data", DOC_TEXT},        {"repeats", DOC_TEXT}};
    /* The last column only where it says something. */
    const bool repeats = any_repeats(s);
    const size_t columns = sizeof column / sizeof column[0] - (repeats ? 0 : 1);
    doc_whole(d, DOC_SECTION, "runs", "Runs");
    doc_whole(
        d, DOC_PARAGRAPH, NULL,
        "A run is validated when its A/A control, one target measured twice under two names, "
        "shows no difference. What a run that is not validated shows is not to be believed. Counts "
        "and cross-checks have no such control.");
    doc_table(d, "Runs, the newest first", column, columns);
    for (size_t i = s->o->runs; i-- > 0;) {
        put_run(d, s, &s->run[s->order[i]], repeats);
    }
    doc_table_end(d);
}

static void put_comparisons(struct doc *d, const struct site *s) {
    static const struct doc_column column[] = {
        {"comparison", DOC_NAME}, {"changes shown", DOC_TEXT}, {"data", DOC_TEXT}};
    if (s->comparisons == 0) {
        return;
    }
    doc_whole(d, DOC_SECTION, "comparisons", "Comparisons");
    doc_table(d, "Pairs of runs held against each other", column, 3);
    for (size_t i = 0; i < s->comparisons; i++) {
        const struct site_comparison *c = &s->comparison[i];
        char href[sizeof c->name + 32];
        char text[2 * SITE_NAME_MAX + 16];
        snprintf(href, sizeof href, "comparisons/%s.html", c->name);
        snprintf(text, sizeof text, "%s, then %s", s->run[c->first].name, s->run[c->second].name);
        doc_row(d, NULL);
        doc_cell(d);
        d->ops->link(d, href, text);
        doc_cell(d);
        if (c->rows > 0) {
            doc_say(d, "%zu of %zu", c->changes, c->rows);
        } else {
            doc_say(d, "directions only: two machines");
        }
        doc_cell(d);
        snprintf(href, sizeof href, "comparisons/%s.md", c->name);
        d->ops->link(d, href, "Markdown");
        doc_row_end(d);
    }
    doc_table_end(d);
}

int site_write_index(const struct site *s, struct err *e) {
    struct doc d;
    if (doc_html(&d, s->dir, NULL, "loopbench: results", "HTTP servers measured by loopbench", e) !=
        0) {
        return -1;
    }
    d.cards = true;
    fputs("<h1>Results</h1>\n", d.t.f);
    doc_whole(&d, DOC_PARAGRAPH, NULL,
              "HTTP servers on event loops, measured by loopbench. Every page is made from the raw "
              "data beside it.");
    put_runs(&d, s);
    put_comparisons(&d, s);
    return doc_end(&d, "index.html", e);
}
