/* Sentences about differences: one for a pair, a workload and a figure, whatever the number of
 * levels at which it shows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_parts.h"

/* Up to so many levels are each given their number. */
#define LEVELS_SPELT 4

/* How a difference in a figure is said: "libuv used 6.1% less CPU per request than h2o". A latency
 * has no verb: "the p99 of libuv was 6.1% lower than that of h2o". */
struct wording {
    const char *verb, *less, *more, *noun;
    bool more_better;
};

static const struct wording wordings[ABOUT_COUNT] = {
    [ABOUT_CPU] = {"used", "less", "more", "CPU per request", false},
    [ABOUT_RATE] = {"served", "fewer", "more", "requests per second", true},
    [ABOUT_P50] = {NULL, "lower", "higher", "p50", false},
    [ABOUT_P99] = {NULL, "lower", "higher", "p99", false},
    [ABOUT_MEMORY] = {"used", "less", "more", "memory at its peak", false},
};

/* One row seen from its subject. */
struct effect {
    double by, lo, hi; /* of the other's value: 0.061 */
};

static struct effect effect_of(const struct verdict *v, bool flip) {
    const double mean = flip ? -v->yuen.mean : v->yuen.mean;
    const double lo = flip ? -v->log_hi : v->log_lo;
    const double hi = flip ? -v->log_lo : v->log_hi;
    if (mean < 0) {
        return (struct effect){-expm1(mean), -expm1(hi), -expm1(lo)};
    }
    return (struct effect){expm1(mean), expm1(lo), expm1(hi)};
}

static void say_percent(FILE *f, double x) {
    fprintf(f, "%.*f", fabs(x) < 1 ? 1 : 0, 100 * x);
}

static void say_interval(FILE *f, const struct effect *e) {
    fputs(" [", f);
    say_percent(f, e->lo);
    fputs(", ", f);
    say_percent(f, e->hi);
    fputc(']', f);
}

/* What weakens a verdict, behind its interval. */
static void say_marks(FILE *f, const struct verdict_row *r) {
    const char *sep = " (";
    if (r->gated.fragile) {
        fprintf(f, "%sfragile", sep);
        sep = "; ";
    }
    if (r->gated.client_limited) {
        fprintf(f, "%sclient-limited", sep);
        sep = "; ";
    }
    if (r->differs) {
        fprintf(f, "%sungated: %s", sep, verdict_name(r->ungated.kind));
        sep = "; ";
    }
    fputs(*sep == ';' ? ")" : "", f);
}

static void say_compared(FILE *f, const struct wording *w, const char *subject, const char *other,
                         const char *by, const char *than) {
    if (w->verb) {
        fprintf(f, "%s %s %s%s %s than %s", subject, w->verb, by, than, w->noun, other);
    } else {
        fprintf(f, "the %s of %s was %s%s than that of %s", w->noun, subject, by, than, other);
    }
}

/* A difference in the making: the rows of a group that have one verdict. */
struct differing {
    struct maker *m;
    const struct finding_group *g;
    enum verdict_kind kind;
    const struct verdict_row *first;
    size_t n;
    double size; /* the largest log ratio */
    bool flip;   /* B is the subject */
};

static void say_effect(const struct differing *d, const struct verdict_row *r, bool spelt) {
    FILE *f = d->m->say.f;
    const struct effect e = effect_of(&r->gated, d->flip);
    say_percent(f, e.by);
    fputc('%', f);
    say_interval(f, &e);
    fputs(" at ", f);
    if (spelt) {
        maker_levels(f, &r->a->connections, 1);
    } else {
        fprintf(f, "%d", r->a->connections);
    }
}

/* "6.1% [4.8, 7.4] at 10 connections, 5.0% [3.9, 6.1] at 100" */
static void say_each(const struct differing *d) {
    FILE *f = d->m->say.f;
    size_t said = 0;
    for (size_t i = 0; i < d->g->n; i++) {
        const struct verdict_row *r = d->g->row[i];
        if (r->gated.kind == d->kind) {
            fputs(said ? ", " : ": ", f);
            say_effect(d, r, said == 0);
            say_marks(f, r);
            said++;
        }
    }
}

