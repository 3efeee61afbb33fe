#include "store/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/manifest.h"

static const struct count_info infos[COUNT_KINDS] = {
    [COUNT_INSTRUCTIONS] = {"instructions", "instructions", "instructions", 0},
    [COUNT_USER] = {"hardware_user", "instructions, user, by hardware", NULL, 0},
    [COUNT_KERNEL] = {"hardware_kernel", "instructions, kernel, by hardware", NULL, 0},
    [COUNT_SYSCALLS] = {"syscalls", "system calls", "syscalls", 2},
    [COUNT_ALLOCATIONS] = {"allocations", "allocations", "allocations", 2},
    [COUNT_SENT] = {"bytes_sent", "bytes sent to it", NULL, 0},
    [COUNT_RECEIVED] = {"bytes_received", "bytes received from it", "bytes", 0},
};

static const char *const parts[COUNT_PARTS] = {
    [PART_LOOP] = "event loop", [PART_PARSER] = "parser", [PART_APPLICATION] = "application",
    [PART_LIBC] = "libc",       [PART_OTHER] = "other",
};

const struct count_info *count_info(enum count_kind kind) {
    return &infos[kind];
}

const char *count_part_name(enum count_part part) {
    return parts[part];
}

void count_record_init(struct count_record *r) {
    memset(r, 0, sizeof *r);
    r->wall_s = UNKNOWN_REAL;
    for (int k = 0; k < COUNT_KINDS; k++) {
        r->figure[k].per_request = r->figure[k].spread = UNKNOWN_REAL;
    }
    for (int p = 0; p < COUNT_PARTS; p++) {
        r->part[p] = UNKNOWN_REAL;
    }
}

double count_scale(double figure) {
    return fabs(figure) < COUNTS_NONE ? 1 : fabs(figure);
}

double count_tolerance(double figure) {
    return fmax(COUNTS_TOLERANCE, COUNTS_TOLERANCE / count_scale(figure));
}

static double spread_of(double lo, double hi) {
    return (hi - lo) / count_scale((lo + hi) / 2);
}

static bool agree(double a, double b) {
    return spread_of(fmin(a, b), fmax(a, b)) <= count_tolerance((a + b) / 2);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

bool count_settle(struct count_figure *f) {
    double sorted[COUNTS_REPEATS_MAX];
    if (f->n < 2) {
        return false;
    }
    const double a = f->repeat[f->n - 2];
    const double b = f->repeat[f->n - 1];
    if (agree(a, b)) {
        f->state = COUNT_SETTLED;
        f->per_request = (a + b) / 2;
        f->spread = spread_of(fmin(a, b), fmax(a, b));
        return true;
    }
    memcpy(sorted, f->repeat, (size_t)f->n * sizeof sorted[0]);
    qsort(sorted, (size_t)f->n, sizeof sorted[0], by_value);
    f->state = COUNT_UNSETTLED;
    f->per_request = (sorted[(f->n - 1) / 2] + sorted[f->n / 2]) / 2;
    f->spread = spread_of(sorted[0], sorted[f->n - 1]);
    return false;
}

bool counts_only(const json_t *manifest) {
    const char *kind = json_string_value(manifest_at(manifest, "kind"));
    return kind && strcmp(kind, COUNTS_KIND) == 0;
}

const struct count_record *counts_find(const struct counts *c, const char *target,
                                       const char *workload, int connections, int pipeline) {
    for (size_t i = 0; i < c->count; i++) {
        const struct count_record *r = &c->record[i];
        if (r->connections == connections && r->pipeline == pipeline &&
            strcmp(r->target, target) == 0 && strcmp(r->workload, workload) == 0) {
            return r;
        }
    }
    return NULL;
}

void counts_release(struct counts *c) {
    free(c->record);
    *c = (struct counts){0};
}
