#include "report/verdicts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/verdicts_parts.h"
#include "store/manifest.h"

static const struct verdict_about_info infos[ABOUT_COUNT] = {
    [ABOUT_CPU] = {"CPU per request", FIG_CPU, METRIC_CPU},
    [ABOUT_RATE] = {"throughput", FIG_RATE, METRIC_THROUGHPUT},
    [ABOUT_P50] = {"p50", FIG_P50, METRIC_LATENCY},
    [ABOUT_P99] = {"p99", FIG_P99, METRIC_LATENCY},
    [ABOUT_MEMORY] = {"peak memory", FIG_RSS_PEAK, METRIC_MEMORY},
};

const struct verdict_about_info *verdict_about_info(enum verdict_about about) {
    return &infos[about];
}

static int no_memory(const struct cells *c, struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory for the verdicts of %s", c->store->dir);
}

static size_t find_target(const struct cells *c, const char *name) {
    for (size_t t = 0; t < c->target_count; t++) {
        if (strcmp(c->targets[t].name, name) == 0) {
            return t;
        }
    }
    return SIZE_MAX;
}

static bool is_compared(const struct cells *c, size_t t) {
    return t != SIZE_MAX && c->targets[t].role == ROLE_TARGET;
}

static int refuse_baseline(const struct cells *c, const char *name, struct err *e) {
    char known[512];
    size_t used = 0;
    known[0] = '\0';
    for (size_t t = 0; t < c->target_count; t++) {
        if (is_compared(c, t) && used < sizeof known) {
            int n = snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                             c->targets[t].name);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    return err_set(e, ERR_USAGE, "--baseline %s: not compared in %s, which has %s", name,
                   c->store->dir, known);
}

static int choose_baseline(struct verdicts *v, const struct verdicts_options *o, struct err *e) {
    const struct cells *c = v->cells;
    const char *planned = json_string_value(manifest_at(c->store->manifest, "options.baseline"));
    const char *name = o->baseline ? o->baseline : planned;
    v->baseline = name ? find_target(c, name) : SIZE_MAX;
    if (o->baseline && !is_compared(c, v->baseline)) {
        return refuse_baseline(c, name, e);
    }
    if (!is_compared(c, v->baseline)) {
        v->baseline = SIZE_MAX; /* planned, but never measured: nothing to compare with */
    }
    v->baseline_planned =
        planned && v->baseline != SIZE_MAX && strcmp(planned, c->targets[v->baseline].name) == 0;
    return 0;
}

/* Is t compared with u, as A with B? */
static bool is_pair(const struct verdicts *v, size_t t, size_t u) {
    if (!is_compared(v->cells, t) || !is_compared(v->cells, u) || t == u) {
        return false;
    }
    return v->baseline == SIZE_MAX ? t < u : u == v->baseline;
}

static bool is_control_of(const struct cells *c, size_t t, size_t u) {
    return c->targets[t].role == ROLE_CONTROL && t != u &&
           strcmp(c->targets[t].base, c->targets[u].name) == 0;
}

size_t verdicts_group_end(const struct cells *c, size_t i) {
    size_t j = i;
    while (j < c->count && c->cell[j].connections == c->cell[i].connections &&
           strcmp(c->cell[j].workload, c->cell[i].workload) == 0) {
        j++;
    }
    return j;
}

static void add_rows(struct verdicts *v, size_t from, size_t to, enum verdict_about about,
                     bool control) {
    const struct cells *c = v->cells;
    for (size_t i = from; i < to; i++) {
        for (size_t j = from; j < to; j++) {
            const struct cell *a = &c->cell[i];
            const struct cell *b = &c->cell[j];
            if (control ? is_control_of(c, a->target, b->target)
                        : is_pair(v, a->target, b->target)) {
                if (v->row) {
                    v->row[v->count] =
                        (struct verdict_row){.about = about, .control = control, .a = a, .b = b};
                }
                v->count++;
            }
        }
    }
}

static void list_rows(struct verdicts *v) {
    const struct cells *c = v->cells;
    v->count = 0;
    for (int control = 0; control < 2; control++) {
        for (int about = 0; about < ABOUT_COUNT; about++) {
            for (size_t i = 0; i < c->count; i = verdicts_group_end(c, i)) {
                add_rows(v, i, verdicts_group_end(c, i), (enum verdict_about)about, control);
            }
        }
        v->pair_count = control ? v->pair_count : v->count;
    }
}

static int make_rows(struct verdicts *v, struct err *e) {
    list_rows(v); /* counts */
    v->row = calloc(v->count + 1, sizeof *v->row);
    v->trials = calloc(v->cells->target_count + 1, sizeof *v->trials);
    if (!v->row || !v->trials) {
        return no_memory(v->cells, e);
    }
    list_rows(v);
    return 0;
}

static void find_roles(struct verdicts *v) {
    const struct cells *c = v->cells;
    v->control = SIZE_MAX;
    for (size_t t = c->target_count; t-- > 0;) {
        v->control = c->targets[t].role == ROLE_CONTROL ? t : v->control;
        v->has_null = v->has_null || c->targets[t].role == ROLE_NULL;
    }
}

int verdicts_build(struct verdicts *v, const struct cells *c, const struct verdicts_options *o,
                   struct err *e) {
    struct verdict_source source;
    *v = (struct verdicts){.cells = c};
    if (choose_baseline(v, o, e) != 0) {
        return -1;
    }
    find_roles(v);
    verdicts_plan(v, o);
    if (make_rows(v, e) != 0) {
        verdicts_release(v);
        return -1;
    }
    if (verdict_source_init(&source, c) != 0) {
        verdicts_release(v);
        return no_memory(c, e);
    }
    for (size_t i = 0; i < v->count; i++) {
        verdict_row_judge(&v->row[i], &source, &v->rule);
    }
    int rc = verdicts_judge_control(v, &source);
    verdict_source_release(&source);
    verdicts_count_trials(v);
    if (rc != 0) {
        verdicts_release(v);
        return no_memory(c, e);
    }
    return 0;
}

void verdicts_release(struct verdicts *v) {
    free(v->row);
    free(v->trials);
    *v = (struct verdicts){0};
}
