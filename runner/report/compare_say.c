/* What a comparison says about itself. */
#include <math.h>
#include <string.h>

#include "report/compare_parts.h"
#include "store/manifest.h"

/* By how much the anchor itself moved: what was cancelled. */
static void anchor_moved(const struct compare *c, char *out, size_t size) {
    const struct cells *cells[] = {c->side[0].cells, c->side[1].cells};
    const size_t t[] = {compare_find_target(cells[0], c->anchor),
                        compare_find_target(cells[1], c->anchor)};
    double least = INFINITY;
    double most = -INFINITY;
    for (size_t i = 0; i < cells[0]->count; i++) {
        const struct cell *a = &cells[0]->cell[i];
        const struct cell *b =
            a->target == t[0] ? cells_find(cells[1], t[1], a->workload, a->connections) : NULL;
        const double ratio = b ? b->figure[FIG_CPU].s.median / a->figure[FIG_CPU].s.median : NAN;
        least = isfinite(ratio) ? fmin(least, ratio) : least;
        most = isfinite(ratio) ? fmax(most, ratio) : most;
    }
    out[0] = '\0';
    if (isfinite(least) && isfinite(most)) {
        snprintf(out, size,
                 " Its own CPU per request moved by %+.1f%% to %+.1f%% between the runs.",
                 100 * (least - 1), 100 * (most - 1));
    }
}

/* Of the rows that an anchor is for: how many are held against which of its figures. */
static void anchor_reach(const struct compare *c, char *out, size_t size) {
    const char *on = NULL;
    size_t adrift = 0;
    bool limited = false;
    for (size_t i = 0; i < c->count; i++) {
        on = on ? on : c->row[i].anchored_on;
        adrift += c->row[i].adrift;
        limited = limited || c->row[i].anchor_limited;
    }
    int used = 0;
    out[0] = '\0';
    if (on) {
        used = snprintf(out, size,
                        " Where it does not answer a workload, its figure of %.64s with as many "
                        "connections in the same round stands in (\"anchored by round\"): that "
                        "cancels what lasted for a round or longer.",
                        on);
    }
    if (limited && used >= 0 && (size_t)used < size) {
        used += snprintf(out + used, size - (size_t)used,
                         " Where it is client-limited, throughput is held against the load "
                         "generator's speed.");
    }
    if (adrift > 0 && used >= 0 && (size_t)used < size) {
        snprintf(
            out + used, size - (size_t)used,
            " %zu comparisons have no anchor (\"not anchored\"): there a change of the machine "
            "looks like one of the target, and no limit is decided.",
            adrift);
    }
}

void compare_method_text(const struct compare *c, char *out, size_t size) {
    char moved[160];
    char reach[512];
    if (c->alike.machine[0]) {
        snprintf(out, size,
                 "Two machines (%.200s): sizes are not compared; each ratio of two targets is "
                 "judged by its direction.",
                 c->alike.machine);
    } else if (c->anchor) {
        anchor_moved(c, moved, sizeof moved);
        anchor_reach(c, reach, sizeof reach);
        snprintf(out, size,
                 "Every figure but memory is held against that of %.64s in the same block, which "
                 "cancels what slowed the machine as a whole.%s%s%s",
                 c->anchor, reach, moved,
                 c->anchor_changed ? " But that target is recorded as another program in the two "
                                     "runs: a change of it looks like one of all others."
                                   : "");
    } else {
        snprintf(out, size,
                 "Without an anchor, a target that is the same in both runs: a change of the "
                 "machine between the runs would look like a change of the targets.");
    }
}

bool compare_same_text(const struct compare *c, char *out, size_t size) {
    const char *id[2];
    for (size_t i = 0; i < 2; i++) {
        id[i] = json_string_value(manifest_at(c->side[i].cells->store->manifest, "run_id"));
    }
    const bool same = id[0] && id[1] && strcmp(id[0], id[1]) == 0;
    if (same) {
        snprintf(out, size, "A and B are one run: nothing can have changed between them.");
    }
    return same;
}

