/* report.md and report.html: their sections in order, and what was measured. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "report/doc_html.h"
#include "report/page_parts.h"

static void put_state(struct doc *d, const struct store *s) {
    int64_t planned = manifest_int(s->manifest, "plan.trials");
    if (s->state == STORE_COMPLETE && !s->torn && s->lost == 0) {
        return;
    }
    /* Those of blocks that were run again are not part of the plan. */
    size_t done = 0;
    for (size_t i = 0; i < s->count; i++) {
        done += s->records[i].attempt == 0;
    }
    doc_begin(d, DOC_BAD, NULL);
    doc_strong(d, "This run is not complete");
    doc_say(d, ": %s. %zu %s there",
            s->live                         ? "it is still going on"
            : s->state == STORE_INTERRUPTED ? "it was interrupted"
            : s->state == STORE_RUNNING     ? "it was cut off"
            : s->lost > 0                   ? "lines of its trials.jsonl are gone"
                                            : "its last line was cut short",
            done, done == 1 ? "trial is" : "trials are");
    if (planned > 0) {
        doc_say(d, " of %" PRId64 " planned", planned);
    }
    if (s->count > done) {
        doc_say(d, ", and %zu measured again", s->count - done);
    }
    doc_say(d, "; the figures below are of those alone.");
    doc_close(d, DOC_BAD);
}

static void put_damage(struct doc *d, const struct plots *p) {
    if (*p->note) {
        doc_begin(d, DOC_BAD, NULL);
        doc_strong(d, "Part of this run is damaged");
        doc_say(d, ": ");
        doc_name(d, p->note);
        doc_say(d, ". All other figures come from trials.jsonl.");
        doc_close(d, DOC_BAD);
    }
}

static void put_list(struct doc *d, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        doc_say(d, "%s", i == 0 ? "" : i + 1 == n ? " and " : ", ");
        doc_name(d, names[i]);
    }
}

static void put_targets(struct doc *d, const struct cells *c) {
    const char *names[3][32] = {{NULL}};
    size_t n[3] = {0};
    for (size_t i = 0; i < c->target_count; i++) {
        enum target_role role = c->targets[i].role;
        if (n[role] < 32) {
            names[role][n[role]++] = c->targets[i].name;
        }
    }
    put_list(d, names[ROLE_TARGET], n[ROLE_TARGET]);
    if (n[ROLE_CONTROL] > 0) {
        doc_say(d, ", with ");
        put_list(d, names[ROLE_CONTROL], n[ROLE_CONTROL]);
        doc_say(d, " as A/A control (a target measured again under a second name)");
    }
    if (n[ROLE_NULL] > 0) {
        doc_say(d, "%s", n[ROLE_CONTROL] > 0 ? " and " : ", with ");
        put_list(d, names[ROLE_NULL], n[ROLE_NULL]);
        doc_say(d, " as the ceiling (a server that answers canned bytes)");
    }
}

static void put_seconds(struct doc *d, int64_t us) {
    if (us >= 0) {
        doc_say(d, "%g s", (double)us / 1e6);
    } else {
        doc_say(d, "an unrecorded time");
    }
}

/* How long the warm-ups were, where a generator that ends by a signal did not keep to it. */
static void put_warmups(struct doc *d, const struct cells *c, int64_t planned) {
    int64_t least = INT64_MAX;
    int64_t most = -1;
    for (size_t i = 0; i < c->store->count; i++) {
        const struct trial_record *r = &c->store->records[i];
        if (r->status == TRIAL_OK && r->warmup_us >= 0) {
            least = r->warmup_us < least ? r->warmup_us : least;
            most = r->warmup_us > most ? r->warmup_us : most;
        }
    }
    if (planned > 0 && most >= 0 &&
        ((double)least < 0.75 * (double)planned || (double)most > 1.25 * (double)planned)) {
        doc_say(d, " (%.2f to %.2f s as it was)", (double)least / 1e6, (double)most / 1e6);
    }
}

static void put_head(struct doc *d, const struct cells *c) {
    const json_t *m = c->store->manifest;
    char buf[64];
    doc_whole(d, DOC_SECTION, "measured", "What was measured");
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d, "Measured: ");
    put_targets(d, c);
    doc_say(d, ".");
    doc_close(d, DOC_PARAGRAPH);
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d, "Workloads: ");
    put_list(d, c->workloads, c->workload_count);
    doc_say(d, ". Connections: ");
    for (size_t i = 0; i < c->level_count; i++) {
        char n[24];
        figure_thousands(n, sizeof n, c->levels[i]);
        doc_say(d, "%s%s", i == 0 ? "" : i + 1 == c->level_count ? " and " : ", ", n);
    }
    doc_say(d,
            ". Rounds: %zu; in each round every target once a block, in random order. A trial is ",
            c->rounds);
    if (c->counts) {
        doc_say(d, "a number of requests");
    } else {
        put_seconds(d, manifest_int(m, "plan.window_us"));
    }
    doc_say(d, " on a fresh process after ");
    put_seconds(d, manifest_int(m, "plan.warmup_us"));
    doc_say(d, " of warm-up");
    put_warmups(d, c, manifest_int(m, "plan.warmup_us"));
    doc_say(d, ".");
    doc_close(d, DOC_PARAGRAPH);
    if (*c->mode) {
        doc_begin(d, DOC_PARAGRAPH, NULL);
        doc_strong(d, "Mode");
        doc_say(d, ": ");
        doc_code(d, c->mode);
        doc_say(d, ". It decides results: compare them with those of this mode only.");
        doc_close(d, DOC_PARAGRAPH);
    }
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d, "Run ");
    doc_code(d, manifest_text(m, "run_id", buf, sizeof buf, "unknown"));
    doc_say(d, ", begun ");
    doc_name(d, manifest_text(m, "started", buf, sizeof buf, "at an unrecorded time"));
    doc_say(d, ", ended ");
    doc_name(d, manifest_text(m, "ended", buf, sizeof buf, "not yet"));
    doc_say(d, ".");
    doc_close(d, DOC_PARAGRAPH);
}

