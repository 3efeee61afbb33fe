/* What must not be concluded from a run. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_parts.h"
#include "store/manifest.h"

static void end_caution(struct maker *m) {
    maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
}

/* The null server does least for a request. Who is as far above it as the limit is below was not
 * measured under the same conditions: there was no ceiling. NaN is not above. */
static bool is_above_ceiling(const struct cell *cell) {
    return cell->ceiling > 1 / CLIENT_CEILING_LIMITED;
}

/* "96.9% to 99.8%", "96%" */
static void put_shares(FILE *f, double lo, double hi) {
    char text[2][16];
    snprintf(text[0], sizeof text[0], "%.1f%%", 100 * lo);
    snprintf(text[1], sizeof text[1], "%.1f%%", 100 * hi);
    const bool same = strcmp(text[0], text[1]) == 0;
    fprintf(f, "%s%s%s", text[0], same ? "" : " to ", same ? "" : text[1]);
}

/* Targets of a workload that the load generator limited, with their levels: those below the
 * ceiling, or those above what was taken for it. */
static void caution_limited_in(struct maker *m, const char *workload, int *levels, bool above) {
    const struct cells *c = m->v->cells;
    double lo = INFINITY;
    double hi = -INFINITY;
    size_t said = 0;
    for (size_t t = 0; t < c->target_count; t++) {
        size_t n = 0;
        for (size_t i = 0; c->targets[t].role == ROLE_TARGET && i < c->count; i++) {
            const struct cell *cell = &c->cell[i];
            if (cell->target == t && cell->client == CLIENT_LIMITED &&
                is_above_ceiling(cell) == above && strcmp(cell->workload, workload) == 0) {
                levels[n++] = cell->connections;
                lo = fmin(lo, cell->ceiling);
                hi = fmax(hi, cell->ceiling);
            }
        }
        if (n == 0 || (said == 0 && !maker_begin(m))) {
            continue;
        }
        if (said++ == 0) {
            fprintf(m->say.f,
                    above ? "%s: the null server was not the ceiling in this run, for "
                          : "%s: the load generator limited the throughput of ",
                    workload);
        } else {
            fputs("; ", m->say.f);
        }
        fprintf(m->say.f, "%s at ", c->targets[t].name);
        maker_levels(m->say.f, levels, n);
    }
    if (said == 0) {
        return;
    }
    if (above) {
        fputs(". They reached ", m->say.f);
        put_shares(m->say.f, lo, hi);
        fputs(
            " of its throughput, though it does less for a request than any server: something "
            "slowed one and not the other. Nothing can be concluded about throughput there, not "
            "even a lower bound of one target beside another's; CPU per request bears its verdict",
            m->say.f);
    } else {
        fputs(". Those figures are lower bounds and bear no verdict; CPU per request does",
              m->say.f);
        if (isfinite(lo) && isfinite(hi)) {
            fputs(". They are ", m->say.f);
            put_shares(m->say.f, lo, hi);
            fputs(" of what the null server reached", m->say.f);
        }
    }
    fputc('.', m->say.f);
    end_caution(m);
}

static void caution_limited(struct maker *m) {
    const struct cells *c = m->v->cells;
    int *levels = calloc(c->level_count + 1, sizeof *levels);
    if (!levels) {
        m->failed = true;
        return;
    }
    for (size_t w = 0; w < c->workload_count; w++) {
        caution_limited_in(m, c->workloads[w], levels, false);
        caution_limited_in(m, c->workloads[w], levels, true);
    }
    free(levels);
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
    end_caution(m);
}

