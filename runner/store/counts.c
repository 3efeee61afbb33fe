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

/* The smallest and largest of some repeats. */
struct range {
    double lo, hi;
};

static struct range range_of(const double *v, int n) {
    struct range r = {v[0], v[0]};
    for (int i = 1; i < n; i++) {
        r.lo = fmin(r.lo, v[i]);
        r.hi = fmax(r.hi, v[i]);
    }
    return r;
}

/* Of two alone, or of the last three. */
static int agreeing(int n) {
    return n == 2 ? 2 : 3;
}

static bool agree(const struct count_figure *f) {
    const int n = agreeing(f->n);
    const struct range r = range_of(f->repeat + f->n - n, n);
    return spread_of(r.lo, r.hi) <= count_tolerance((r.lo + r.hi) / 2);
}

/* How many of the repeats are less than one of them, or the same and earlier. */
static int rank_of(const struct count_figure *f, int at) {
    int rank = 0;
    for (int i = 0; i < f->n; i++) {
        rank += f->repeat[i] < f->repeat[at] || (i < at && f->repeat[i] == f->repeat[at]);
    }
    return rank;
}

int count_chosen(const struct count_figure *f, int chosen[COUNTS_REPEATS_MAX]) {
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        const int rank = rank_of(f, i);
        if (f->state == COUNT_SETTLED ? i >= f->n - agreeing(f->n)
                                      : rank == (f->n - 1) / 2 || rank == f->n / 2) {
            chosen[n++] = i;
        }
    }
    return n;
}

bool count_settle(struct count_figure *f) {
    int chosen[COUNTS_REPEATS_MAX];
    double sum = 0;
    if (f->n < 2) {
        return false;
    }
    f->state = agree(f) ? COUNT_SETTLED : COUNT_UNSETTLED;
    const int n = count_chosen(f, chosen);
    for (int i = 0; i < n; i++) {
        sum += f->repeat[chosen[i]];
    }
    f->per_request = sum / n;
    const struct range all = range_of(f->repeat, f->n);
    f->spread = spread_of(all.lo, all.hi);
    return f->state == COUNT_SETTLED;
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
