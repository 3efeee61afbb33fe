/* What must not be concluded from throughput: who was the limit, and whether that is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_parts.h"

/* The null server does least for a request. Who is as far above it as the limit is below was not
 * measured under the same conditions: there was no ceiling. NaN is not above. */
static bool is_above_ceiling(const struct cell *cell) {
    return cell->ceiling > 1 / CLIENT_CEILING_LIMITED;
}

static bool is_lower_bound(const struct cell *cell) {
    return cell->client == CLIENT_LIMITED && !is_above_ceiling(cell);
}

static bool is_without_bound(const struct cell *cell) {
    return cell->client == CLIENT_LIMITED && is_above_ceiling(cell);
}

static bool is_near(const struct cell *cell) {
    return cell->client == CLIENT_NEAR;
}

static bool has_no_ceiling(const struct cell *cell) {
    return isnan(cell->ceiling);
}

static bool is_unknown(const struct cell *cell) {
    return cell->client == CLIENT_UNKNOWN;
}

/* Cells of one workload that a caution is about. */
struct listed {
    size_t targets;
    size_t cells, with_cpu;             /* of these CPU per request is known */
    size_t cpu_verdicts, rate_verdicts; /* in which a comparison of theirs has a verdict */
    double lo, hi;                      /* their shares of the ceiling */
};

/* Has a comparison of that cell enough blocks for a verdict? */
static bool bears_verdict(const struct verdicts *v, const struct cell *cell,
                          enum verdict_about about) {
    for (size_t i = 0; i < v->pair_count; i++) {
        const struct verdict_row *r = &v->row[i];
        if (r->about == about && (r->a == cell || r->b == cell) &&
            r->gated.kind != VERDICT_INSUFFICIENT) {
            return true;
        }
    }
    return false;
}

static bool has_cpu(const struct cell *cell) {
    return isfinite(cell->figure[FIG_CPU].s.median);
}

/* Lists the targets that `is` is true for, with their levels, after the beginning of a sentence;
 * without any there is no sentence. Cells in which no trial went well have no throughput. */
static struct listed list_cells(struct maker *m, const char *workload, const char *begin,
                                bool (*is)(const struct cell *cell)) {
    const struct cells *c = m->v->cells;
    struct listed l = {.lo = INFINITY, .hi = -INFINITY};
    int *levels = calloc(c->level_count + 1, sizeof *levels);
    m->failed = m->failed || !levels;
    for (size_t t = 0; levels && t < c->target_count; t++) {
        size_t n = 0;
        for (size_t i = 0; c->targets[t].role == ROLE_TARGET && i < c->count; i++) {
            const struct cell *cell = &c->cell[i];
            if (cell->target == t && cell->measured > cell->failed && is(cell) &&
                strcmp(cell->workload, workload) == 0) {
                levels[n++] = cell->connections;
                l.with_cpu += has_cpu(cell);
                l.cpu_verdicts += bears_verdict(m->v, cell, ABOUT_CPU);
                l.rate_verdicts += bears_verdict(m->v, cell, ABOUT_RATE);
                l.lo = fmin(l.lo, cell->ceiling);
                l.hi = fmax(l.hi, cell->ceiling);
            }
        }
        if (n == 0 || (l.targets == 0 && !maker_begin(m))) {
            continue;
        }
        fprintf(m->say.f, l.targets == 0 ? "%s: %s " : "; ", workload, begin);
        fprintf(m->say.f, "%s at ", c->targets[t].name);
        maker_levels(m->say.f, levels, n);
        l.targets++;
        l.cells += n;
    }
    free(levels);
    return l;
}

/* "96.9% to 99.8%", "96%" */
static void put_shares(FILE *f, const struct listed *l) {
    char text[2][16];
    snprintf(text[0], sizeof text[0], "%.1f%%", 100 * l->lo);
    snprintf(text[1], sizeof text[1], "%.1f%%", 100 * l->hi);
    const bool same = strcmp(text[0], text[1]) == 0;
    fprintf(f, "%s%s%s", text[0], same ? "" : " to ", same ? "" : text[1]);
}

/* What can be compared in place of throughput; `does`: "CPU per request" does what. */
static void put_cpu(FILE *f, const struct listed *l, const char *does) {
    if (l->with_cpu == 0) {
        fputs(", and CPU per request is n/a, so that nothing compares them", f);
    } else {
        fprintf(f, "; CPU per request %s%s", does,
                l->with_cpu < l->cells ? ", where it is known" : "");
    }
}

