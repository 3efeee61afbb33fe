#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/compare.h"
#include "report/counts.h"
#include "report/counts_compare.h"
#include "report/report.h"
#include "report/text.h"
#include "store/catalog.h"
#include "store/counts.h"
#include "store/manifest.h"
#include "ui/commands.h"
#include "ui/progress.h"
#include "ui/recorded.h"
#include "report/reading.h"

static int choose_metrics(struct compare_options *o, const struct config *c,
                          const struct gate *gate, struct err *e) {
    for (size_t i = 0; i < c->metrics.n; i++) {
        const char *name = c->metrics.name[i];
        const enum verdict_about about = gate_metric_find(name, strlen(name));
        if (about == ABOUT_COUNT) {
            return err_set(e, ERR_USAGE,
                           "--metric: none is called '%s'; there are cpu, throughput, p50, p99 and "
                           "memory",
                           name);
        }
        o->about[about] = true;
    }
    for (size_t i = 0; i < gate->count; i++) {
        const enum verdict_about about = gate->limit[i].about;
        if (c->metrics.n > 0 && !o->about[about]) {
            return err_set(e, ERR_USAGE, "--fail-on: %s is not among --metric; add it",
                           gate_metric_name(about));
        }
        o->about[about] = true;
    }
    return 0;
}

static int choose_baseline(const struct config *c, size_t *base, struct err *e) {
    *base = strcmp(c->compare_baseline, "B") == 0 ? 1 : 0;
    return *base == 1 || strcmp(c->compare_baseline, "A") == 0
               ? 0
               : err_set(e, ERR_USAGE,
                         "--baseline: '%s' is neither A nor B; A is the run named "
                         "first",
                         c->compare_baseline);
}

static int write_markdown(const struct compare *c, const char *path, struct err *e) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int rc = out ? compare_write_markdown(c, out, e) : -1;
    if (!out || fclose(out) != 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    }
    rc = rc == 0 ? file_write_named(path, text, len, e) : rc;
    free(text);
    return rc;
}

static int show(const struct compare *c, const struct config *config, struct err *e) {
    if (config->markdown && strcmp(config->markdown, "-") == 0) {
        return compare_write_markdown(c, stdout, e);
    }
    compare_print(stdout, c, progress_style_for(stdout, false).utf8);
    return config->markdown ? write_markdown(c, config->markdown, e) : 0;
}

/* Directions that contradict each other fail whether there are limits or not; sizes do not: a
 * change is what one compares for. */
static int status_of(const struct compare *c, const struct config *config) {
    const bool undecided = c->undecided > 0 && !config->allow_undecided;
    const bool contradicted = c->ratios.of[REPRODUCE_CONTRADICTED] > 0;
    return c->crossed > 0 || undecided || contradicted ? ERR_FAILED : 0;
}

static int compare_readings(const struct reading *a, const struct reading *b,
                            const struct config *c, const char *limits, struct err *e) {
    struct gate gate = {0};
    struct compare compare;
    size_t base;
    struct compare_options o = {
        .anchor = strcmp(c->anchor, "auto") == 0 ? NULL : c->anchor,
        .gate = &gate,
        .fallback = recorded_default,
    };
    if ((*limits && gate_parse(&gate, limits, e) != 0) || choose_metrics(&o, c, &gate, e) != 0 ||
        choose_baseline(c, &base, e) != 0) {
        return -1;
    }
    const struct compare_side side[] = {{"A", &a->cells, &a->verdicts, &a->findings},
                                        {"B", &b->cells, &b->verdicts, &b->findings}};
    if (compare_make(&compare, &side[base], &side[1 - base], &o, e) != 0) {
        return -1;
    }
    int status = show(&compare, c, e);
    status = status == 0 ? status_of(&compare, c) : status;
    compare_release(&compare);
    return status;
}

/* ---- counts */

struct counted {
    char dir[2][PATH_MAX];
    struct store store[2];
    struct counts counts[2];
    int open; /* how many of the two are */
};

static void counted_release(struct counted *k) {
    for (int i = 0; i < k->open; i++) {
        counts_release(&k->counts[i]);
        store_release(&k->store[i]);
    }
}

static int counted_open(struct counted *k, const struct invocation *in, const struct config *c,
                        struct err *e) {
    k->open = 0;
    for (int i = 0; i < 2; i++) {
        if (catalog_resolve(c->results, in->args->operand[i], k->dir[i], sizeof k->dir[i], e) !=
                0 ||
            store_open(&k->store[i], k->dir[i], e) != 0) {
            return -1;
        }
        if (counts_read(&k->counts[i], k->dir[i], e) != 0) {
            store_release(&k->store[i]);
            return -1;
        }
        k->open++;
    }
    return 0;
}

/* What decides counts beside the cell itself must be the same in both runs. */
static int counted_alike(const struct counted *k, struct err *e) {
    static const char *const paths[] = {"plan.mode", "options.workers", "options.db"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char buf[2][64];
        const char *a = manifest_text(k->store[0].manifest, paths[i], buf[0], sizeof buf[0], "");
        const char *b = manifest_text(k->store[1].manifest, paths[i], buf[1], sizeof buf[1], "");
        if (strcmp(a, b) != 0) {
            return err_set(e, ERR_USAGE,
                           "the runs were not counted alike: %s is '%.60s' in A and '%.60s' in B; "
                           "count one of them again",
                           strchr(paths[i], '.') + 1, a, b);
        }
    }
    return 0;
}

