#include <math.h>
#include <stdint.h>
#include <string.h>

#include "report/verdicts_formats.h"

static json_t *real_or_null(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

/* The log ratios' estimate too: what two runs are compared by (reproduce.h). */
static json_t *verdict_json(const struct verdict *v) {
    return json_pack("{s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I, s:I},"
                     " s:{s:o, s:o, s:o, s:o, s:o}}",
                     "verdict", verdict_name(v->kind), "fragile", v->fragile, "client_limited",
                     v->client_limited, "ratio", real_or_null(v->ratio), "lo", real_or_null(v->lo),
                     "hi", real_or_null(v->hi), "could_hide", real_or_null(v->could_hide),
                     "signed_rank_p", real_or_null(v->signed_rank_p), "blocks", "planned",
                     (json_int_t)v->pairs.planned, "valid", (json_int_t)v->pairs.valid, "needed",
                     (json_int_t)v->needed, "log", "mean", real_or_null(v->yuen.mean), "se",
                     real_or_null(v->yuen.se), "df", real_or_null(v->yuen.df), "lo",
                     real_or_null(v->log_lo), "hi", real_or_null(v->log_hi));
}

static json_t *row_json(const struct verdicts *v, const struct verdict_row *r) {
    char text[VERDICT_TEXT_MAX];
    verdict_row_text(r, true, text, sizeof text);
    json_t *out = verdict_json(&r->gated);
    json_t *about = json_pack(
        "{s:s, s:i, s:s, s:s, s:b, s:s, s:s, s:I, s:s?, s:o, s:b}", "workload", r->a->workload,
        "connections", r->a->connections, "a", v->cells->targets[r->a->target].name, "b",
        v->cells->targets[r->b->target].name, "control", r->control, "figure",
        figure_info(verdict_about_info(r->about)->figure)->key, "text", text, "blocks_invalid",
        (json_int_t)r->invalid_blocks, "missing", r->missing[0] ? r->missing : NULL, "ungated",
        verdict_json(&r->ungated), "gating_matters", r->differs);
    json_object_update(about, out);
    json_decref(out);
    return about;
}

static json_t *aa_json(const struct aa *aa) {
    static const char *const states[] = {
        [AA_VALIDATED] = "validated", [AA_ABSENT] = "absent", [AA_INSUFFICIENT] = "insufficient",
        [AA_ALARM] = "alarm",         [AA_BIASED] = "biased",
    };
    return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "state", states[aa->state],
                     "cells", (json_int_t)aa->cells, "judged", (json_int_t)aa->judged, "alarms",
                     (json_int_t)aa->alarms, "pooled", real_or_null(exp(aa->pooled.mean)), "lo",
                     real_or_null(exp(aa->log_lo)), "hi", real_or_null(exp(aa->log_hi)),
                     "resolution", real_or_null(aa->resolution), "resolution_worst",
                     real_or_null(aa->resolution_worst));
}

static json_t *control_json(const struct verdicts *v) {
    json_t *list = json_array();
    for (int i = 0; v->control != SIZE_MAX && i < ABOUT_COUNT; i++) {
        const struct verdict_about_info *info = verdict_about_info((enum verdict_about)i);
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:o, s:o, s:I}", "figure", figure_info(info->figure)->key,
                            "pooled_decides", i < ABOUT_POOLED_COUNT, "gated",
                            aa_json(&v->aa[i].gated), "ungated", aa_json(&v->aa[i].ungated),
                            "limited", (json_int_t)v->aa[i].limited));
    }
    return list;
}

static json_t *trials_json(const struct verdicts *v) {
    json_t *list = json_array();
    for (size_t t = 0; t < v->cells->target_count; t++) {
        const struct verdict_trials *n = &v->trials[t];
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "target",
                            v->cells->targets[t].name, "counted", (json_int_t)n->counted, "failed",
                            (json_int_t)n->failed, "invalid", (json_int_t)n->invalid, "unknown",
                            (json_int_t)n->unknown, "replaced", (json_int_t)n->replaced,
                            "replaced_invalid", (json_int_t)n->replaced_invalid));
    }
    return list;
}

json_t *verdicts_json(const struct verdicts *v) {
    json_t *rows = json_array();
    for (size_t i = 0; i < v->count; i++) {
        json_array_append_new(rows, row_json(v, &v->row[i]));
    }
    const char *baseline = v->baseline == SIZE_MAX ? NULL : v->cells->targets[v->baseline].name;
    return json_pack("{s:f, s:f, s:I, s:f, s:f, s:s?, s:{s:I, s:I, s:I}, s:o, s:o, s:o}", "margin",
                     v->rule.margin, "margin_planned", v->planned_margin, "ratios",
                     (json_int_t)v->ratios, "alpha", v->rule.alpha, "family_alpha",
                     VERDICT_FAMILY_ALPHA, "baseline", baseline, "blocks", "measured",
                     (json_int_t)v->blocks, "repeated", (json_int_t)v->cells->repeated, "invalid",
                     (json_int_t)v->blocks_invalid, "control", control_json(v), "trials",
                     trials_json(v), "rows", rows);
}
