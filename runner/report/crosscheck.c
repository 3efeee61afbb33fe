#include "report/crosscheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/verdicts.h"
#include "store/manifest.h"

/* Lent room for one value a round each. */
struct room {
    double *a, *b, *work;
    enum client_state *states;
};

bool crosscheck_is(const struct store *s) {
    const char *kind = json_string_value(manifest_at(s->manifest, "kind"));
    return kind && strcmp(kind, CROSSCHECK_KIND) == 0;
}

static double known(int64_t v) {
    return v < 0 ? NAN : (double)v;
}

/* ---- figures of one trial */

/* Requests as the server counted them, else as the generator did. */
static double served(const struct trial_record *r) {
    return known(r->server.requests > 0 ? r->server.requests : r->load.requests);
}

/* A generator of many threads on few CPUs is at its end when they are, however little each of them
 * got. */
static double busy(const struct crosscheck *c, const struct trial_record *r) {
    double all = r->load.cpu_s * 1e6 / (double)r->load.duration_us / c->generator_cpus;
    return fmin(1, fmax(r->load.thread_busy, all)); /* each passes over NaN */
}

static double trial_value(const struct crosscheck *c, const struct trial_record *r,
                          enum crosscheck_figure id) {
    switch (id) {
    case CROSS_RATE:
        return r->rate;
    case CROSS_SERVER_CPU:
        return known(r->server.cpu_ns) / 1e3 / served(r);
    case CROSS_OWN_CPU:
        return r->load.cpu_s * 1e6 / known(r->load.requests);
    case CROSS_BUSY:
        return busy(c, r);
    case CROSS_SERVER:
        return r->server.cpus_used;
    case CROSS_BYTES:
        return known(r->load.bytes) / known(r->load.requests);
    case CROSS_P50:
        return known(r->raw.p50_us);
    case CROSS_P99:
        return known(r->raw.p99_us);
    case CROSS_MAX:
        return known(r->raw.max_us);
    case CROSS_SLEEPS:
        return known(r->server.switches_voluntary) / served(r);
    case CROSS_ACCEPTED:
        return known(r->server.accepted);
    case CROSS_DURATION:
        return known(r->load.duration_us);
    case CROSS_FIGURES:
        break;
    }
    return NAN;
}

static bool trial_valid(const struct trial_record *r) {
    return r && r->status == TRIAL_OK && !verdict_trial_invalid(r);
}

static void fill(const struct crosscheck *c, const struct crosscheck_side *s,
                 enum crosscheck_figure id, bool gated, double out[]) {
    for (size_t i = 0; i < c->cells->rounds; i++) {
        const struct trial_record *r = s->cell->trial[i];
        bool good = r && r->status == TRIAL_OK && (!gated || trial_valid(r));
        out[i] = good ? trial_value(c, r, id) : NAN;
    }
}

/* ---- one generator in one cell */

static void side_count(struct crosscheck_side *s, const struct trial_record *r) {
    s->trials++;
    s->invalid += verdict_trial_invalid(r);
    if (r->status != TRIAL_OK) {
        s->reason = s->failed++ == 0 ? r->reason : s->reason;
        return;
    }
    s->step_us = r->load.latency_step_us;
    s->threads = r->load.threads;
    s->unknown_late += r->load.errors_timeout < 0;
    if (r->server.requests >= 0 && r->load.requests >= 0) {
        s->asked++;
        s->told += r->load.requests;
        s->served += r->server.requests;
    }
}

static enum client_state side_client(const struct crosscheck *c, const struct crosscheck_side *s,
                                     enum client_state states[]) {
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; i < c->cells->rounds; i++) {
        any = any || trial_valid(s->cell->trial[i]);
    }
    for (size_t i = 0; i < c->cells->rounds; i++) {
        const struct trial_record *r = s->cell->trial[i];
        if (!r || r->status != TRIAL_OK || (any && !trial_valid(r))) {
            continue;
        }
        const struct client_block block = {
            .rate = r->rate,
            .ceiling = NAN,
            .busiest_thread = busy(c, r),
            .server_cpu = r->server.cpus_used,
            .server_cpus = c->server_cpus,
        };
        states[n++] = client_judge(&block).state;
    }
    return client_judge_cell(states, n);
}

static void side_measure(const struct crosscheck *c, struct crosscheck_side *s,
                         const struct room *r) {
    s->step_us = s->threads = -1;
    for (size_t i = 0; i < c->cells->rounds; i++) {
        if (s->cell->trial[i]) {
            side_count(s, s->cell->trial[i]);
        }
    }
    for (int id = 0; id < CROSS_FIGURES; id++) {
        fill(c, s, (enum crosscheck_figure)id, false, r->a);
        s->figure[id] = order_summarise(r->a, c->cells->rounds, CELL_LEVEL);
    }
    s->client = side_client(c, s, r->states);
}

