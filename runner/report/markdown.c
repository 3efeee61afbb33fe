/* report.md from its top: what was run, the findings, and a section a workload. */
#include <inttypes.h>
#include <string.h>

#include "report/markdown_parts.h"

static void put_state(FILE *f, const struct store *s) {
    int64_t planned = manifest_int(s->manifest, "plan.trials");
    if (s->state == STORE_COMPLETE && !s->torn) {
        return;
    }
    fputs("> **This run is not complete**: ", f);
    fputs(s->live                         ? "it is still going on"
          : s->state == STORE_INTERRUPTED ? "it was interrupted"
          : s->state == STORE_RUNNING     ? "it was cut off"
                                          : "its last line was cut short",
          f);
    fprintf(f, ". %zu trials are there", s->count);
    if (planned > 0) {
        fprintf(f, " of %" PRId64 " planned", planned);
    }
    fputs("; the figures below are of those alone.\n\n", f);
}

static void put_list(FILE *f, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fputs(i == 0 ? "" : i + 1 == n ? " and " : ", ", f);
        text_markdown(f, names[i]);
    }
}

static void put_targets(FILE *f, const struct cells *c) {
    const char *names[3][32] = {{NULL}};
    size_t n[3] = {0};
    for (size_t i = 0; i < c->target_count; i++) {
        enum target_role role = c->targets[i].role;
        if (n[role] < 32) {
            names[role][n[role]++] = c->targets[i].name;
        }
    }
    put_list(f, names[ROLE_TARGET], n[ROLE_TARGET]);
    if (n[ROLE_CONTROL] > 0) {
        fputs(", with ", f);
        put_list(f, names[ROLE_CONTROL], n[ROLE_CONTROL]);
        fputs(" as A/A control (a target measured again under a second name)", f);
    }
    if (n[ROLE_NULL] > 0) {
        fputs(n[ROLE_CONTROL] > 0 ? " and " : ", with ", f);
        put_list(f, names[ROLE_NULL], n[ROLE_NULL]);
        fputs(" as the ceiling (a server that answers canned bytes)", f);
    }
}

static void put_seconds(FILE *f, int64_t us) {
    if (us >= 0) {
        fprintf(f, "%g s", (double)us / 1e6);
    } else {
        fputs("an unrecorded time", f);
    }
}

static void put_head(FILE *f, const struct cells *c) {
    const json_t *m = c->store->manifest;
    char buf[64];
    fputs("## What was measured\n\nMeasured: ", f);
    put_targets(f, c);
    fputs(".\n\nWorkloads: ", f);
    put_list(f, c->workloads, c->workload_count);
    fputs(". Connections: ", f);
    for (size_t i = 0; i < c->level_count; i++) {
        char n[24];
        figure_thousands(n, sizeof n, c->levels[i]);
        fprintf(f, "%s%s", i == 0 ? "" : i + 1 == c->level_count ? " and " : ", ", n);
    }
    fprintf(f,
            ". Rounds: %zu; in each round every target once a block, in random order. A trial is ",
            c->rounds);
    put_seconds(f, manifest_int(m, "plan.window_us"));
    fputs(" on a fresh process after ", f);
    put_seconds(f, manifest_int(m, "plan.warmup_us"));
    fputs(" of warm-up.\n\nRun ", f);
    text_code(f, manifest_text(m, "run_id", buf, sizeof buf, "unknown"));
    fputs(", begun ", f);
    text_markdown(f, manifest_text(m, "started", buf, sizeof buf, "at an unrecorded time"));
    fputs(", ended ", f);
    text_markdown(f, manifest_text(m, "ended", buf, sizeof buf, "not yet"));
    fputs(".\n\n", f);
}

static void put_pictures(FILE *f, const struct plots *p, const char *workload) {
    for (size_t i = 0; i < p->count; i++) {
        const struct plot *plot = &p->plot[i];
        if (strcmp(plot->workload, workload) == 0) {
            fputs("![", f);
            text_markdown(f, plot->title);
            fprintf(f, "](plots/%s.svg)\n\n", plot->name);
        }
    }
}

int markdown_write(const struct cells *c, const struct verdicts *v, const struct findings *f,
                   const struct plots *p, struct err *e) {
    struct text_file t;
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    fputs("# loopbench report\n\n", t.f);
    markdown_validity(t.f, f);
    put_state(t.f, c->store);
    markdown_findings(t.f, f);
    put_head(t.f, c);
    for (size_t w = 0; w < c->workload_count; w++) {
        fputs("## Workload ", t.f);
        text_markdown(t.f, c->workloads[w]);
        fputs("\n\n", t.f);
        markdown_tables(t.f, c, c->workloads[w]);
        put_pictures(t.f, p, c->workloads[w]);
    }
    markdown_latency(t.f, c);
    markdown_verdicts(t.f, v);
    markdown_trials(t.f, v);
    markdown_missing(t.f, c, p);
    markdown_reading(t.f, c);
    markdown_machine(t.f, c);
    markdown_again(t.f, c);
    return text_end(&t, c->store->dir, "report.md", e);
}