static void caution_latency(struct maker *m) {
    const char *generator =
        json_string_value(manifest_at(m->v->cells->store->manifest, "generator.name"));
    size_t judged = 0;
    for (size_t i = 0; i < m->v->pair_count; i++) {
        const struct verdict_row *r = &m->v->row[i];
        judged += verdict_about_info(r->about)->metric == METRIC_LATENCY &&
                  r->gated.kind != VERDICT_INSUFFICIENT;
    }
    if (judged == 0 || !generator || strcmp(generator, "wrk") != 0 || !maker_begin(m)) {
        return;
    }
    fprintf(m->say.f,
            "The %zu comparisons of p50 and p99 are of a closed loop: wrk asks a slow server less "
            "often, so they show how a server behaves when saturated, not what a user would wait "
            "at a given load.",
            judged);
    end_caution(m);
}

static void caution_counts(struct maker *m) {
    const struct verdicts *v = m->v;
    size_t fragile = 0;
    size_t differs = 0;
    for (size_t i = 0; i < v->pair_count; i++) {
        fragile += v->row[i].gated.fragile;
        differs += v->row[i].differs;
    }
    if (fragile > 0 && maker_begin(m)) {
        fprintf(m->say.f,
                "%zu of %zu verdicts %s fragile: the exact signed-rank test disagrees with the "
                "interval. More rounds settle that.",
                fragile, v->pair_count, fragile == 1 ? "is" : "are");
        end_caution(m);
    }
    if (differs > 0 && maker_begin(m)) {
        fprintf(m->say.f,
                "%zu of %zu verdicts %s on leaving out trials that the machine disturbed: ungated, "
                "from the first attempt of every block, they are of another kind.",
                differs, v->pair_count, differs == 1 ? "depends" : "depend");
        end_caution(m);
    }
}

/* The control may differ in what it does not decide over. */
static void caution_control(struct maker *m) {
    const struct verdicts *v = m->v;
    for (int about = ABOUT_AA_COUNT; about < ABOUT_COUNT; about++) {
        for (size_t i = v->pair_count; i < v->count; i++) {
            const struct verdict_row *r = &v->row[i];
            char text[VERDICT_TEXT_MAX];
            if (r->about != (enum verdict_about)about ||
                !verdict_word(r->gated.kind, verdict_about_info(r->about)->metric)) {
                continue;
            }
            if (!maker_begin(m)) {
                return;
            }
            verdict_row_text(r, true, text, sizeof text);
            fprintf(m->say.f, "The A/A control differs from itself in %s (",
                    verdict_about_info(r->about)->title);
            maker_cell(m->say.f, r->a);
            fprintf(m->say.f, ": %s): differences of that size between targets say nothing.", text);
            end_caution(m);
            break;
        }
    }
}

static void caution_choices(struct maker *m) {
    const struct verdicts *v = m->v;
    const struct cells *c = v->cells;
    const int64_t blocks = manifest_int(c->store->manifest, "plan.blocks");
    if (c->store->state != STORE_COMPLETE && maker_begin(m)) {
        fprintf(m->say.f, "The run is not complete: %zu", v->blocks);
        if (blocks > 0) {
            fprintf(m->say.f, " of %" PRId64, blocks);
        }
        fputs(" blocks were measured. Stopping a run by what it shows so far finds differences "
              "that are not there.",
              m->say.f);
        end_caution(m);
    }
    if (v->rule.margin != v->planned_margin && maker_begin(m)) {
        fprintf(m->say.f,
                "The margin of %.3g%% was chosen for this report; the run was begun with %.3g%%.",
                100 * v->rule.margin, 100 * v->planned_margin);
        end_caution(m);
    }
    if (v->baseline != SIZE_MAX && !v->baseline_planned && maker_begin(m)) {
        fprintf(m->say.f,
                "The baseline %s was chosen for this report; the level still allows for all %zu "
                "ratios of the plan.",
                c->targets[v->baseline].name, v->ratios);
        end_caution(m);
    }
}

void findings_say_cautions(struct maker *m) {
    caution_limited(m);
    caution_null(m);
    caution_latency(m);
    findings_say_errors(m);
    findings_say_guests(m);
    caution_control(m);
    caution_counts(m);
    caution_choices(m);
    findings_caution_places(m);
}