bool compare_doubt_text(const struct compare *c, char *out, size_t size) {
    if (c->doubted) {
        snprintf(out, size,
                 "%s is not validated: it finds a difference where there is none, so no change "
                 "found here is to be believed%s.",
                 c->doubted->label, c->limits > 0 ? ", and no limit is decided" : "");
    }
    return c->doubted != NULL;
}

static bool same_lack(const struct compare_lack *a, const struct compare_lack *b) {
    return a->connections == b->connections && strcmp(a->workload, b->workload) == 0 &&
           a->in[0] == b->in[0] && a->in[1] == b->in[1];
}

/* Where it was not measured. */
static const char *lack_side(const struct compare *c, const struct compare_lack *l) {
    return !l->in[0] && !l->in[1] ? "either run" : c->side[l->in[0] ? 1 : 0].label;
}

static void one_lack(const struct compare *c, const struct compare_lack *l, char *out,
                     size_t size) {
    snprintf(out, size, "%.64s, %d connection%s, %.64s: not measured in %s", l->workload,
             l->connections, l->connections == 1 ? "" : "s", l->target, lack_side(c, l));
}

bool compare_lacks_text(const struct compare *c, char *out, size_t size) {
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < c->lacks && used < size; i++) {
        const struct compare_lack *l = &c->lack[i];
        const bool again = i > 0 && same_lack(l - 1, l);
        const int n =
            again ? snprintf(out + used, size - used, ", %.64s", l->target)
                  : snprintf(out + used, size - used, "%s%.64s, %d connection%s, in %s: %.64s",
                             i ? "; " : "", l->workload, l->connections,
                             l->connections == 1 ? "" : "s", lack_side(c, l), l->target);
        used += n > 0 ? (size_t)n : 0;
    }
    return c->lacks > 0;
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
             c->rule.alpha, c->planned, 100 * c->rule.margin);
}

static void worst_text(const struct compare *c, const struct compare_row *r, char *out,
                       size_t size) {
    char text[VERDICT_TEXT_MAX];
    compare_row_text(r, text, sizeof text);
    snprintf(out, size, "%.64s, %d connection%s, %.64s: %s", r->base->workload,
             r->base->connections, r->base->connections == 1 ? "" : "s",
             c->side[0].cells->targets[r->base->target].name, text);
}

/* What would help, where it is known. */
static void remedy_text(const struct compare *c, const struct compare_limit *l, char *out,
                        size_t size) {
    out[0] = '\0';
    if (l->crossed == 0 && l->rounds_needed > 0 && !c->doubted) {
        snprintf(out, size, "; a target that did not change needs %s%zu rounds in each run",
                 l->rounds_needed >= UNPAIRED_ROUNDS_MAX ? "more than " : "about ",
                 l->rounds_needed);
    } else if (!c->anchor && l->limit->about != ABOUT_MEMORY) {
        snprintf(out, size, "; without an anchor, a change of the machine looks the same");
    }
}

void compare_limit_text(const struct compare *c, const struct compare_limit *l, char *out,
                        size_t size) {
    char worst[512] = "";
    char remedy[128];
    const char *limit = l->limit->text;
    remedy_text(c, l, remedy, sizeof remedy);
    if (l->worst) {
        worst_text(c, l->worst, worst, sizeof worst);
    } else if (c->lacks > 0) {
        one_lack(c, &c->lack[0], worst, sizeof worst);
    }
    if (l->rows == 0) {
        snprintf(out, size, "%s: not decided: %s", limit,
                 c->alike.machine[0] ? "the runs are from two machines, whose sizes do not compare"
                                     : "nothing was compared");
    } else if (c->doubted) {
        snprintf(out, size, "%s: not decided: %s is not validated; run it again", limit,
                 c->doubted->label);
    } else if (l->crossed > 0) {
        snprintf(out, size, "%s: crossed in %zu of %zu cells: %s%s", limit, l->crossed, l->rows,
                 worst, remedy);
    } else if (l->undecided > 0) {
        snprintf(out, size, "%s: not decided in %zu of %zu cells: %s%s", limit, l->undecided,
                 l->rows, worst, remedy);
    } else {
        snprintf(out, size, "%s: kept in all %zu cells%s", limit, l->rows, remedy);
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
