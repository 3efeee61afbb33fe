#include "report/export.h"

#include <string.h>

const struct export_format export_formats[] = {
    {"csv", export_csv},
    {"json", export_json},
    {"benchstat", export_benchstat},
    {"openmetrics", export_openmetrics},
    {"hgrm", export_hgrm},
    {NULL, NULL},
};

const struct export_format *export_find(const char *name, struct err *e) {
    for (const struct export_format *f = export_formats; f->name; f++) {
        if (strcmp(f->name, name) == 0) {
            return f;
        }
    }
    err_set(e, ERR_USAGE,
            "--format: no format is called '%s'; there are csv, json, benchstat, openmetrics and "
            "hgrm",
            name);
    return NULL;
}

bool export_chooses(const struct export_select *s, const struct cells *c, const struct cell *cell) {
    return (!s->target || strcmp(s->target, c->targets[cell->target].name) == 0) &&
           (!s->workload || strcmp(s->workload, cell->workload) == 0) &&
           (s->connections == 0 || s->connections == cell->connections);
}

int export_check(const struct export_select *s, const struct cells *c, struct err *e) {
    for (size_t i = 0; i < c->count; i++) {
        if (export_chooses(s, c, &c->cell[i])) {
            return 0;
        }
    }
    return err_set(e, ERR_USAGE,
                   "%s holds no such cell; `loopbench show` tells targets, workloads and "
                   "connections",
                   c->store->dir);
}

int export_merge(const struct cells *c, const struct cell *cell, struct hist *h, struct err *e) {
    for (size_t i = 0; i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        if (r && r->status == TRIAL_OK && store_read_hist(c->store, r, h, e) < 0) {
            return -1;
        }
    }
    return 0;
}
