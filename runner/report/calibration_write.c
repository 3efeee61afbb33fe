/* A calibration as JSON, as Markdown and for a terminal. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/calibration.h"
#include "report/text.h"
#include "store/manifest.h"

#define CALIBRATION_VERSION 1

/* Room for any figure below. */
#define FIGURE_SIZE 64

/* ---- figures as text */

/* "+3.4%", "n/a" */
static void percent_text(char *out, size_t size, double relative, const char *sign) {
    if (!isfinite(relative)) {
        snprintf(out, size, "n/a");
    } else if (*sign) {
        snprintf(out, size, "%+.1f%%", 100 * relative);
    } else {
        snprintf(out, size, "%.1f%%", 100 * relative);
    }
}

/* "+3.4% [+2.1, +4.7]", "n/a" */
static void measured_text(char *out, size_t size, const struct verdict *v) {
    if (!isfinite(v->yuen.mean) || !isfinite(v->log_lo)) {
        snprintf(out, size, "n/a");
        return;
    }
    snprintf(out, size, "%+.1f%% [%+.1f, %+.1f]", 100 * expm1(v->yuen.mean), 100 * expm1(v->log_lo),
             100 * expm1(v->log_hi));
}

static void p_text(char *out, size_t size, double p) {
    if (isfinite(p)) {
        snprintf(out, size, "%.2g", p);
    } else {
        snprintf(out, size, "n/a");
    }
}

static const char *found_text(const struct calibration_step *s) {
    if (s->found) {
        return s->verdict.fragile ? "yes, fragile" : "yes";
    }
    return s->verdict.kind == VERDICT_INSUFFICIENT ? "too few blocks" : "no";
}

/* What the A/A control shows; nothing is what it should. */
static const char *control_text(const struct calibration *c) {
    switch (c->aa.state) {
    case AA_VALIDATED:
        return "nothing";
    case AA_ABSENT:
        return "not measured";
    case AA_INSUFFICIENT:
        return "too few blocks";
    case AA_ALARM:
        return "FALSE ALARM";
    case AA_BIASED:
        break;
    }
    return "BIASED";
}

/* ---- JSON */

static json_t *real_or_null(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *verdict_json(const struct verdict *v) {
    char text[VERDICT_TEXT_MAX];
    verdict_text(v, METRIC_CPU, text, sizeof text);
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:{s:I, s:I, s:I}}", "verdict",
                     verdict_name(v->kind), "text", text, "fragile", v->fragile, "ratio",
                     real_or_null(v->ratio), "lo", real_or_null(v->lo), "hi", real_or_null(v->hi),
                     "signed_rank_p", real_or_null(v->signed_rank_p), "blocks", "planned",
                     (json_int_t)v->pairs.planned, "valid", (json_int_t)v->pairs.valid, "needed",
                     (json_int_t)v->needed);
}

static json_t *steps_json(const struct calibration *c) {
    json_t *list = json_array();
    for (size_t i = 0; i < c->steps; i++) {
        const struct calibration_step *s = &c->step[i];
        json_t *step =
            json_pack("{s:s, s:f, s:I, s:o, s:b, s:o}", "target", s->target, "percent", s->percent,
                      "ns", (json_int_t)s->ns, "nominal_percent", real_or_null(s->nominal_percent),
                      "found", s->found, "ungated", verdict_json(&s->ungated));
        json_t *verdict = verdict_json(&s->verdict);
        json_object_update(step, verdict);
        json_decref(verdict);
        json_array_append_new(list, step);
    }
    return list;
}

static json_t *sizes_json(const struct calibration *c) {
    json_t *list = json_array();
    for (size_t i = 0; i < CALIBRATION_SIZES; i++) {
        const struct calibration_size *s = &c->size[i];
        json_array_append_new(list, json_pack("{s:I, s:o, s:o}", "rounds", (json_int_t)s->rounds,
                                              "few_ratios", real_or_null(s->few), "many_ratios",
                                              real_or_null(s->many)));
    }
    return list;
}

