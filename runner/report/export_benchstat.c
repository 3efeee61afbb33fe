/* Go's benchmark format, for benchstat. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/export.h"
#include "store/manifest.h"

/* benchstat turns ns into seconds and knows bytes by B. The first is the headline. */
static const struct unit {
    const char *name;
    enum figure_id figure;
    double scale; /* of the figure's own unit */
} units[] = {
    {"cpu-ns/op", FIG_CPU, 1000}, {"req/s", FIG_RATE, 1},          {"p50-ns", FIG_P50, 1000},
    {"p90-ns", FIG_P90, 1000},    {"p99-ns", FIG_P99, 1000},       {"p999-ns", FIG_P999, 1000},
    {"peak-B", FIG_RSS_PEAK, 1},  {"peak-pss-B", FIG_RSS_PEAK, 1},
};

/* RSS and PSS are two things, so they have two units: benchstat compares neither with the other. */
#define UNIT_RSS 6
#define UNIT_PSS 7

#define UNITS (sizeof units / sizeof units[0])

/* One part of a benchmark's name. Blanks end a name, "/" and "=" part it, and a number after the
 * last dash is taken for GOMAXPROCS: all but letters, digits and a few signs is written %XX, so
 * that two names stay two. */
static void put_part(FILE *out, const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < 0x80 && (isalnum(*c) || strchr("_.+:-", *c))) {
            fputc(*c, out);
        } else {
            fprintf(out, "%%%02X", *c);
        }
    }
}

/* "hello" is BenchmarkHello: what follows the word must not be lower case. */
static void put_name(FILE *out, const struct cells *c, const struct cell *cell) {
    fputs("Benchmark", out);
    if (cell->workload[0] >= 'a' && cell->workload[0] <= 'z') {
        fputc(toupper((unsigned char)cell->workload[0]), out);
        put_part(out, cell->workload + 1);
    } else {
        fputc('_', out);
        put_part(out, cell->workload);
    }
    fputs("/target=", out);
    put_part(out, c->targets[cell->target].name);
    fprintf(out, "/connections=%d", cell->connections);
}

/* A line "key: value"; controls in the value would begin another one. */
static void put_fact(FILE *out, const char *key, const json_t *manifest, const char *path) {
    char buf[32];
    const char *text = manifest_text(manifest, path, buf, sizeof buf, NULL);
    if (!text) {
        return;
    }
    fprintf(out, "%s: ", key);
    for (; *text; text++) {
        fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, out);
    }
    fputc('\n', out);
}

static void put_trial(FILE *out, const struct cells *c, const struct cell *cell,
                      const struct trial_record *r) {
    bool any = false;
    for (size_t u = 0; u < UNITS; u++) {
        const double value = figure_value(r, units[u].figure) * units[u].scale;
        if (u == (figure_is_pss(r) ? UNIT_RSS : UNIT_PSS)) {
            continue;
        }
        /* A percentile that the cell does not carry is not exported either. */
        if (!isfinite(value) || cell->figure[units[u].figure].missing[0]) {
            continue;
        }
        if (!any) {
            put_name(out, c, cell);
            fprintf(out, " %" PRId64, r->load.requests > 0 ? r->load.requests : 1);
        }
        fprintf(out, " %.10g %s", value, units[u].name);
        any = true;
    }
    fputs(any ? "\n" : "", out);
}

int export_benchstat(FILE *out, const struct cells *c, const struct export_select *s,
                     struct err *e) {
    (void)e;
    put_fact(out, "cpu", c->store->manifest, "machine.cpu.model");
    fputs("Unit req/s better=higher\n", out);
    for (size_t u = 0; u < UNITS; u++) {
        if (units[u].figure != FIG_RATE) {
            fprintf(out, "Unit %s better=lower\n", units[u].name);
        }
    }
    for (size_t round = 0; round < c->rounds; round++) {
        for (size_t i = 0; i < c->count; i++) {
            const struct cell *cell = &c->cell[i];
            const struct trial_record *r = cell->trial[round];
            if (r && r->status == TRIAL_OK && export_chooses(s, c, cell)) {
                put_trial(out, c, cell, r);
            }
        }
    }
    return 0;
}
