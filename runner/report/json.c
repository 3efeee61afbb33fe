#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/text.h"
#include "report/verdicts_formats.h"
#include "store/manifest.h"

#define REPORT_VERSION 1

static json_t *real_or_null(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *int_or_null(int64_t v) {
    return v >= 0 ? json_integer(v) : json_null();
}

/* Only for reports: "" is no reason, not an empty one. */
static json_t *text_or_null(const char *text) {
    return *text ? json_string(text) : json_null();
}

static json_t *figure_json(const struct cells *c, const struct cell *cell, enum figure_id id) {
    const struct figure *f = &cell->figure[id];
    json_t *rounds = json_array();
    for (size_t i = 0; i < c->rounds; i++) {
        json_array_append_new(rounds, real_or_null(cell_value(cell, i, id)));
    }
    return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o}", "median", real_or_null(f->s.median), "lo",
                     real_or_null(f->s.lo), "hi", real_or_null(f->s.hi), "n", (json_int_t)f->s.n,
                     "missing", text_or_null(f->missing), "rounds", rounds);
}

static json_t *failures_json(const struct cells *c, const struct cell *cell) {
    json_t *list = json_array();
    for (size_t i = 0; i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        if (r && r->status != TRIAL_OK) {
            json_array_append_new(list,
                                  json_pack("{s:i, s:s, s:s}", "round", (int)i, "failure",
                                            record_failure_name(r->failure), "reason", r->reason));
        }
    }
    return list;
}

/* {"refused": 3, "timeout": 1} */
static json_t *failed_by_json(const struct cells *c, const struct cell *cell) {
    json_t *kinds = json_object();
    for (int kind = FAIL_NONE + 1; kind <= FAIL_OTHER; kind++) {
        const int n = cell_failed_by(cell, c->rounds, (enum trial_failure)kind);
        if (n > 0) {
            json_object_set_new(kinds, record_failure_name((enum trial_failure)kind),
                                json_integer(n));
        }
    }
    return kinds;
}

static json_t *cell_json(const struct cells *c, const struct cell *cell) {
    const struct cell_target *t = &c->targets[cell->target];
    json_t *figures = json_object();
    for (int id = 0; id < FIG_COUNT; id++) {
        json_object_set_new(figures, figure_info((enum figure_id)id)->key,
                            figure_json(c, cell, (enum figure_id)id));
    }
    return json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:{s:i, s:i, s:i, s:o}, s:o, s:{s:o, s:o, s:o, s:o, s:o, s:o},"
        " s:s, s:o, s:o, s:o, s:s, s:o, s:o}",
        "workload", cell->workload, "connections", cell->connections, "target", t->name, "base",
        t->base, "role", record_role_name(t->role), "rounds", "planned", cell->planned, "measured",
        cell->measured, "failed", cell->failed, "failed_by", failed_by_json(c, cell), "requests",
        int_or_null(cell->requests), "errors", "all", int_or_null(cell->errors), "connect",
        int_or_null(cell->errors_by[0]), "read", int_or_null(cell->errors_by[1]), "write",
        int_or_null(cell->errors_by[2]), "timeout", int_or_null(cell->errors_by[3]), "status",
        int_or_null(cell->errors_by[4]), "client", client_state_name(cell->client), "ceiling_share",
        real_or_null(cell->ceiling), "processes", int_or_null(cell->processes), "memory_kind",
        text_or_null(cell->memory_kind), "flags", cell->flags, "failures", failures_json(c, cell),
        "figures", figures);
}

static json_t *findings_json(const struct findings *f) {
    static const char *const kinds[] = {
        [FINDING_COST] = "cost",
        [FINDING_DIFFERENCE] = "difference",
        [FINDING_EQUIVALENT] = "equivalent",
        [FINDING_NO_DIFFERENCE] = "no difference",
        [FINDING_INSUFFICIENT] = "insufficient",
        [FINDING_CAUTION] = "caution",
    };
    json_t *list = json_array();
    for (size_t i = 0; i < f->count; i++) {
        json_array_append_new(list, json_pack("{s:s, s:s}", "kind", kinds[f->finding[i].kind],
                                              "text", f->finding[i].text));
    }
    return json_pack("{s:s, s:s, s:{s:I, s:I}, s:o, s:o, s:o}", "validity",
                     findings_validity_name(f->validity), "reason", f->validity_reason,
                     "control_cells", "judged", (json_int_t)f->cells_judged, "measured",
                     (json_int_t)f->cells_measured, "resolution", real_or_null(f->resolution),
                     "resolution_rate", real_or_null(f->resolution_rate), "findings", list);
}

int json_write(const struct cells *c, const struct verdicts *v, const struct findings *f,
               const struct counts *counts, struct err *e) {
    struct text_file t;
    json_t *list = json_array();
    for (size_t i = 0; i < c->count; i++) {
        json_array_append_new(list, cell_json(c, &c->cell[i]));
    }
    json_t *root =
        json_pack("{s:s, s:i, s:s, s:O, s:o, s:o, s:f, s:o}", "format", "loopbench-report",
                  "format_version", REPORT_VERSION, "state", store_state_name(c->store->state),
                  "run", c->store->manifest, "findings", findings_json(f), "verdicts",
                  verdicts_json(v), "interval_level", CELL_LEVEL, "cells", list);
    if (root && counts->count > 0) {
        json_object_set_new(root, "counts", counts_json(counts));
    }
    char *text = root && json_array_size(list) == c->count
                     ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12))
                     : NULL;
    json_decref(root);
    if (!text || text_begin(&t, e) != 0) {
        free(text);
        return err_set(e, ERR_MACHINE, "out of memory writing %s/report.json", c->store->dir);
    }
    fputs(text, t.f);
    fputc('\n', t.f);
    free(text);
    return text_end(&t, c->store->dir, "report.json", e);
}
