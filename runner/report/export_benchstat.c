/* Go's benchmark format, for benchstat. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/export.h"
#include "report/findings.h"
#include "store/manifest.h"

/* benchstat turns ns into seconds and knows bytes by B. The first is the headline. */
static const struct unit {
    const char *name;
    enum figure_id figure;
    double scale; /* of the figure's own unit */
} units[] = {
    {"cpu-ns/op", FIG_CPU, 1000}, {"req/s", FIG_RATE, 1},          {"p50-ns", FIG_P50, 1000},
    {"p90-ns", FIG_P90, 1000},    {"p99-ns", FIG_P99, 1000},       {"p999-ns", FIG_P999, 1000},
    {"peak-B", FIG_RSS_PEAK, 1},  {"peak-pss-B", FIG_RSS_PEAK, 1}, {"limited-req/s", FIG_RATE, 1},
};

/* RSS and PSS are two things, and so are a throughput and a lower bound of one: they have two
 * units, and benchstat compares neither with the other. */
enum { UNIT_RATE = 1, UNIT_RSS = 6, UNIT_PSS = 7, UNIT_LIMITED = 8 };

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
        if (u == (figure_is_pss(r) ? UNIT_RSS : UNIT_PSS) ||
            u == (cell->client == CLIENT_LIMITED ? UNIT_RATE : UNIT_LIMITED)) {
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

/* A line of the file's configuration, which benchstat sets tables apart by. */
static int put_validity(FILE *out, const struct cells *c, struct err *e) {
    const struct verdicts_options as_begun = {0};
    struct verdicts v;
    struct findings f;
    if (verdicts_build(&v, c, &as_begun, e) != 0) {
        return -1;
    }
    const int rc = findings_make(&f, &v, e);
    if (rc == 0) {
        const bool partly = f.cells_judged < f.cells_measured;
        fprintf(out, "validated: %s\n",
                f.validity == FINDINGS_NOT_VALIDATED ? "no"
                : f.validity == FINDINGS_NOT_JUDGED  ? "not judged"
                : partly                             ? f.validity_word + strlen("validated ")
                                                     : "yes");
        findings_release(&f);
    }
    verdicts_release(&v);
    return rc;
}

/* What a report gives no figures of, or holds nothing against. */
static bool is_sound(const struct trial_record *r) {
    return r && r->status == TRIAL_OK && !verdict_trial_invalid(r);
}

/* benchstat passes over lines that are neither results nor configuration. */
static void put_left_out(FILE *out, const struct cells *c, const struct export_select *s) {
    size_t all = 0;
    size_t sound = 0;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t round = 0; export_chooses(s, c, &c->cell[i]) && round < c->rounds; round++) {
            all += c->cell[i].trial[round] != NULL;
            sound += is_sound(c->cell[i].trial[round]);
        }
    }
    if (sound < all) {
        fprintf(out, "# %zu of %zu trials are left out: they failed or were disturbed\n",
                all - sound, all);
    }
}

int export_benchstat(FILE *out, const struct cells *c, const struct export_select *s,
                     struct err *e) {
    put_fact(out, "cpu", c->store->manifest, "machine.cpu.model");
    if (put_validity(out, c, e) != 0) {
        return -1;
    }
    for (size_t u = 0; u < UNITS; u++) {
        fprintf(out, "Unit %s better=%s\n", units[u].name,
                units[u].figure == FIG_RATE ? "higher" : "lower");
    }
    put_left_out(out, c, s);
    for (size_t round = 0; round < c->rounds; round++) {
        for (size_t i = 0; i < c->count; i++) {
            const struct cell *cell = &c->cell[i];
            const struct trial_record *r = cell->trial[round];
            if (is_sound(r) && export_chooses(s, c, cell)) {
                put_trial(out, c, cell, r);
            }
        }
    }
    return 0;
}
