/* HdrHistogram's percentile table (.hgrm), which its plotter and others read. Values in
 * milliseconds. Our histograms are exact, so every value is one that was recorded: there is one
 * bucket, with as many parts as there are distinct values. */
#include <inttypes.h>
#include <math.h>

#include "report/export.h"

#define TICKS_PER_HALF 5

static const struct cell *only_cell(const struct cells *c, const struct export_select *s,
                                    struct err *e) {
    const struct cell *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (export_chooses(s, c, &c->cell[i])) {
            found = &c->cell[i];
            n++;
        }
    }
    if (n != 1) {
        err_set(e, ERR_USAGE,
                "hgrm is the table of one cell, and %zu are chosen; narrow them by --target, "
                "--workload and --connections",
                n);
        return NULL;
    }
    return found;
}

static double spread_of(const struct hist *h, double mean) {
    double sum = 0;
    for (size_t i = 0; i < h->n; i++) {
        const double d = (double)h->value[i] - mean;
        sum += d * d * (double)h->count[i];
    }
    return sqrt(sum / (double)hist_total(h));
}

/* The next level: so many to each halving of what lies beyond. */
static double next_level(double level) {
    const double halvings = floor(log2(1 / (1 - level))) + 1;
    return level + 1 / (TICKS_PER_HALF * exp2(halvings));
}

static void put_table(FILE *out, const struct hist *h) {
    const int64_t total = hist_total(h);
    int64_t seen = h->count[0];
    size_t at = 0;
    fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", out);
    double level = 0;
    while (at + 1 < h->n || level == 0) {
        const int64_t rank = (int64_t)ceil(level * (double)total);
        while (seen < rank && at + 1 < h->n) {
            seen += h->count[++at];
        }
        if (at + 1 == h->n && level > 0) {
            break;
        }
        fprintf(out, "%12.3f %2.12f %10" PRId64 " %14.2f\n", (double)h->value[at] / 1000, level,
                seen, 1 / (1 - level));
        level = next_level(level);
    }
    fprintf(out, "%12.3f %2.12f %10" PRId64 "\n", (double)h->value[h->n - 1] / 1000, 1.0, total);
}

int export_hgrm(FILE *out, const struct cells *c, const struct export_select *s, struct err *e) {
    const struct cell *cell = only_cell(c, s, e);
    struct hist h = {0};
    if (!cell) {
        return -1;
    }
    int rc = export_merge(c, cell, &h, e);
    if (rc == 0 && h.n == 0) {
        rc = err_set(e, ERR_FAILED, "that cell has no latency: none of its trials recorded any");
    }
    if (rc == 0) {
        const double mean = hist_sum(&h) / (double)hist_total(&h);
        put_table(out, &h);
        fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean / 1000,
                spread_of(&h, mean) / 1000);
        fprintf(out, "#[Max     = %12.3f, Total count    = %12" PRId64 "]\n",
                (double)h.value[h.n - 1] / 1000, hist_total(&h));
        fprintf(out, "#[Buckets = %12d, SubBuckets     = %12zu]\n", 1, h.n);
    }
    hist_release(&h);
    return rc;
}