static json_t *control_json(const struct calibration *c) {
    json_t *control = verdict_json(&c->control);
    json_object_set_new(control, "ungated", verdict_json(&c->control_ungated));
    json_object_set_new(control, "validated", json_boolean(c->aa.state == AA_VALIDATED));
    json_object_set_new(control, "false_alarms", json_integer((json_int_t)c->aa.alarms));
    json_object_set_new(control, "pooled_lo", real_or_null(exp(c->aa.log_lo)));
    json_object_set_new(control, "pooled_hi", real_or_null(exp(c->aa.log_hi)));
    return control;
}

static json_t *noise_json(const struct calibration_noise *n) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "cpu_cv",
                     real_or_null(n->cpu_cv), "rate_cv", real_or_null(n->rate_cv), "aa_log_sd",
                     real_or_null(n->log_sd), "steal_ratio_max", real_or_null(n->steal_max),
                     "foreign_cpus_median", real_or_null(n->foreign_median), "speed_spread",
                     real_or_null(n->speed_spread), "trials", (json_int_t)n->trials,
                     "trials_invalid", (json_int_t)n->invalid, "blocks", (json_int_t)n->blocks,
                     "blocks_repeated", (json_int_t)n->repeated);
}

static int write_json(const struct calibration *c, struct err *e) {
    const char *dir = c->cells->store->dir;
    struct text_file t;
    json_t *root = json_pack(
        "{s:s, s:i, s:s?, s:s, s:s, s:i, s:I, s:o, s:o, s:o, s:o, s:i, s:f, s:o, s:b, s:s}",
        "format", "loopbench-calibration", "format_version", CALIBRATION_VERSION, "run_id",
        json_string_value(manifest_at(c->cells->store->manifest, "run_id")), "target", c->base,
        "workload", c->workload, "connections", c->connections, "rounds",
        (json_int_t)c->cells->rounds, "cpu_us_per_request", real_or_null(c->base_us), "handicaps",
        steps_json(c), "control", control_json(c), "smallest_shown", sizes_json(c), "many",
        CALIBRATION_MANY, "power", CALIBRATION_POWER, "noise", noise_json(&c->noise), "calibrated",
        c->passed, "conclusion", c->conclusion);
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    if (!text || text_begin(&t, e) != 0) {
        free(text);
        return err_set(e, ERR_MACHINE, "out of memory writing %s/calibration.json", dir);
    }
    fputs(text, t.f);
    fputc('\n', t.f);
    free(text);
    return text_end(&t, dir, "calibration.json", e);
}

/* ---- Markdown */

static void markdown_steps(FILE *f, const struct calibration *c) {
    char nominal[FIGURE_SIZE];
    char measured[FIGURE_SIZE];
    char ungated[FIGURE_SIZE];
    char p[FIGURE_SIZE];
    fputs("| Handicap | Nominal | Measured [interval] | Found | Wilcoxon p | Verdict | Ungated |\n"
          "|---|---|---|---|---|---|---|\n",
          f);
    for (size_t i = 0; i < c->steps; i++) {
        const struct calibration_step *s = &c->step[i];
        char text[VERDICT_TEXT_MAX];
        percent_text(nominal, sizeof nominal, s->nominal_percent / 100, "+");
        measured_text(measured, sizeof measured, &s->verdict);
        p_text(p, sizeof p, s->verdict.signed_rank_p);
        measured_text(ungated, sizeof ungated, &s->ungated);
        verdict_text(&s->verdict, METRIC_CPU, text, sizeof text);
        fprintf(f, "| %" PRId64 " ns | %s | %s | %s | %s | %s | %s |\n", s->ns, nominal, measured,
                found_text(s), p, text, ungated);
    }
    measured_text(measured, sizeof measured, &c->control);
    p_text(p, sizeof p, c->control.signed_rank_p);
    measured_text(ungated, sizeof ungated, &c->control_ungated);
    fprintf(f, "| none (A/A) | 0 | %s | %s | %s | | %s |\n", measured, control_text(c), p, ungated);
    fprintf(
        f,
        "\nMeasured is the ratio to the same server without a handicap, by its log ratios in the "
        "blocks that are valid, with the interval at level %.3g; ungated takes all blocks as "
        "they were measured first. ",
        c->control.alpha);
    fprintf(
        f,
        "These are %zu ratios, fixed before the run. report.md shows the same ratios among all "
        "pairs and figures of the run; it allows for all of those, so its intervals are wider. ",
        c->steps);
    if (isfinite(c->aa.log_lo)) {
        fprintf(f, "The pooled 95%% interval of the A/A control is [%+.2f%%, %+.2f%%].",
                100 * expm1(c->aa.log_lo), 100 * expm1(c->aa.log_hi));
    }
    fputc('\n', f);
}

