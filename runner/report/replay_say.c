/* Claims and what became of them, in words: for pages and terminals alike. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/replay_metrics.h"
#include "report/replay_parts.h"

/* Appends; what does not fit is cut. */
static void add(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(char *out, size_t size, const char *format, ...) {
    const size_t used = strlen(out);
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(out + used, size - used, format, ap);
    va_end(ap);
}

void replay_expect_text(const struct replay_claim *c, char *out, size_t size) {
    const char *what = c->check == REPLAY_RATIO   ? "a ratio"
                       : c->check == REPLAY_SHARE ? "a share of trials"
                                                  : "a value";
    if (isinf(c->hi)) {
        snprintf(out, size, "%s of %.4g or more", what, c->lo);
    } else if (isinf(c->lo)) {
        snprintf(out, size, "%s of %.4g or less", what, c->hi);
    } else {
        snprintf(out, size, "%s between %.4g and %.4g", what, c->lo, c->hi);
    }
}

static bool differ(const char *a, const char *b) {
    return strcmp(a, b) != 0;
}

/* "node", "node in part log", "node, concat": as much as tells a side from the other. */
static void add_side(char *out, size_t size, const struct replay_side *s,
                     const struct replay_side *other) {
    add(out, size, "%s", s->target);
    if (differ(s->part, other->part)) {
        add(out, size, " in part %s", s->part);
    }
    if (differ(s->workload, other->workload)) {
        add(out, size, ", %s,", s->workload);
    }
}

void replay_subject_text(const struct replay_claim *c, char *out, size_t size) {
    *out = '\0';
    add(out, size, "%s, ", replay_metric_info(c->metric)->title);
    if (c->check != REPLAY_RATIO) {
        add(out, size, "%s", c->a.target);
        return;
    }
    const bool itself = !differ(c->a.target, c->b.target) && !differ(c->a.part, c->b.part) &&
                        !differ(c->a.workload, c->b.workload);
    add_side(out, size, &c->a, &c->b);
    add(out, size, " / ");
    if (itself) {
        add(out, size, "itself");
    } else {
        add_side(out, size, &c->b, &c->a);
    }
    if (c->against_level > 0) {
        add(out, size, " at %d connections", (int)c->against_level);
    }
}

/* A number of what is judged: a ratio, a share, or in the metric's unit. */
static void judged_text(const struct replay_evidence *ev, double v, char *out, size_t size) {
    if (!isfinite(v)) {
        snprintf(out, size, "n/a");
    } else if (ev->claim->check == REPLAY_RATIO) {
        snprintf(out, size, v < 10 ? "%.3f" : "%.1f", v);
    } else if (ev->claim->check == REPLAY_SHARE) {
        snprintf(out, size, "%.0f%%", 100 * v);
    } else {
        replay_format(out, size, ev->claim->metric, v);
    }
}

void replay_now_text(const struct replay_evidence *ev, char *out, size_t size) {
    char value[48];
    char lo[48];
    char hi[48];
    *out = '\0';
    judged_text(ev, ev->value, value, sizeof value);
    judged_text(ev, ev->lo, lo, sizeof lo);
    judged_text(ev, ev->hi, hi, sizeof hi);
    if (ev->claim->check == REPLAY_SHARE && ev->valid > 0) {
        add(out, size, "%zu of %zu trials", ev->hits, ev->valid);
    } else {
        add(out, size, "%s", value);
    }
    if (isfinite(ev->lo) && isfinite(ev->hi)) {
        add(out, size, " [%s, %s]", lo, hi);
    }
}

static const char *source_text(const struct replay_evidence *ev) {
    switch (ev->source) {
    case REPLAY_FROM_VERDICT:
        return "by the run's own verdict";
    case REPLAY_FROM_ROUNDS:
        return "round by round in one run";
    case REPLAY_FROM_RUNS:
        return ev->anchored ? "from two runs, each held against its null server"
                            : "from two runs, one after the other: drift between them is in it";
    case REPLAY_FROM_SHARE:
        return "by counting trials, with the exact interval of their share";
    }
    return "";
}

/* The first level that decided, or kept it from being decided. */
static const struct replay_evidence *telling(const struct replay_result *r) {
    for (size_t i = 0; i < r->claim->levels; i++) {
        if (r->evidence[i].outcome == r->outcome) {
            return &r->evidence[i];
        }
    }
    return &r->evidence[0];
}

void replay_reason_text(const struct replay_result *r, char *out, size_t size) {
    const struct replay_evidence *ev = telling(r);
    char expect[96];
    *out = '\0';
    replay_expect_text(r->claim, expect, sizeof expect);
    if (r->outcome == REPLAY_CANNOT_BE_TOLD) {
        const size_t len = strlen(ev->why);
        const bool ended = len > 0 && strchr(".?!", ev->why[len - 1]);
        add(out, size, "At %d connection%s: %s%s", ev->level, ev->level == 1 ? "" : "s", ev->why,
            ended ? "" : ".");
        return;
    }
    add(out, size, "Claimed is %s; decided %s%s.", expect, source_text(ev),
        ev->fragile ? " (fragile: the signed-rank test disagrees)" : "");
}
