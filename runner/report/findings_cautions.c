/* What must not be concluded from a run. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/conditions.h"
#include "report/findings_parts.h"
#include "store/manifest.h"

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
            "The %zu comparison%s of p50 and p99 %s of a closed loop: wrk asks a slow server less "
            "often, so they show how a server behaves when saturated, not what a user would wait "
            "at a given load.",
            judged, judged == 1 ? "" : "s", judged == 1 ? "is" : "are");
    maker_caution(m);
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
        maker_caution(m);
    }
    if (differs > 0 && maker_begin(m)) {
        fprintf(m->say.f,
                "%zu of %zu verdicts %s on leaving out trials that the machine disturbed: ungated, "
                "from the first attempt of every block, they are of another kind.",
                differs, v->pair_count, differs == 1 ? "depends" : "depend");
        maker_caution(m);
    }
}

static void caution_conditions(struct maker *m) {
    struct condition found[CONDITIONS_MAX];
    const size_t n = conditions_read(m->v->cells->store->manifest, found);
    for (size_t i = 0; i < n && maker_begin(m); i++) {
        fprintf(m->say.f, "The machine and its use, %s: %s; %s. Remedy: %s.", found[i].name,
                found[i].value, found[i].why, found[i].fix);
        maker_caution(m);
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
        fprintf(m->say.f,
                " %s measured. Stopping a run by what it shows so far finds differences "
                "that are not there.",
                blocks <= 0 && v->blocks == 1 ? "block was" : "blocks were");
        maker_caution(m);
    }
    if (v->rule.margin != v->planned_margin && maker_begin(m)) {
        fprintf(m->say.f,
                "The margin of %.3g%% was chosen for this report; the run was begun with %.3g%%.",
                100 * v->rule.margin, 100 * v->planned_margin);
        maker_caution(m);
    }
    if (v->baseline != SIZE_MAX && !v->baseline_planned && maker_begin(m)) {
        fprintf(m->say.f,
                "The baseline %s was chosen for this report; the level still allows for all %zu "
                "ratios of the plan.",
                c->targets[v->baseline].name, v->ratios);
        maker_caution(m);
    }
}

void findings_say_cautions(struct maker *m) {
    findings_caution_control(m);
    findings_caution_client(m);
    caution_latency(m);
    findings_say_failures(m);
    findings_say_errors(m);
    findings_say_replies(m);
    findings_say_unknown(m);
    findings_say_database(m);
    findings_say_guests(m);
    caution_counts(m);
    caution_conditions(m);
    caution_choices(m);
    findings_caution_places(m);
}
