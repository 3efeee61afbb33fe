/* Counts as CSV and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/counts.h"
#include "report/text.h"

static void put_real(FILE *f, double v) {
    if (isfinite(v)) {
        fprintf(f, ",%.10g", v);
    } else {
        fputc(',', f);
    }
}

static const char *state_name(enum count_state s) {
    return s == COUNT_SETTLED ? "settled" : s == COUNT_UNSETTLED ? "unsettled" : "missing";
}

static void put_start(FILE *f, const struct count_record *r) {
    text_csv(f, r->workload);
    fprintf(f, ",%d,%d,", r->connections, r->pipeline);
    text_csv(f, r->target);
}

/* A row a figure; and of what it is made, as figures of their own ("syscalls:read"). */
static void put_record(FILE *f, const struct count_record *r) {
    for (int k = 0; k < COUNT_KINDS; k++) {
        const struct count_figure *v = &r->figure[k];
        put_start(f, r);
        fprintf(f, ",%s,", count_info((enum count_kind)k)->key);
        fputs(state_name(v->state), f);
        put_real(f, v->per_request);
        put_real(f, v->spread);
        fprintf(f, ",%d,", v->n);
        text_csv(f, v->reason);
        fputc('\n', f);
    }
    for (int p = 0; p < COUNT_PARTS && r->functions > 0; p++) {
        put_start(f, r);
        fprintf(f, ",instructions:%s,", count_part_name((enum count_part)p));
        put_real(f, r->part[p]);
        fputs(",,,\n", f);
    }
    for (size_t i = 0; i < r->calls; i++) {
        char name[64];
        snprintf(name, sizeof name, "syscalls:%s", r->call[i].name);
        put_start(f, r);
        fputc(',', f);
        text_csv(f, name);
        fputc(',', f);
        put_real(f, r->call[i].per_request);
        fputs(",,,\n", f);
    }
}

int counts_csv_write(const struct counts *c, const char *dir, struct err *e) {
    struct text_file t;
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    fputs("workload,connections,pipeline,target,figure,state,per_request,spread,repeats,reason\n",
          t.f);
    for (size_t i = 0; i < c->count; i++) {
        put_record(t.f, &c->record[i]);
    }
    return text_end(&t, dir, "counts.csv", e);
}

json_t *counts_json(const struct counts *c) {
    json_t *list = json_array();
    for (size_t i = 0; i < c->count; i++) {
        char *line = count_to_line(&c->record[i]);
        json_array_append_new(list, line ? json_loads(line, 0, NULL) : NULL);
        free(line);
    }
    return list;
}
