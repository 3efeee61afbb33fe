/* What two runs should have measured, what of it is not there, and what becomes of limits. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_parts.h"
#include "store/manifest.h"

/* ---- plans */

/* The names, workloads and levels that a run planned; of a manifest that does not say, those met.
 */
struct grid {
    const struct cells *cells;
    const json_t *targets, *workloads, *levels;
};

static struct grid grid_of(const struct cells *c) {
    const json_t *m = c->store->manifest;
    return (struct grid){c, manifest_at(m, "targets"), manifest_at(m, "plan.workloads"),
                         manifest_at(m, "plan.connections")};
}

static size_t target_count(const struct grid *g) {
    const size_t n = json_array_size(g->targets);
    return n ? n : g->cells->target_count;
}

/* NULL: it is no target to compare. */
static const char *target_at(const struct grid *g, size_t i) {
    if (json_array_size(g->targets) == 0) {
        const struct cell_target *t = &g->cells->targets[i];
        return t->role == ROLE_TARGET ? t->name : NULL;
    }
    const json_t *t = json_array_get(g->targets, i);
    const char *role = json_string_value(json_object_get(t, "role"));
    const bool is = role && strcmp(role, record_role_name(ROLE_TARGET)) == 0;
    return is ? json_string_value(json_object_get(t, "name")) : NULL;
}

static bool names_target(const struct grid *g, const char *name) {
    for (size_t i = 0; i < target_count(g); i++) {
        const char *its = target_at(g, i);
        if (its && strcmp(its, name) == 0) {
            return true;
        }
    }
    return false;
}

static size_t workload_count(const struct grid *g) {
    const size_t n = json_array_size(g->workloads);
    return n ? n : g->cells->workload_count;
}

static const char *workload_at(const struct grid *g, size_t i) {
    const char *name = json_array_size(g->workloads)
                           ? json_string_value(json_array_get(g->workloads, i))
                           : g->cells->workloads[i];
    return name ? name : "";
}

static size_t level_count(const struct grid *g) {
    const size_t n = json_array_size(g->levels);
    return n ? n : g->cells->level_count;
}

static int level_at(const struct grid *g, size_t i) {
    return json_array_size(g->levels) ? (int)json_integer_value(json_array_get(g->levels, i))
                                      : g->cells->levels[i];
}

/* ---- what lacks */

static bool is_measured(const struct cells *c, const char *target, const char *workload,
                        int connections) {
    const size_t t = compare_find_target(c, target);
    const struct cell *cell = t == SIZE_MAX ? NULL : cells_find(c, t, workload, connections);
    return cell && cell->measured > 0;
}

/* Of a target in a workload that others were measured in and it in neither run, nothing is known
 * to be missing: not every server answers everything. */
static bool is_asked(const struct compare *c, const char *target, const char *workload) {
    bool others = false;
    bool known = false;
    for (size_t s = 0; s < 2; s++) {
        const struct cells *cells = c->side[s].cells;
        const size_t t = compare_find_target(cells, target);
        known = known || t != SIZE_MAX;
        for (size_t i = 0; i < cells->count; i++) {
            if (strcmp(cells->cell[i].workload, workload) == 0) {
                others = true;
                if (cells->cell[i].target == t) {
                    return true;
                }
            }
        }
    }
    return !others || !known;
}

static void add_lack(struct compare *c, const char *target, const char *workload, int connections) {
    struct compare_lack l = {target, workload, connections, {false, false}};
    for (size_t s = 0; s < 2; s++) {
        l.in[s] = is_measured(c->side[s].cells, target, workload, connections);
    }
    if (!(l.in[0] && l.in[1]) && is_asked(c, target, workload)) {
        c->lack[c->lacks++] = l;
    }
}

static bool is_compared(const struct compare *c, const char *target) {
    return target && !(c->anchor && strcmp(c->anchor, target) == 0);
}

int compare_plan(struct compare *c, const struct compare_options *o, bool all, struct err *e) {
    const struct grid base = grid_of(c->side[0].cells);
    const struct grid other = grid_of(c->side[1].cells);
    const size_t cells = workload_count(&base) * level_count(&base);
    size_t metrics = 0;
    size_t common = 0;
    for (int i = 0; i < ABOUT_COUNT; i++) {
        metrics += all || o->about[i];
    }
    c->lack = calloc(cells * target_count(&base) + 1, sizeof *c->lack);
    if (!c->lack) {
        return err_set(e, ERR_MACHINE, "out of memory comparing two runs");
    }
    for (size_t i = 0; i < target_count(&base); i++) {
        const char *name = target_at(&base, i);
        common += is_compared(c, name) && names_target(&other, name);
    }
    for (size_t i = 0; i < cells * target_count(&base); i++) {
        const size_t group = i / target_count(&base);
        const char *name = target_at(&base, i % target_count(&base));
        if (is_compared(c, name)) {
            add_lack(c, name, workload_at(&base, group / level_count(&base)),
                     level_at(&base, group % level_count(&base)));
        }
    }
    c->planned = common * cells * metrics;
    c->planned = c->planned > c->count ? c->planned : c->count;
    return 0;
}

/* ---- limits */

static enum gate_state judge_row(const struct compare *c, const struct gate_limit *limit,
                                 const struct compare_row *row) {
    return c->doubted || row->adrift ? GATE_UNDECIDED : gate_judge(limit, &row->u);
}

void compare_judge_limit(struct compare *c, const struct gate_limit *limit) {
    struct compare_limit *l = &c->limit[c->limits++];
    *l = (struct compare_limit){.limit = limit};
    bool worst_crossed = false;
    for (size_t i = 0; i < c->count; i++) {
        const struct compare_row *row = &c->row[i];
        if (row->about != limit->about) {
            continue;
        }
        const enum gate_state state = judge_row(c, limit, row);
        l->rows++;
        l->crossed += state == GATE_CROSSED;
        l->undecided += state == GATE_UNDECIDED;
        if ((state == GATE_CROSSED && !worst_crossed) || (state == GATE_UNDECIDED && !l->worst)) {
            l->worst = row;
            worst_crossed = state == GATE_CROSSED;
        }
        if (state == GATE_UNDECIDED && !row->adrift) {
            const size_t n = gate_rounds_needed(limit, &row->u);
            l->rounds_needed = n > l->rounds_needed ? n : l->rounds_needed;
        }
    }
    l->undecided += l->rows > 0 ? c->lacks : 0;
    l->rows += l->rows > 0 ? c->lacks : 0;
    c->crossed += l->crossed > 0;
    c->undecided += l->crossed == 0 && (l->undecided > 0 || l->rows == 0);
}
