/* What a comparison says about itself. */
#include <math.h>
#include <string.h>

#include "report/compare_parts.h"

void compare_method_text(const struct compare *c, char *out, size_t size) {
    if (c->alike.machine[0]) {
        snprintf(out, size,
                 "Two machines (%.200s): sizes are not compared; each ratio of two targets is "
                 "judged by its direction.",
                 c->alike.machine);
    } else if (c->anchor) {
        snprintf(out, size,
                 "Every figure but memory is held against that of %.64s in the same block, which "
                 "cancels what slowed the machine as a whole.%s",
                 c->anchor,
                 c->anchor_changed ? " But that target is recorded as another program in the two "
                                     "runs: a change of it looks like one of all others."
                                   : "");
    } else {
        snprintf(out, size,
                 "Without an anchor, a target that is the same in both runs: a change of the "
                 "machine between the runs would look like a change of the targets.");
    }
}

void compare_count_text(const struct compare *c, char *out, size_t size) {
    size_t changed = 0;
    size_t equal = 0;
    size_t none = 0;
    for (size_t i = 0; i < c->count; i++) {
        const enum verdict_kind kind = c->row[i].u.change.kind;
        changed += kind == VERDICT_HIGHER || kind == VERDICT_LOWER;
        equal += kind == VERDICT_EQUIVALENT;
        none += kind == VERDICT_INSUFFICIENT || kind == VERDICT_CLIENT_LIMITED;
    }
    snprintf(
        out, size,
        "Of %zu comparisons %zu show a change, %zu are equivalent within %.3g%%, %zu show none, "
        "and %zu have no verdict.",
        c->count, changed, equal, 100 * c->rule.margin, c->count - changed - equal - none, none);
}

void compare_level_text(const struct compare *c, char *out, size_t size) {
    snprintf(out, size,
             "Medians; intervals at 1 - %.2g, which allows for %zu comparisons; a difference under "
             "%.3g%% counts as none.",
             c->rule.alpha, c->count, 100 * c->rule.margin);
}

static void worst_text(const struct compare *c, const struct compare_row *r, char *out,
                       size_t size) {
    char text[VERDICT_TEXT_MAX];
    compare_row_text(r, text, sizeof text);
    snprintf(out, size, "%.64s, %d connection%s, %.64s: %s", r->base->workload,
             r->base->connections, r->base->connections == 1 ? "" : "s",
             c->side[0].cells->targets[r->base->target].name, text);
}

void compare_limit_text(const struct compare *c, const struct compare_limit *l, char *out,
                        size_t size) {
    char worst[512] = "";
    const char *limit = l->limit->text;
    if (l->worst) {
        worst_text(c, l->worst, worst, sizeof worst);
    }
    if (l->crossed > 0) {
        snprintf(out, size, "%s: crossed in %zu of %zu cells: %s", limit, l->crossed, l->rows,
                 worst);
    } else if (l->rows == 0) {
        snprintf(out, size, "%s: not decided: %s", limit,
                 c->alike.machine[0] ? "the runs are from two machines, whose sizes do not compare"
                                     : "nothing was compared");
    } else if (l->undecided > 0) {
        snprintf(out, size, "%s: not decided in %zu of %zu cells: %s", limit, l->undecided, l->rows,
                 worst);
    } else {
        snprintf(out, size, "%s: kept in all %zu cells", limit, l->rows);
    }
}

bool compare_missing_targets(const struct compare *c, size_t side, char *out, size_t size) {
    const struct cells *mine = c->side[side].cells;
    const struct cells *others = c->side[1 - side].cells;
    size_t used = 0;
    out[0] = '\0';
    for (size_t t = 0; t < mine->target_count; t++) {
        bool found = mine->targets[t].role != ROLE_TARGET;
        for (size_t u = 0; u < others->target_count && !found; u++) {
            found = strcmp(mine->targets[t].name, others->targets[u].name) == 0 &&
                    others->targets[u].role == ROLE_TARGET;
        }
        if (!found && used < size) {
            const int n = snprintf(out + used, size - used, "%s%.64s", used ? ", " : "",
                                   mine->targets[t].name);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    return used > 0;
}