static void markdown_sizes(FILE *f, const struct calibration *c) {
    fprintf(f,
            "\n## The smallest difference this machine can show\n\n"
            "With %.0f%% power, from the spread of the A/A log ratios, on CPU per request.\n\n"
            "| Rounds | as one of %zu ratios | as one of %d |\n|---|---|---|\n",
            100 * CALIBRATION_POWER, c->steps, CALIBRATION_MANY);
    for (size_t i = 0; i < CALIBRATION_SIZES; i++) {
        char few[FIGURE_SIZE];
        char many[FIGURE_SIZE];
        percent_text(few, sizeof few, c->size[i].few, "");
        percent_text(many, sizeof many, c->size[i].many, "");
        fprintf(f, "| %zu | %s | %s |\n", c->size[i].rounds, few, many);
    }
}

static void markdown_noise(FILE *f, const struct calibration_noise *n) {
    const struct {
        const char *what;
        double value;
    } rows[] = {
        {"CPU per request, coefficient of variation between rounds", n->cpu_cv},
        {"throughput, the same", n->rate_cv},
        {"A/A log ratios of CPU per request, standard deviation", n->log_sd},
        {"speed of the machine, slowest against fastest spin", n->speed_spread},
        {"CPU time stolen, worst trial", n->steal_max},
        {"CPU used by others, median trial, of one CPU", n->foreign_median},
    };
    fputs("\n## Noise\n\n| Figure | |\n|---|---|\n", f);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char value[FIGURE_SIZE];
        percent_text(value, sizeof value, rows[i].value, "");
        fprintf(f, "| %s | %s |\n", rows[i].what, value);
    }
    fprintf(f, "| trials that count, of them invalid | %zu, %zu |\n", n->trials, n->invalid);
    fprintf(f, "| blocks, of them run again | %zu, %zu |\n", n->blocks, n->repeated);
}

static int write_markdown(const struct calibration *c, struct err *e) {
    struct text_file t;
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    fprintf(t.f, "# Calibration\n\n%s.\n\n", c->conclusion);
    fputs("Target ", t.f);
    text_code(t.f, c->base);
    char cost[FIGURE_SIZE];
    figure_format(cost, sizeof cost, FIG_CPU, c->base_us);
    fprintf(t.f,
            ", workload %s, %d connection%s, %zu round%s; CPU per request %s. Known amounts of CPU "
            "were burnt for each request; this is what was found of them.\n\n",
            c->workload, c->connections, c->connections == 1 ? "" : "s", c->cells->rounds,
            c->cells->rounds == 1 ? "" : "s", cost);
    markdown_steps(t.f, c);
    markdown_sizes(t.f, c);
    markdown_noise(t.f, &c->noise);
    return text_end(&t, c->cells->store->dir, "calibration.md", e);
}

int calibration_write(const struct calibration *c, struct err *e) {
    return write_json(c, e) != 0 ? -1 : write_markdown(c, e);
}

/* ---- terminal */

