/* A cross-check as JSON, as Markdown and for a terminal. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/crosscheck.h"
#include "report/text.h"
#include "store/manifest.h"

#define CROSSCHECK_VERSION 1
#define FIGURE_SIZE        64
#define ROW_FIGURES        9

/* How a figure is written, and what it is called. */
struct column {
    enum crosscheck_figure figure;
    const char *key;   /* in JSON */
    const char *title; /* of the Markdown table */
    const char *brief; /* for a terminal */
};

static const struct column columns[CROSS_FIGURES] = {
    {CROSS_RATE, "requests_per_second", "requests/s", "req/s"},
    {CROSS_SERVER_CPU, "server_cpu_us_per_request", "server CPU/request", "server"},
    {CROSS_OWN_CPU, "generator_cpu_us_per_request", "its own CPU/request", "own CPU"},
    {CROSS_BUSY, "generator_busy", "busy", "busy"},
    {CROSS_SERVER, "server_cpus_used", "server CPUs", "srv CPUs"},
    {CROSS_BYTES, "bytes_per_reply", "bytes/reply", "bytes"},
    {CROSS_P50, "latency_p50_us", "p50", "p50"},
    {CROSS_P99, "latency_p99_us", "p99", "p99"},
    {CROSS_MAX, "latency_max_us", "max", "max"},
    {CROSS_SLEEPS, "server_sleeps_per_request", "server sleeps/request", "sleeps"},
    {CROSS_ACCEPTED, "connections_accepted", "connections", "conns"},
    {CROSS_DURATION, "duration_us", "measured", "time"},
};

/* A time that is finer than the generator can tell is written as below its step. */
static void figure_text(char *out, size_t size, const struct crosscheck_side *s,
                        enum crosscheck_figure id) {
    double v = s->figure[id].median;
    bool latency = id == CROSS_P50 || id == CROSS_P99 || id == CROSS_MAX;
    if (!isfinite(v)) {
        snprintf(out, size, "n/a");
    } else if (id == CROSS_RATE) {
        figure_thousands(out, size, v);
    } else if (id == CROSS_BUSY) {
        snprintf(out, size, "%.0f%%", 100 * v);
    } else if (id == CROSS_SERVER) {
        snprintf(out, size, "%.2f", v);
    } else if (id == CROSS_SLEEPS) {
        snprintf(out, size, "%.3f", v);
    } else if (id == CROSS_BYTES || id == CROSS_ACCEPTED) {
        snprintf(out, size, "%.*f", id == CROSS_BYTES, v);
    } else if (latency && s->step_us > 1 && v < (double)s->step_us) {
        snprintf(out, size, "< %.0f ms", (double)s->step_us / 1e3);
    } else if (latency || id == CROSS_DURATION) {
        figure_format(out, size, FIG_MAX, v);
    } else {
        figure_format(out, size, FIG_CPU, v);
    }
}

/* "0.42 [0.40, 0.44]" of wrk's rate; "1" for wrk. */
static void ratio_text(char *out, size_t size, const struct crosscheck_cell *cell, size_t i) {
    const struct verdict *v = &cell->side[i].rate;
    if (i == 0) {
        snprintf(out, size, "1");
    } else if (v->kind == VERDICT_INSUFFICIENT) {
        snprintf(out, size, "insufficient");
    } else if (!isfinite(v->ratio)) {
        snprintf(out, size, "n/a");
    } else {
        snprintf(out, size, "%.2f [%.2f, %.2f]", v->ratio, v->lo, v->hi);
    }
}

static const char *version_of(const struct crosscheck *c, const char *generator) {
    const json_t *all = manifest_at(c->cells->store->manifest, "generators");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *g = json_array_get(all, i);
        const char *name = json_string_value(json_object_get(g, "name"));
        const char *version = json_string_value(json_object_get(g, "version"));
        if (name && version && strcmp(name, generator) == 0) {
            return version;
        }
    }
    return "version unknown";
}

/* ---- JSON */

static json_t *real_or_null(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *count_or_null(int64_t v) {
    return v >= 0 ? json_integer(v) : json_null();
}

static json_t *verdict_json(const struct verdict *v, const struct verdict *ungated) {
    json_t *out =
        json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:{s:I, s:I, s:I}}", "verdict",
                  verdict_name(v->kind), "fragile", v->fragile, "ratio", real_or_null(v->ratio),
                  "lo", real_or_null(v->lo), "hi", real_or_null(v->hi), "signed_rank_p",
                  real_or_null(v->signed_rank_p), "blocks", "planned", (json_int_t)v->pairs.planned,
                  "valid", (json_int_t)v->pairs.valid, "needed", (json_int_t)v->needed);
    json_object_set_new(out, "ungated",
                        json_pack("{s:s, s:o, s:o, s:o}", "verdict", verdict_name(ungated->kind),
                                  "ratio", real_or_null(ungated->ratio), "lo",
                                  real_or_null(ungated->lo), "hi", real_or_null(ungated->hi)));
    return out;
}