static void put_reproduction(struct doc *d, const struct reproduction *r) {
    char text[256];
    if (!r) {
        return;
    }
    reproduction_text(r, text, sizeof text);
    const enum doc_block block = r->ratios.holds ? DOC_GOOD : DOC_BAD;
    doc_begin(d, block, NULL);
    doc_strong(d, "Repeats an earlier run");
    doc_say(d, ", ");
    doc_code(d, r->run);
    doc_say(d, "%s. ",
            r->ratios.by_direction ? ", measured on another machine" : ", on the same machine");
    doc_say(d, "%c%s. Ratio by ratio: ", toupper((unsigned char)text[0]), text + 1);
    d->ops->link(d, REPRODUCTION_JSON, REPRODUCTION_JSON);
    doc_say(d, ".");
    doc_close(d, block);
}

static void put_workload(struct doc *d, const char *workload) {
    doc_begin(d, DOC_SUBSECTION, NULL);
    doc_say(d, "Workload ");
    doc_name(d, workload);
    doc_close(d, DOC_SUBSECTION);
}

static void put_body(struct doc *d, const struct report_parts *r) {
    const struct cells *c = r->cells;
    /* The worst news stands above everything else. */
    page_validity(d, r->findings);
    put_state(d, c->store);
    put_damage(d, r->plots);
    put_reproduction(d, r->reproduction);
    put_head(d, c);
    page_findings(d, r->findings);
    page_cautions(d, r->findings);
    if (r->plots->count > 0) {
        doc_whole(d, DOC_SECTION, "plots", "Plots");
    }
    for (size_t w = 0; w < c->workload_count && r->plots->count > 0; w++) {
        put_workload(d, c->workloads[w]);
        page_plots(d, r, c->workloads[w]);
    }
    doc_whole(d, DOC_SECTION, "figures", "Figures");
    for (size_t w = 0; w < c->workload_count; w++) {
        put_workload(d, c->workloads[w]);
        page_tables(d, c, c->workloads[w]);
    }
    page_latency(d, c);
    counts_page(d, r->counts, r->count_plots);
    page_verdicts(d, r->verdicts);
    page_control(d, r->verdicts);
    page_trials(d, r->verdicts);
    page_guests(d, c);
    page_missing(d, c, r->plots);
    page_reading(d, c);
    page_machine(d, c);
    page_options(d, c);
    page_again(d, c);
}

int markdown_write(const struct report_parts *r, struct err *e) {
    struct doc d;
    if (doc_markdown(&d, r->cells->store->dir, r->docs, e) != 0) {
        return -1;
    }
    put_body(&d, r);
    return doc_end(&d, "report.md", e);
}

static size_t findings_cautions(const struct findings *f) {
    size_t n = 0;
    for (size_t i = 0; i < f->count; i++) {
        n += f->finding[i].kind == FINDING_CAUTION;
    }
    return n;
}

/* "libevent, libuv and h2o", what is compared. */
static void title_of(const struct cells *c, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "loopbench report");
    for (size_t i = 0; i < c->target_count && used < size; i++) {
        if (c->targets[i].role == ROLE_TARGET) {
            char name[4 * 32 + 8];
            text_terminal(name, sizeof name, c->targets[i].name, 32, true);
            used += (size_t)snprintf(out + used, size - used, "%s%s", i == 0 ? ": " : ", ", name);
        }
    }
}

int html_write(const struct report_parts *r, struct err *e) {
    const struct doc_link links[] = {
        {"measured", "What was measured", true},
        {"findings", "Findings", true},
        {"cautions", "What not to conclude", findings_cautions(r->findings) > 0},
        {"plots", "Plots", r->plots->count > 0},
        {"figures", "Figures", true},
        {"latency", "Latency", true},
        {"counts", "What one request costs", r->counts->count > 0},
        {"verdicts", "Verdicts", true},
        {"control", "A/A control", true},
        {"trials", "Disturbed trials", true},
        {"guests", "Servers that are not built in", page_has_guests(r->cells)},
        {"missing", "What is missing", true},
        {"reading", "How to read this", true},
        {"machine", "Machine", true},
        {"configuration", "Configuration", true},
        {"again", "Run it again", true},
    };
    struct doc d;
    char title[512];
    title_of(r->cells, title, sizeof title);
    if (doc_html(&d, r->cells->store->dir, r->docs, title, r->findings->validity_reason, e) != 0) {
        return -1;
    }
    html_top(&d, title, links, sizeof links / sizeof links[0]);
    put_body(&d, r);
    return doc_end(&d, "report.html", e);
}