static void print_steps(FILE *out, const struct calibration *c) {
    char nominal[FIGURE_SIZE];
    char measured[FIGURE_SIZE];
    char ungated[FIGURE_SIZE];
    char p[FIGURE_SIZE];
    /* Of a quiet run the two are the same. */
    const bool both = c->noise.invalid > 0 || c->noise.repeated > 0;
    fprintf(out, "  %-10s %8s  %-22s %-14s %-10s%s\n", "handicap", "nominal", "measured", "found",
            "Wilcoxon p", both ? "  ungated" : "");
    for (size_t i = 0; i < c->steps; i++) {
        const struct calibration_step *s = &c->step[i];
        char ns[FIGURE_SIZE];
        snprintf(ns, sizeof ns, "%" PRId64 " ns", s->ns);
        percent_text(nominal, sizeof nominal, s->nominal_percent / 100, "+");
        measured_text(measured, sizeof measured, &s->verdict);
        measured_text(ungated, sizeof ungated, &s->ungated);
        p_text(p, sizeof p, s->verdict.signed_rank_p);
        fprintf(out, "  %-10s %8s  %-22s %-14s %-10s%s%s\n", ns, nominal, measured, found_text(s),
                p, both ? "  " : "", both ? ungated : "");
    }
    measured_text(measured, sizeof measured, &c->control);
    measured_text(ungated, sizeof ungated, &c->control_ungated);
    p_text(p, sizeof p, c->control.signed_rank_p);
    fprintf(out, "  %-10s %8s  %-22s %-14s %-10s%s%s\n", "none (A/A)", "0", measured,
            control_text(c), p, both ? "  " : "", both ? ungated : "");
    fprintf(out,
            "  the run's report allows for more than these %zu ratios: its intervals are wider\n",
            c->steps);
}

static void print_sizes(FILE *out, const struct calibration *c) {
    char text[FIGURE_SIZE];
    fprintf(out, "\n  smallest difference shown (power %.0f%%)", 100 * CALIBRATION_POWER);
    for (size_t i = 0; i < CALIBRATION_SIZES; i++) {
        fprintf(out, "   N=%-4zu", c->size[i].rounds);
    }
    for (int many = 0; many <= 1; many++) {
        char label[FIGURE_SIZE];
        snprintf(label, sizeof label, "as one of %zu ratios",
                 many ? (size_t)CALIBRATION_MANY : c->steps);
        fprintf(out, "\n    %-37s", label);
        for (size_t i = 0; i < CALIBRATION_SIZES; i++) {
            percent_text(text, sizeof text, many ? c->size[i].many : c->size[i].few, "");
            fprintf(out, "   %-6s", text);
        }
    }
    fputc('\n', out);
}

static void print_noise(FILE *out, const struct calibration_noise *n) {
    char cpu[FIGURE_SIZE];
    char rate[FIGURE_SIZE];
    char aa[FIGURE_SIZE];
    char speed[FIGURE_SIZE];
    char foreign[FIGURE_SIZE];
    char steal[FIGURE_SIZE];
    percent_text(cpu, sizeof cpu, n->cpu_cv, "");
    percent_text(rate, sizeof rate, n->rate_cv, "");
    percent_text(aa, sizeof aa, n->log_sd, "");
    percent_text(speed, sizeof speed, n->speed_spread, "");
    percent_text(foreign, sizeof foreign, n->foreign_median, "");
    percent_text(steal, sizeof steal, n->steal_max, "");
    fprintf(out,
            "\n  noise: CPU/req varies by %s between rounds, req/s by %s, A/A ratios by %s\n"
            "         machine speed by %s; others used %s of a CPU, at most %s was stolen\n"
            "         %zu of %zu trials invalid, %zu of %zu blocks run again\n",
            cpu, rate, aa, speed, foreign, steal, n->invalid, n->trials, n->repeated, n->blocks);
}

void calibration_print(FILE *out, const struct calibration *c, bool utf8) {
    char cost[FIGURE_SIZE];
    snprintf(cost, sizeof cost, "n/a");
    if (isfinite(c->base_us)) {
        snprintf(cost, sizeof cost, "%.2f %s", c->base_us, utf8 ? "µs" : "us");
    }
    fprintf(out, "\n%s, %s, %d connection%s, %zu round%s: CPU per request %s\n\n", c->base,
            c->workload, c->connections, c->connections == 1 ? "" : "s", c->cells->rounds,
            c->cells->rounds == 1 ? "" : "s", cost);
    print_steps(out, c);
    print_sizes(out, c);
    print_noise(out, &c->noise);
    fprintf(out, "\n%s.\n\n", c->conclusion);
}