static void say_count(FILE *f, size_t n, const char *what, const char **sep) {
    if (n > 0) {
        fprintf(f, "%s%zu %s", *sep, n, what);
        *sep = ", ";
    }
}

/* " at 1, 10, 50, 100 and 500 connections, by 4.2% [2.9, 5.6] at 500 up to 6.1% [4.8, 7.4] at 10"
 */
static void say_range(const struct differing *d) {
    FILE *f = d->m->say.f;
    const struct verdict_row *least = d->first;
    const struct verdict_row *most = d->first;
    size_t fragile = 0;
    size_t limited = 0;
    size_t differs = 0;
    size_t said = 0;
    fputs(" at ", f);
    for (size_t i = 0; i < d->g->n; i++) {
        const struct verdict_row *r = d->g->row[i];
        if (r->gated.kind == d->kind) {
            const double size = fabs(r->gated.yuen.mean);
            least = size < fabs(least->gated.yuen.mean) ? r : least;
            most = size > fabs(most->gated.yuen.mean) ? r : most;
            fragile += r->gated.fragile;
            limited += r->gated.client_limited;
            differs += r->differs;
            said++;
            fprintf(f, "%s%d", said == 1 ? "" : said == d->n ? " and " : ", ", r->a->connections);
        }
    }
    fputs(" connections, by ", f);
    say_effect(d, least, false);
    fputs(" up to ", f);
    say_effect(d, most, false);
    const char *sep = " (";
    say_count(f, fragile, "fragile", &sep);
    say_count(f, limited, "client-limited", &sep);
    say_count(f, differs, "not so ungated", &sep);
    fputs(*sep == ',' ? ")" : "", f);
}

static void say_at_levels(const struct differing *d, const struct wording *w, const char *subject,
                          const char *other, const char *than) {
    FILE *f = d->m->say.f;
    fprintf(f, "%s: ", d->first->a->workload);
    say_compared(f, w, subject, other, "", than);
    if (d->n <= LEVELS_SPELT) {
        say_each(d);
    } else {
        say_range(d);
    }
}

static void say_at_one(const struct differing *d, const struct wording *w, const char *subject,
                       const char *other, const char *than) {
    FILE *f = d->m->say.f;
    const struct effect e = effect_of(&d->first->gated, d->flip);
    char by[32];
    snprintf(by, sizeof by, "%.*f%% ", e.by < 1 ? 1 : 0, 100 * e.by);
    maker_cell(f, d->first->a);
    fputs(": ", f);
    say_compared(f, w, subject, other, by, than);
    say_interval(f, &e);
    say_marks(f, d->first);
}

void findings_say_difference(struct maker *m, const struct finding_group *g,
                             enum verdict_kind kind) {
    struct differing d = {.m = m, .g = g, .kind = kind};
    for (size_t i = 0; i < g->n; i++) {
        if (g->row[i]->gated.kind == kind) {
            d.first = d.n++ == 0 ? g->row[i] : d.first;
            d.size = fmax(d.size, fabs(g->row[i]->gated.yuen.mean));
        }
    }
    if (d.n == 0 || !maker_begin(m)) {
        return;
    }
    const struct wording *w = &wordings[d.first->about];
    /* The better one is the subject, unless the baseline is what all are held against. */
    const bool better = (kind == VERDICT_HIGHER) == w->more_better;
    d.flip = m->v->baseline == SIZE_MAX && !better;
    const char *a = maker_target(m, d.first->a);
    const char *b = maker_target(m, d.first->b);
    const char *than = (kind == VERDICT_LOWER) != d.flip ? w->less : w->more;
    if (d.n == 1) {
        say_at_one(&d, w, d.flip ? b : a, d.flip ? a : b, than);
    } else {
        say_at_levels(&d, w, d.flip ? b : a, d.flip ? a : b, than);
    }
    fputc('.', m->say.f);
    maker_end(m, FINDING_DIFFERENCE, d.first->about, d.size);
}
