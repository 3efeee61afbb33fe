/* Sentences about verdicts: equivalence, and what could not be told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_parts.h"

static void say_percent(FILE *f, double x) {
    fprintf(f, "%.*f%%", fabs(x) < 1 ? 1 : 0, 100 * x);
}

/* Do two groups have an equivalent verdict at the same levels? */
static bool same_levels(const struct finding_group *x, const struct finding_group *y) {
    bool same = x->n == y->n;
    for (size_t i = 0; same && i < x->n; i++) {
        same = x->row[i]->a->connections == y->row[i]->a->connections &&
               (x->row[i]->gated.kind == VERDICT_EQUIVALENT) ==
                   (y->row[i]->gated.kind == VERDICT_EQUIVALENT);
    }
    return same;
}

/* What equivalent verdicts have in common. */
struct span {
    double lo, hi; /* log ratios that hold all intervals */
    bool fragile, limited, differs;
};

/* Levels at which a group is equivalent; widens *s by its verdicts. */
static size_t equivalent_levels(const struct finding_group *g, int *levels, struct span *s) {
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        const struct verdict_row *r = g->row[i];
        if (r->gated.kind == VERDICT_EQUIVALENT) {
            levels[n++] = r->a->connections;
            s->lo = fmin(s->lo, r->gated.log_lo);
            s->hi = fmax(s->hi, r->gated.log_hi);
            s->fragile = s->fragile || r->gated.fragile;
            s->limited = s->limited || r->gated.client_limited;
            s->differs = s->differs || r->differs;
        }
    }
    return n;
}

/* Says that the pairs of `count` groups, which are equivalent at the same levels, are so. */
static void say_equivalent(struct maker *m, const struct finding_group *g, size_t count,
                           int *levels) {
    struct span s = {.lo = INFINITY, .hi = -INFINITY};
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        n = equivalent_levels(&g[i], levels, &s);
    }
    if (n == 0 || !maker_begin(m)) {
        return;
    }
    FILE *f = m->say.f;
    const struct verdict_row *first = g->row[0];
    const struct cells *c = m->v->cells;
    fprintf(f, "%s: ", first->a->workload);
    if (count == 1) {
        fprintf(f, "%s and %s were", maker_target(m, first->a), maker_target(m, first->b));
    } else if (m->v->baseline != SIZE_MAX) {
        fprintf(f, "each of the %zu others and %s were", count, c->targets[m->v->baseline].name);
    } else {
        fprintf(f, "all %zu pairs of targets were", count);
    }
    fprintf(f, " equivalent within %.3g%% in %s at ", 100 * m->v->rule.margin,
            verdict_about_info(first->about)->title);
    maker_levels(f, levels, n);
    fprintf(f, " (%s %+.1f%% and %+.1f%%%s%s%s).",
            n * count > 1 ? "all intervals between" : "between", 100 * expm1(s.lo),
            100 * expm1(s.hi), s.limited ? "; client-limited" : "", s.fragile ? "; fragile" : "",
            s.differs ? "; not so ungated" : "");
    maker_end(m, FINDING_EQUIVALENT, first->about, (double)(n * count));
}

/* The groups of one figure and workload. */
static void say_workload(struct maker *m, const struct finding_group *g, size_t count,
                         int *levels) {
    bool alike = count > 1;
    for (size_t i = 0; i < count; i++) {
        findings_say_difference(m, &g[i], VERDICT_LOWER);
        findings_say_difference(m, &g[i], VERDICT_HIGHER);
        alike = alike && same_levels(&g[0], &g[i]);
    }
    if (alike) {
        say_equivalent(m, g, count, levels);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        say_equivalent(m, &g[i], 1, levels);
    }
}

static bool same_subject(const struct verdict_row *x, const struct verdict_row *y) {
    return x->about == y->about && strcmp(x->a->workload, y->a->workload) == 0;
}

static bool same_pair(const struct verdict_row *x, const struct verdict_row *y) {
    return x->a->target == y->a->target && x->b->target == y->b->target;
}

/* rows[0..n) are of one figure and workload, by level and pair: says what there is to say. */
static bool say_rows(struct maker *m, const struct verdict_row *rows, size_t n) {
    const size_t levels = m->v->cells->level_count;
    struct finding_group *g = calloc(n + 1, sizeof *g);
    const struct verdict_row **place = calloc(n * levels + 1, sizeof(const struct verdict_row *));
    int *numbers = calloc(levels + 1, sizeof *numbers);
    size_t count = 0;
    const bool ok = g && place && numbers;
    for (size_t i = 0; ok && i < n; i++) {
        size_t k = 0;
        while (k < count && !same_pair(g[k].row[0], &rows[i])) {
            k++;
        }
        if (k == count) {
            g[count].row = place + count * levels;
            count++;
        }
        g[k].row[g[k].n++] = &rows[i];
    }
    if (ok) {
        say_workload(m, g, count, numbers);
    }
    free(g);
    free(place);
    free(numbers);
    return ok;
}