static json_t *side_json(const struct crosscheck *c, const struct crosscheck_cell *cell, size_t i) {
    const struct crosscheck_side *s = &cell->side[i];
    struct crosscheck_words words;
    json_t *figures = json_object();
    json_t *says = json_array();
    for (size_t k = 0; k < CROSS_FIGURES; k++) {
        const struct order_summary *o = &s->figure[columns[k].figure];
        json_object_set_new(figures, columns[k].key,
                            json_pack("{s:o, s:o, s:o}", "median", real_or_null(o->median), "lo",
                                      real_or_null(o->lo), "hi", real_or_null(o->hi)));
    }
    crosscheck_say(c, cell, i, &words);
    for (size_t k = 0; k < words.n; k++) {
        json_array_append_new(says, json_string(words.text[k]));
    }
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:s, s:{s:I, s:o, s:o}, s:o, s:o, s:o, s:o}",
        "generator", s->generator, "version", version_of(c, s->generator), "trials",
        (json_int_t)s->trials, "failed", (json_int_t)s->failed, "invalid", (json_int_t)s->invalid,
        "threads", count_or_null(s->threads), "latency_step_us", count_or_null(s->step_us),
        "client", client_state_name(s->client), "counted", "trials", (json_int_t)s->asked,
        "generator", count_or_null(s->asked > 0 ? s->told : -1), "server",
        count_or_null(s->asked > 0 ? s->served : -1), "figures", figures, "rate_of_wrk",
        i > 0 ? verdict_json(&s->rate, &s->rate_ungated) : json_null(), "server_cpu_of_wrk",
        i > 0 ? verdict_json(&s->server_cpu, &s->server_cpu_ungated) : json_null(), "says", says);
}

static json_t *cells_json(const struct crosscheck *c) {
    json_t *all = json_array();
    for (size_t i = 0; i < c->count; i++) {
        const struct crosscheck_cell *cell = &c->cell[i];
        json_t *sides = json_array();
        for (size_t k = 0; k < cell->n; k++) {
            json_array_append_new(sides, side_json(c, cell, k));
        }
        json_array_append_new(all, json_pack("{s:s, s:s, s:i, s:o}", "target", cell->target,
                                             "workload", cell->workload, "connections",
                                             cell->connections, "generators", sides));
    }
    return all;
}

static int write_json(const struct crosscheck *c, struct err *e) {
    const char *dir = c->cells->store->dir;
    struct text_file t;
    json_t *root =
        json_pack("{s:s, s:i, s:s?, s:I, s:I, s:f, s:f, s:o}", "format", "loopbench-crosscheck",
                  "format_version", CROSSCHECK_VERSION, "run_id",
                  json_string_value(manifest_at(c->cells->store->manifest, "run_id")), "rounds",
                  (json_int_t)c->cells->rounds, "ratios", (json_int_t)c->ratios, "level",
                  c->rule.alpha, "margin", c->rule.margin, "cells", cells_json(c));
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    if (!text || text_begin(&t, e) != 0) {
        free(text);
        return err_set(e, ERR_MACHINE, "out of memory writing %s/crosscheck.json", dir);
    }
    fputs(text, t.f);
    fputc('\n', t.f);
    free(text);
    return text_end(&t, dir, "crosscheck.json", e);
}

/* ---- Markdown */

static void markdown_table(FILE *f, const struct crosscheck *c,
                           const struct crosscheck_cell *cell) {
    char text[FIGURE_SIZE];
    fputs("| Generator | of wrk's rate [interval] |", f);
    for (size_t k = 0; k < CROSS_FIGURES; k++) {
        fprintf(f, " %s |", columns[k].title);
    }
    fputs("\n|---|---|", f);
    for (size_t k = 0; k < CROSS_FIGURES; k++) {
        fputs("--:|", f);
    }
    for (size_t i = 0; i < cell->n; i++) {
        const struct crosscheck_side *s = &cell->side[i];
        fputs("\n| ", f);
        text_markdown(f, s->generator);
        fputc(' ', f);
        text_markdown(f, version_of(c, s->generator));
        ratio_text(text, sizeof text, cell, i);
        fprintf(f, " | %s |", text);
        for (size_t k = 0; k < CROSS_FIGURES; k++) {
            figure_text(text, sizeof text, s, columns[k].figure);
            fprintf(f, " %s |", text);
        }
    }
    fputs("\n\n", f);
}

