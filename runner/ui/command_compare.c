#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/compare.h"
#include "store/catalog.h"
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
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const int n = slash ? snprintf(dir, sizeof dir, "%.*s", (int)(slash - path), path)
                        : snprintf(dir, sizeof dir, ".");
    if (n < 0 || (size_t)n >= sizeof dir || !*name) {
        return err_set(e, ERR_USAGE, "--markdown: '%s' is no name for a file", path);
    }
    return compare_write(c, *dir ? dir : "/", name, false, NULL, e);
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
                            const struct config *c, struct err *e) {
    struct gate gate = {0};
    struct compare compare;
    size_t base;
    struct compare_options o = {
        .anchor = strcmp(c->anchor, "auto") == 0 ? NULL : c->anchor,
        .gate = &gate,
        .fallback = recorded_default,
    };
    if ((c->fail_on && gate_parse(&gate, c->fail_on, e) != 0) ||
        choose_metrics(&o, c, &gate, e) != 0 || choose_baseline(c, &base, e) != 0) {
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

static int compare_named(const struct invocation *in, const struct config *c, struct err *e) {
    char dir[PATH_MAX];
    struct reading a;
    struct reading b;
    if (catalog_resolve(c->results, in->args->operand[0], dir, sizeof dir, e) != 0 ||
        reading_open(&a, dir, e) != 0) {
        return -1;
    }
    int status = catalog_resolve(c->results, in->args->operand[1], dir, sizeof dir, e);
    if (status == 0) {
        status = reading_open(&b, dir, e);
    }
    if (status == 0) {
        status = compare_readings(&a, &b, c, e);
        reading_release(&b);
    }
    reading_release(&a);
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
