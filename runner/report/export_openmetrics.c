/* OpenMetrics 1.0 text: https://openmetrics.io, "The OpenMetrics format", sections 4 and 5. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/export.h"
#include "store/manifest.h"

/* Families in base units, as the format asks for. */
static const struct family {
    const char *name, *unit, *help;
    enum figure_id figure;
    double scale;
} families[] = {
    {"loopbench_cpu_per_request_seconds", "seconds", "Server CPU time per request.", FIG_CPU, 1e-6},
    {"loopbench_requests_per_second", NULL, "Successful replies per second.", FIG_RATE, 1},
    {"loopbench_latency_p50_seconds", "seconds", "Raw latency, p50.", FIG_P50, 1e-6},
    {"loopbench_latency_p90_seconds", "seconds", "Raw latency, p90.", FIG_P90, 1e-6},
    {"loopbench_latency_p99_seconds", "seconds", "Raw latency, p99.", FIG_P99, 1e-6},
    {"loopbench_latency_p999_seconds", "seconds", "Raw latency, p99.9.", FIG_P999, 1e-6},
    {"loopbench_memory_idle_bytes", "bytes", "Memory before any load: kind rss or pss.",
     FIG_RSS_IDLE, 1},
    {"loopbench_memory_peak_bytes", "bytes", "Peak memory: kind rss or pss.", FIG_RSS_PEAK, 1},
};

#define FAMILIES (sizeof families / sizeof families[0])

/* Upper ends of the buckets in µs: 1, 2, 5 to a decade. */
static const int64_t bounds[] = {10,     20,      50,      100,     200,     500,    1000,
                                 2000,   5000,    10000,   20000,   50000,   100000, 200000,
                                 500000, 1000000, 2000000, 5000000, 10000000};

#define BOUNDS (sizeof bounds / sizeof bounds[0])

/* Only backslash, quote and newline have to be escaped; other controls become blanks. */
static void put_value(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '\\' || *text == '"') {
            fprintf(out, "\\%c", *text);
        } else if (*text == '\n') {
            fputs("\\n", out);
        } else {
            fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, out);
        }
    }
    fputc('"', out);
}

static void put_label(FILE *out, const char *name, const char *value) {
    fprintf(out, ",%s=", name);
    put_value(out, value);
}

/* The labels of a cell, still open for more. */
static void put_labels(FILE *out, const struct cells *c, const struct cell *cell) {
    const char *id = json_string_value(json_object_get(c->store->manifest, "run_id"));
    fputs("{run=", out);
    put_value(out, id ? id : "");
    put_label(out, "target", c->targets[cell->target].name);
    put_label(out, "role", record_role_name(c->targets[cell->target].role));
    put_label(out, "workload", cell->workload);
    fprintf(out, ",connections=\"%d\"", cell->connections);
}

static void put_family(FILE *out, const char *name, const char *type, const char *unit,
                       const char *help) {
    fprintf(out, "# TYPE %s %s\n", name, type);
    if (unit) {
        fprintf(out, "# UNIT %s %s\n", name, unit);
    }
    fprintf(out, "# HELP %s %s\n", name, help);
}

static void put_stat(FILE *out, const struct family *f, const struct cells *c,
                     const struct cell *cell, const char *stat, double value) {
    if (isfinite(value)) {
        fputs(f->name, out);
        put_labels(out, c, cell);
        if (figure_info(f->figure)->kind == UNIT_BYTES) {
            put_label(out, "kind", cell->memory_kind);
        }
        put_label(out, "stat", stat);
        fprintf(out, "} %.10g\n", value * f->scale);
    }
}

static void put_figures(FILE *out, const struct family *f, const struct cells *c,
                        const struct export_select *s) {
    put_family(out, f->name, "gauge", f->unit, f->help);
    for (size_t i = 0; i < c->count; i++) {
        const struct order_summary *figure = &c->cell[i].figure[f->figure].s;
        if (export_chooses(s, c, &c->cell[i])) {
            put_stat(out, f, c, &c->cell[i], "median", figure->median);
            put_stat(out, f, c, &c->cell[i], "lo", figure->lo);
            put_stat(out, f, c, &c->cell[i], "hi", figure->hi);
        }
    }
}

static void put_processes(FILE *out, const struct cells *c, const struct export_select *s) {
    static const char name[] = "loopbench_server_processes";
    put_family(out, name, "gauge", NULL, "Most processes of the server at once.");
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        if (export_chooses(s, c, cell) && cell->processes >= 0) {
            fputs(name, out);
            put_labels(out, c, cell);
            fprintf(out, "} %" PRId64 "\n", cell->processes);
        }
    }
}

static void put_histogram(FILE *out, const struct cells *c, const struct cell *cell,
                          const struct hist *h) {
    static const char name[] = "loopbench_latency_seconds";
    int64_t seen = 0;
    size_t at = 0;
    for (size_t b = 0; b < BOUNDS; b++) {
        for (; at < h->n && h->value[at] <= bounds[b]; at++) {
            seen += h->count[at];
        }
        fprintf(out, "%s_bucket", name);
        put_labels(out, c, cell);
        /* A floating point number with its point, as the format's canonical form. */
        const double le = (double)bounds[b] / 1e6;
        fprintf(out,
                le == floor(le) ? ",le=\"%.1f\"} %" PRId64 "\n" : ",le=\"%.10g\"} %" PRId64 "\n",
                le, seen);
    }
    fprintf(out, "%s_bucket", name);
    put_labels(out, c, cell);
    fprintf(out, ",le=\"+Inf\"} %" PRId64 "\n%s_count", hist_total(h), name);
    put_labels(out, c, cell);
    fprintf(out, "} %" PRId64 "\n%s_sum", hist_total(h), name);
    put_labels(out, c, cell);
    fprintf(out, "} %.10g\n", hist_sum(h) / 1e6);
}

static int put_histograms(FILE *out, const struct cells *c, const struct export_select *s,
                          struct err *e) {
    put_family(out, "loopbench_latency_seconds", "histogram", "seconds",
               "Raw latency of all rounds.");
    for (size_t i = 0; i < c->count; i++) {
        struct hist h = {0};
        if (!export_chooses(s, c, &c->cell[i])) {
            continue;
        }
        const int rc = export_merge(c, &c->cell[i], &h, e);
        if (rc == 0 && h.n > 0) {
            put_histogram(out, c, &c->cell[i], &h);
        }
        hist_release(&h);
        if (rc != 0) {
            return -1;
        }
    }
    return 0;
}

static void put_run(FILE *out, const struct cells *c) {
    static const char *const facts[][2] = {{"started", "started"},
                                           {"version", "loopbench.version"},
                                           {"commit", "loopbench.commit"},
                                           {"profile", "plan.profile"},
                                           {"cpu", "machine.cpu.model"}};
    char buf[32];
    put_family(out, "loopbench_run", "info", NULL, "The run these figures are of.");
    fputs("loopbench_run_info{run=", out);
    put_value(out, manifest_text(c->store->manifest, "run_id", buf, sizeof buf, ""));
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        put_label(out, facts[i][0],
                  manifest_text(c->store->manifest, facts[i][1], buf, sizeof buf, ""));
    }
    fputs("} 1\n", out);
}

int export_openmetrics(FILE *out, const struct cells *c, const struct export_select *s,
                       struct err *e) {
    put_run(out, c);
    for (size_t f = 0; f < FAMILIES; f++) {
        put_figures(out, &families[f], c, s);
    }
    put_processes(out, c, s);
    if (put_histograms(out, c, s, e) != 0) {
        return -1;
    }
    fputs("# EOF\n", out);
    return 0;
}