static void counted_notes(FILE *out, const struct counted *k, bool utf8) {
    struct alike alike;
    char shown[4 * ALIKE_TEXT_MAX + 8];
    alike_judge(&alike, k->store[0].manifest, k->store[1].manifest, recorded_default);
    if (alike.machine[0]) {
        text_terminal(shown, sizeof shown, alike.machine, ALIKE_TEXT_MAX, utf8);
        fprintf(out, "another machine: %s (libraries choose their code by processor)\n", shown);
    }
    for (size_t i = 0; i < alike.notes; i++) {
        text_terminal(shown, sizeof shown, alike.note[i], ALIKE_TEXT_MAX, utf8);
        fprintf(out, "differs: %s\n", shown);
    }
    for (int i = 0; i < 2; i++) {
        if (k->store[i].state != STORE_COMPLETE) {
            fprintf(out, "%c is not complete: %s\n", 'A' + i, store_state_name(k->store[i].state));
        }
    }
}

/* Prints to `out` and returns the exit status, or -1 with *e. */
static int counted_print(FILE *out, const struct counted *k, const struct config *c,
                         const struct counts_gate *gate, bool utf8, struct err *e) {
    size_t base;
    if (choose_baseline(c, &base, e) != 0 || counted_alike(k, e) != 0) {
        return -1;
    }
    static const char *const labels[] = {"A", "B"};
    struct counts_side side[2];
    for (size_t i = 0; i < 2; i++) {
        side[i] = (struct counts_side){labels[i], k->dir[i], &k->counts[i]};
    }
    counted_notes(out, k, utf8);
    return counts_compare_print(out, &side[base], &side[1 - base], gate, c->allow_undecided, utf8) >
                   0
               ? ERR_FAILED
               : 0;
}

/* A table of a fixed width, which Markdown shows as it is. */
static int counted_markdown(const struct counted *k, const struct config *c,
                            const struct counts_gate *gate, struct err *e) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    fputs("# Counts compared\n\n```\n", out);
    int status = counted_print(out, k, c, gate, true, e);
    fputs("```\n", out);
    if (fclose(out) != 0) {
        status = err_set(e, ERR_MACHINE, "out of memory");
    } else if (status >= 0 && strcmp(c->markdown, "-") == 0) {
        fputs(text, stdout);
    } else if (status >= 0 && file_write_named(c->markdown, text, len, e) != 0) {
        status = -1;
    }
    free(text);
    return status;
}

static int compare_counted(const struct counted *k, const struct config *c,
                           const struct counts_gate *gate, struct err *e) {
    const bool only = counts_only(k->store[0].manifest) || counts_only(k->store[1].manifest);
    const bool to_stdout = c->markdown && strcmp(c->markdown, "-") == 0;
    int status = 0;
    if (c->markdown && only && (status = counted_markdown(k, c, gate, e)) < 0) {
        return -1;
    }
    return to_stdout ? status
                     : counted_print(stdout, k, c, gate, progress_style_for(stdout, false).utf8, e);
}

/* ---- both */

static int compare_timed(const struct counted *k, const struct config *c, const char *limits,
                         struct err *e) {
    struct reading a;
    struct reading b;
    if (reading_open(&a, k->dir[0], e) != 0) {
        return -1;
    }
    int status = reading_open(&b, k->dir[1], e);
    if (status == 0) {
        report_say_damage(stderr, &a.store);
        report_say_damage(stderr, &b.store);
        status = compare_readings(&a, &b, c, limits, e);
        reading_release(&b);
    }
    reading_release(&a);
    return status;
}

static int compare_opened(const struct counted *k, const struct config *c, struct err *e) {
    struct counts_gate gate = {0};
    char limits[1024] = "";
    if (c->fail_on && counts_gate_parse(&gate, c->fail_on, limits, sizeof limits, e) != 0) {
        return -1;
    }
    const bool only = counts_only(k->store[0].manifest) || counts_only(k->store[1].manifest);
    const bool both = k->counts[0].count > 0 && k->counts[1].count > 0;
    if (only && *limits) {
        return err_set(e, ERR_USAGE,
                       "--fail-on: %s: a run of counts alone has no times; limit instructions, "
                       "syscalls, allocations or bytes",
                       limits);
    }
    if (only && !both) {
        return err_set(e, ERR_USAGE,
                       "one run is of counts alone and the other holds none; add them by "
                       "`loopbench count --add`, or name two runs that have them");
    }
    /* With limits on counts alone, times are not asked for. */
    const bool timed = !only && (*limits || gate.count == 0 || c->metrics.n > 0);
    int status = timed ? compare_timed(k, c, limits, e) : 0;
    if (status < 0 || (!only && !both && gate.count == 0)) {
        return status;
    }
    const int counted = compare_counted(k, c, &gate, e);
    return counted != 0 ? counted : status;
}

static int compare_named(const struct invocation *in, const struct config *c, struct err *e) {
    struct counted k;
    int status = counted_open(&k, in, c, e);
    if (status == 0) {
        status = compare_opened(&k, c, e);
    }
    counted_release(&k);
    return status;
}

int command_compare(const struct invocation *in, struct err *e) {
    struct config c = {0};
    if (config_load(&c, &in->args->flags, USE_COMPARE, e) != 0) {
        return -1;
    }
    const int status = compare_named(in, &c, e);
    config_release(&c);
    return status;
}