/* The same, `does` being that it has a verdict: not said where none has enough blocks. */
static void put_cpu_verdict(FILE *f, const struct listed *l, const char *does) {
    if (l->with_cpu == 0 || l->cpu_verdicts >= l->with_cpu) {
        put_cpu(f, l, does);
    } else if (l->cpu_verdicts > 0) {
        fprintf(f, "; CPU per request %s, where enough blocks count", does);
    }
}

static void caution_lower_bound(struct maker *m, const char *workload) {
    const struct listed l =
        list_cells(m, workload, "the load generator limited the throughput of", is_lower_bound);
    if (l.targets == 0) {
        return;
    }
    fputs(". Those figures are lower bounds and bear no verdict", m->say.f);
    put_cpu_verdict(m->say.f, &l, "does");
    if (isfinite(l.lo) && isfinite(l.hi)) {
        fputs(". They are ", m->say.f);
        put_shares(m->say.f, &l);
        fputs(" of what the null server reached", m->say.f);
    }
    fputc('.', m->say.f);
    maker_caution(m);
}

static void caution_without_bound(struct maker *m, const char *workload) {
    const struct listed l = list_cells(
        m, workload, "the null server was not the ceiling in this run, for", is_without_bound);
    if (l.targets == 0) {
        return;
    }
    fputs(". They reached ", m->say.f);
    put_shares(m->say.f, &l);
    fputs(" of its throughput, though it does less for a request than any server: something "
          "slowed one and not the other. Their figures, though marked as lower bounds, say what "
          "each target reached in this run and no more: nothing can be concluded from them about "
          "one target's throughput beside another's",
          m->say.f);
    put_cpu_verdict(m->say.f, &l, "bears its verdict");
    fputc('.', m->say.f);
    maker_caution(m);
}

static void caution_near(struct maker *m, const char *workload) {
    const struct listed l =
        list_cells(m, workload, "the load generator was near its limit with", is_near);
    if (l.targets == 0) {
        return;
    }
    fprintf(m->say.f,
            ": in at least one block they reached %.0f%% of what the null server did, or a thread "
            "of the generator was busy all the time",
            100 * CLIENT_CEILING_WARN);
    if (isfinite(l.lo) && isfinite(l.hi)) {
        fputs(" (in the median block ", m->say.f);
        put_shares(m->say.f, &l);
        fputc(')', m->say.f);
    }
    fputs(l.rate_verdicts > 0
              ? ". Throughput bears its verdict there, but targets may differ by more than it shows"
              : ". Targets may differ by more than their throughput shows",
          m->say.f);
    if (l.with_cpu > 0) {
        put_cpu(m->say.f, &l, "is not touched by that");
    }
    fputc('.', m->say.f);
    maker_caution(m);
}

/* The null server was planned, and failed beside these. */
static void caution_no_ceiling(struct maker *m, const char *workload) {
    const struct listed l =
        list_cells(m, workload, "no ceiling is known for the throughput of", has_no_ceiling);
    if (l.targets == 0) {
        return;
    }
    fprintf(m->say.f,
            ": the null server gave no figure in their blocks. Whether the load generator limited "
            "them (%.0f%% of the ceiling) was judged by its threads alone, and a limit elsewhere "
            "would not be seen.",
            100 * CLIENT_CEILING_LIMITED);
    maker_caution(m);
}

static void caution_unknown(struct maker *m, const char *workload) {
    const struct listed l = list_cells(
        m, workload, "it is not known whether the load generator limited the throughput of",
        is_unknown);
    if (l.targets == 0) {
        return;
    }
    fputs(": neither a ceiling nor the CPU time of its threads was there to judge by. Differences "
          "in throughput there may be the generator's",
          m->say.f);
    put_cpu(m->say.f, &l, "is hardly touched by that");
    fputc('.', m->say.f);
    maker_caution(m);
}

static void caution_null(struct maker *m) {
    if (m->v->has_null || !maker_begin(m)) {
        return;
    }
    fprintf(m->say.f,
            "Without the null server no ceiling is known: whether the load generator limited a "
            "throughput (%.0f%% of the ceiling) was judged by its threads alone, and a limit "
            "elsewhere would not be seen.",
            100 * CLIENT_CEILING_LIMITED);
    maker_caution(m);
}

void findings_caution_client(struct maker *m) {
    const struct cells *c = m->v->cells;
    for (size_t w = 0; w < c->workload_count; w++) {
        caution_lower_bound(m, c->workloads[w]);
        caution_without_bound(m, c->workloads[w]);
        caution_near(m, c->workloads[w]);
        if (m->v->has_null) {
            caution_no_ceiling(m, c->workloads[w]);
        }
        caution_unknown(m, c->workloads[w]);
    }
    caution_null(m);
}
