#include <inttypes.h>
#include <math.h>

#include "report/formats.h"
#include "report/text.h"

static const char *const error_names[CELL_ERRORS] = {"connect", "read", "write", "timeout",
                                                     "status"};

static void put_int(FILE *f, int64_t v) {
    if (v >= 0) {
        fprintf(f, ",%" PRId64, v);
    } else {
        fputc(',', f);
    }
}

static void put_real(FILE *f, double v) {
    if (isfinite(v)) {
        fprintf(f, ",%.10g", v);
    } else {
        fputc(',', f);
    }
}

static void put_header(FILE *f) {
    fputs("workload,connections,target,base,role,rounds_planned,rounds_measured,rounds_failed,"
          "requests,errors",
          f);
    for (int k = 0; k < CELL_ERRORS; k++) {
        fprintf(f, ",errors_%s", error_names[k]);
    }
    fputs(",client,ceiling_share,processes,memory_kind", f);
    for (int id = 0; id < FIG_COUNT; id++) {
        const char *key = figure_info((enum figure_id)id)->key;
        fprintf(f, ",%s,%s_lo,%s_hi", key, key, key);
    }
    fputs(",flags,missing\n", f);
}

static void put_missing(FILE *f, const struct cell *cell) {
    struct text_file t;
    struct err ignored;
    if (text_begin(&t, &ignored) != 0) {
        return;
    }
    for (int id = 0; id < FIG_COUNT; id++) {
        if (cell->figure[id].missing[0]) {
            fflush(t.f);
            fprintf(t.f, "%s%s: %s", t.len ? "; " : "", figure_info((enum figure_id)id)->key,
                    cell->figure[id].missing);
        }
    }
    if (fflush(t.f) == 0) {
        text_csv(f, t.data);
    }
    text_drop(&t);
}

static void put_cell(FILE *f, const struct cells *c, const struct cell *cell) {
    const struct cell_target *target = &c->targets[cell->target];
    text_csv(f, cell->workload);
    fprintf(f, ",%d,", cell->connections);
    text_csv(f, target->name);
    fputc(',', f);
    text_csv(f, target->base);
    fprintf(f, ",%s,%d,%d,%d", record_role_name(target->role), cell->planned, cell->measured,
            cell->failed);
    put_int(f, cell->requests);
    put_int(f, cell->errors);
    for (int k = 0; k < CELL_ERRORS; k++) {
        put_int(f, cell->errors_by[k]);
    }
    fprintf(f, ",%s", client_state_name(cell->client));
    put_real(f, cell->ceiling);
    put_int(f, cell->processes);
    fprintf(f, ",%s", cell->memory_kind);
    for (int id = 0; id < FIG_COUNT; id++) {
        put_real(f, cell->figure[id].s.median);
        put_real(f, cell->figure[id].s.lo);
        put_real(f, cell->figure[id].s.hi);
    }
    fputc(',', f);
    text_csv(f, cell->flags);
    fputc(',', f);
    put_missing(f, cell);
    fputc('\n', f);
}

int csv_write(const struct cells *c, struct err *e) {
    struct text_file t;
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    put_header(t.f);
    for (size_t i = 0; i < c->count; i++) {
        put_cell(t.f, c, &c->cell[i]);
    }
    return text_end(&t, c->store->dir, "cells.csv", e);
}