/* Beginning of a sentence about some of a figure's comparisons. */
static void say_some(FILE *f, const struct verdict_row *worst, size_t some, size_t all) {
    const char *title = verdict_about_info(worst->about)->title;
    fprintf(f, "%s: in %zu of %zu comparison%s", title, some, all, all == 1 ? "" : "s");
}

static void say_pair(struct maker *m, const struct verdict_row *r) {
    fprintf(m->say.f, "%s against %s, ", maker_target(m, r->a), maker_target(m, r->b));
    maker_cell(m->say.f, r->a);
}

static void say_no_difference(struct maker *m, const struct verdict_row *rows, size_t n) {
    const struct verdict_row *worst = NULL;
    size_t some = 0;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].gated.kind == VERDICT_NO_DIFFERENCE) {
            some++;
            if (!worst || rows[i].gated.could_hide > worst->gated.could_hide) {
                worst = &rows[i];
            }
        }
    }
    if (some == 0 || !maker_begin(m)) {
        return;
    }
    FILE *f = m->say.f;
    say_some(f, worst, some, n);
    fputs(" no difference was shown; one of up to ", f);
    say_percent(f, worst->gated.could_hide);
    fputs(" could hide (", f);
    say_pair(m, worst);
    fputs(").", f);
    maker_end(m, FINDING_NO_DIFFERENCE, worst->about, 0);
}

static void say_insufficient(struct maker *m, const struct verdict_row *rows, size_t n) {
    const struct verdict_row *best = NULL;
    size_t some = 0;
    size_t invalid = 0;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].gated.kind == VERDICT_INSUFFICIENT) {
            some++;
            invalid += rows[i].invalid_blocks;
            if (!best || rows[i].gated.pairs.valid > best->gated.pairs.valid) {
                best = &rows[i];
            }
        }
    }
    if (some == 0 || !maker_begin(m)) {
        return;
    }
    FILE *f = m->say.f;
    say_some(f, best, some, n);
    if (best->missing[0]) {
        fprintf(f, " nothing can be said: %s (", best->missing);
        say_pair(m, best);
        fputs(").", f);
    } else {
        fprintf(f, " nothing can be said: at most %zu of %zu blocks count, %zu are needed",
                best->gated.pairs.valid, best->gated.pairs.planned, best->gated.needed);
        if (invalid > 0) {
            fprintf(f, "; %zu %s left out because a trial was invalid", invalid,
                    invalid == 1 ? "was" : "were");
        }
        findings_put_failed(m, rows, n);
        fputc('.', f);
    }
    maker_end(m, FINDING_INSUFFICIENT, best->about, 0);
}

/* True when no pair has a verdict, and that was said. */
static bool say_nothing_at_all(struct maker *m) {
    const struct verdicts *v = m->v;
    size_t valid = 0;
    size_t invalid = 0;
    for (size_t i = 0; i < v->pair_count; i++) {
        const struct verdict_row *r = &v->row[i];
        if (r->gated.kind != VERDICT_INSUFFICIENT) {
            return false;
        }
        valid = r->gated.pairs.valid > valid ? r->gated.pairs.valid : valid;
        invalid = r->invalid_blocks > invalid ? r->invalid_blocks : invalid;
    }
    if (!maker_begin(m)) {
        return true;
    }
    FILE *f = m->say.f;
    const size_t rounds = v->cells->rounds;
    if (v->pair_count == 0) {
        fputs("Nothing is compared: fewer than 2 targets were measured in the same cell.", f);
    } else if (rounds < VERDICT_MIN_PAIRS) {
        fprintf(f,
                "Nothing is concluded from %zu round%s: a verdict needs at least %d. The figures "
                "below only describe what was seen.",
                rounds, rounds == 1 ? "" : "s", VERDICT_MIN_PAIRS);
    } else {
        fprintf(f,
                "Nothing is concluded: at most %zu of %zu blocks of any comparison count, and %zu "
                "are needed",
                valid, rounds, verdict_needed(rounds));
        if (invalid > 0) {
            fprintf(f, "; up to %zu %s left out because a trial was invalid", invalid,
                    invalid == 1 ? "was" : "were");
        }
        findings_put_failed(m, v->row, v->pair_count);
        fputs(". The figures below only describe what was seen.", f);
    }
    maker_end(m, FINDING_INSUFFICIENT, ABOUT_COUNT, 0);
    return true;
}

void findings_say_verdicts(struct maker *m) {
    const struct verdicts *v = m->v;
    if (say_nothing_at_all(m)) {
        return;
    }
    findings_say_places(m);
    for (size_t i = 0; i < v->pair_count;) {
        size_t end = i;
        for (size_t j = i; j < v->pair_count && v->row[j].about == v->row[i].about; j = end) {
            while (end < v->pair_count && same_subject(&v->row[j], &v->row[end])) {
                end++;
            }
            if (!say_rows(m, &v->row[j], end - j)) {
                m->failed = true;
            }
        }
        say_no_difference(m, &v->row[i], end - i);
        say_insufficient(m, &v->row[i], end - i);
        i = end;
    }
}