static void markdown_says(FILE *f, const struct crosscheck *c, const struct crosscheck_cell *cell) {
    struct crosscheck_words words;
    for (size_t i = 0; i < cell->n; i++) {
        crosscheck_say(c, cell, i, &words);
        fputs("- **", f);
        text_markdown(f, cell->side[i].generator);
        fputs("**\n", f);
        for (size_t k = 0; k < words.n; k++) {
            fputs("  - ", f);
            text_markdown(f, words.text[k]);
            fputc('\n', f);
        }
    }
    fputc('\n', f);
}

static int write_markdown(const struct crosscheck *c, struct err *e) {
    struct text_file t;
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    fputs("# Cross-check of load generators\n\n", t.f);
    fprintf(t.f,
            "The same cells by several load generators, in %zu interleaved rounds on fresh "
            "processes. Figures are medians of what each generator says; CPU is the kernel's "
            "account, and the server's is divided by the requests that the server counted. Ratios "
            "to wrk are of blocks in which both are valid, with their interval at level %.2g.\n",
            c->cells->rounds, c->rule.alpha);
    for (size_t i = 0; i < c->count; i++) {
        const struct crosscheck_cell *cell = &c->cell[i];
        fputs("\n## ", t.f);
        text_markdown(t.f, cell->target);
        fputs(", ", t.f);
        text_markdown(t.f, cell->workload);
        fprintf(t.f, ", %d connection%s\n\n", cell->connections, cell->connections == 1 ? "" : "s");
        markdown_table(t.f, c, cell);
        markdown_says(t.f, c, cell);
    }
    return text_end(&t, c->cells->store->dir, "crosscheck.md", e);
}

int crosscheck_write(const struct crosscheck *c, struct err *e) {
    return write_json(c, e) != 0 ? -1 : write_markdown(c, e);
}

/* ---- terminal */

/* µ has no place in columns counted in bytes, nor on a terminal without UTF-8. */
static void plain(char *text) {
    char *mu = strstr(text, "\xc2\xb5");
    if (mu) {
        mu[0] = 'u';
        memmove(mu + 1, mu + 2, strlen(mu + 2) + 1);
    }
}

static void print_table(FILE *out, const struct crosscheck_cell *cell) {
    char text[FIGURE_SIZE];
    fprintf(out, "  %-8s %-18s", "", "of wrk's rate");
    for (size_t k = 0; k < ROW_FIGURES; k++) {
        fprintf(out, " %9s", columns[k].brief);
    }
    fputc('\n', out);
    for (size_t i = 0; i < cell->n; i++) {
        ratio_text(text, sizeof text, cell, i);
        fprintf(out, "  %-8.8s %-18s", cell->side[i].generator, text);
        for (size_t k = 0; k < ROW_FIGURES; k++) {
            figure_text(text, sizeof text, &cell->side[i], columns[k].figure);
            plain(text);
            fprintf(out, " %9s", text);
        }
        fputc('\n', out);
    }
}

void crosscheck_print(FILE *out, const struct crosscheck *c, bool utf8) {
    struct crosscheck_words words;
    char name[RECORD_NAME_SIZE * 4];
    for (size_t i = 0; i < c->count; i++) {
        const struct crosscheck_cell *cell = &c->cell[i];
        text_terminal(name, sizeof name, cell->target, RECORD_NAME_SIZE, utf8);
        fprintf(out, "\n%s, %s, %d connection%s, %zu round%s\n\n", name, cell->workload,
                cell->connections, cell->connections == 1 ? "" : "s", c->cells->rounds,
                c->cells->rounds == 1 ? "" : "s");
        print_table(out, cell);
        for (size_t k = 0; k < cell->n; k++) {
            crosscheck_say(c, cell, k, &words);
            fprintf(out, "\n  %s\n", cell->side[k].generator);
            for (size_t n = 0; n < words.n; n++) {
                char line[CROSSCHECK_SAY_SIZE];
                text_terminal(line, sizeof line, words.text[n], sizeof line - 1, utf8);
                fprintf(out, "    - %s\n", line);
            }
        }
    }
    fputc('\n', out);
}