static struct verdict side_against(const struct crosscheck *c, const struct crosscheck_side *s,
                                   const struct crosscheck_side *wrk, enum crosscheck_figure id,
                                   bool gated, const struct room *r) {
    fill(c, s, id, gated, r->a);
    fill(c, wrk, id, gated, r->b);
    return verdict_judge(r->a, r->b, c->cells->rounds, &c->rule, r->work);
}

/* ---- all cells */

static const char *cell_generator(const struct cells *c, const struct cell *cell) {
    for (size_t i = 0; i < c->rounds; i++) {
        if (cell->trial[i]) {
            return cell->trial[i]->load.generator;
        }
    }
    return "";
}

/* The group of a cell's target, workload and level; a new one where there is none. */
static struct crosscheck_cell *group_of(struct crosscheck *c, const struct cell *cell) {
    const char *base = c->cells->targets[cell->target].base;
    for (size_t i = 0; i < c->count; i++) {
        struct crosscheck_cell *g = &c->cell[i];
        if (g->connections == cell->connections && g->target && strcmp(g->target, base) == 0 &&
            strcmp(g->workload, cell->workload) == 0) {
            return g;
        }
    }
    c->cell[c->count] = (struct crosscheck_cell){
        .target = base, .workload = cell->workload, .connections = cell->connections};
    return &c->cell[c->count++];
}

static void group_add(struct crosscheck_cell *g, const char *generator, const struct cell *cell) {
    if (g->n == CROSSCHECK_SIDES) {
        return;
    }
    size_t at = g->n++;
    if (strcmp(generator, CROSSCHECK_REFERENCE) == 0 && at > 0) {
        g->side[at] = g->side[0];
        at = 0;
    }
    g->side[at] = (struct crosscheck_side){.generator = generator, .cell = cell};
}

static void judge_group(const struct crosscheck *c, struct crosscheck_cell *g,
                        const struct room *r) {
    for (size_t i = 0; i < g->n; i++) {
        side_measure(c, &g->side[i], r);
    }
    for (size_t i = 1; i < g->n; i++) {
        struct crosscheck_side *s = &g->side[i];
        const struct crosscheck_side *wrk = &g->side[0];
        s->rate = side_against(c, s, wrk, CROSS_RATE, true, r);
        s->rate_ungated = side_against(c, s, wrk, CROSS_RATE, false, r);
        s->server_cpu = side_against(c, s, wrk, CROSS_SERVER_CPU, true, r);
        s->server_cpu_ungated = side_against(c, s, wrk, CROSS_SERVER_CPU, false, r);
    }
}

static double planned_margin(const json_t *manifest) {
    const char *text = json_string_value(manifest_at(manifest, "options.margin"));
    double percent = text ? strtod(text, NULL) : NAN;
    return percent > 0 && percent <= 50 ? percent / 100 : VERDICT_MARGIN;
}

int crosscheck_judge(struct crosscheck *c, const struct cells *cells, struct err *e) {
    *c = (struct crosscheck){.cells = cells};
    const size_t rounds = cells->rounds + 1;
    if (!crosscheck_is(cells->store)) {
        return err_set(e, ERR_USAGE, "%s is no cross-check; make one with `loopbench crosscheck`",
                       cells->store->dir);
    }
    c->cell = calloc(cells->count + 1, sizeof *c->cell);
    double *values = calloc(3 * rounds, sizeof *values);
    enum client_state *states = calloc(rounds, sizeof *states);
    int rc = 0;
    if (!c->cell || !values || !states) {
        crosscheck_release(c);
        rc = err_set(e, ERR_MACHINE, "out of memory for the cross-check of %s", cells->store->dir);
    } else {
        const struct room r = {values, values + rounds, values + 2 * rounds, states};
        for (size_t i = 0; i < cells->count; i++) {
            group_add(group_of(c, &cells->cell[i]), cell_generator(cells, &cells->cell[i]),
                      &cells->cell[i]);
        }
        for (size_t i = 0; i < c->count; i++) {
            c->ratios += 2 * (c->cell[i].n > 0 ? c->cell[i].n - 1 : 0);
        }
        c->server_cpus = cells_server_cpus(c->cells);
        c->generator_cpus = cells_generator_cpus(c->cells);
        c->rule =
            (struct verdict_rule){planned_margin(cells->store->manifest), verdict_alpha(c->ratios)};
        for (size_t i = 0; i < c->count; i++) {
            judge_group(c, &c->cell[i], &r);
        }
    }
    free(values);
    free(states);
    return rc;
}

void crosscheck_release(struct crosscheck *c) {
    free(c->cell);
    c->cell = NULL;
    c->count = 0;
}
