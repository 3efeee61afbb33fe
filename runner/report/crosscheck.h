/* crosscheck.h — where load generators disagree about one server, and why, as far as the figures
 * show it.
 *
 * Such a run (manifest member "kind": "crosscheck", "generators": [{"name","version"}]) measures
 * each cell by several generators: its targets are TARGET-by-GENERATOR, with TARGET as their base.
 * Each is held against wrk, in the blocks in which both are valid, by their rate and by the CPU a
 * request costs the server, at alpha' = 0.035 / m with m the ratios of the run (verdict.h). CPU is
 * divided by the requests that the server counted, where it was asked. What is wrong with a
 * generator is said in sentences, each made from a figure that stands in it. */
#ifndef REPORT_CROSSCHECK_H
#define REPORT_CROSSCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "report/cells.h"
#include "stats/client.h"
#include "stats/verdict.h"

/* The manifest's "kind" of such a run. */
#define CROSSCHECK_KIND      "crosscheck"
#define CROSSCHECK_REFERENCE "wrk"
#define CROSSCHECK_SIDES     8

/* Medians over rounds; a figure that no trial has is NaN. */
enum crosscheck_figure {
    CROSS_RATE,       /* successful replies per second, as the generator says */
    CROSS_SERVER_CPU, /* µs of the server for a request */
    CROSS_OWN_CPU,    /* µs of the generator for a request it counted */
    CROSS_BUSY,       /* its busiest thread, or all its threads of all its CPUs: 0..1 */
    CROSS_SERVER,     /* CPUs that the server used */
    CROSS_BYTES,      /* per reply, as the generator says */
    CROSS_P50,        /* µs, as it says */
    CROSS_P99,
    CROSS_MAX,
    CROSS_SLEEPS,   /* times that the server gave its CPU up by itself, a request */
    CROSS_ACCEPTED, /* connections that the server accepted */
    CROSS_DURATION, /* µs that it says it measured */
    CROSS_FIGURES,
};

struct crosscheck_side {
    const char *generator; /* points into the records */
    const struct cell *cell;
    size_t trials, failed, invalid;
    const char *reason; /* of the first failure; NULL = none failed */
    struct order_summary figure[CROSS_FIGURES];
    /* Over the trials in which the server was asked: what the generator counted, and the server. */
    size_t asked;
    int64_t told, served;
    size_t unknown_late; /* trials of which it is not known how many replies came too late */
    int64_t step_us;     /* of its latencies; -1 unknown */
    int threads;         /* -1 unknown */
    /* CLIENT_LIMITED: it, not the server, set the rate. */
    enum client_state client;
    /* Against wrk, of wrk itself all zero; ungated: with the trials that the machine disturbed. */
    struct verdict rate, server_cpu, rate_ungated, server_cpu_ungated;
};

struct crosscheck_cell {
    const char *target, *workload;
    int connections;
    size_t n;
    struct crosscheck_side side[CROSSCHECK_SIDES]; /* wrk first */
};

struct crosscheck {
    const struct cells *cells;
    size_t ratios;                      /* m */
    double server_cpus, generator_cpus; /* each may use; NaN unknown */
    struct verdict_rule rule;
    size_t count;
    struct crosscheck_cell *cell;
};

#define CROSSCHECK_SAYS     13
#define CROSSCHECK_SAY_SIZE 320

/* What the figures say of one generator, a sentence each, without a full stop. */
struct crosscheck_words {
    size_t n;
    char text[CROSSCHECK_SAYS][CROSSCHECK_SAY_SIZE];
};

/* Whether the run is a cross-check. */
bool crosscheck_is(const struct store *s);

/* Points into *cells, which must outlive it; crosscheck_release() frees the rest. Returns 0, or -1
 * with *e: ERR_USAGE when the run is no cross-check, ERR_MACHINE out of memory. */
int crosscheck_judge(struct crosscheck *c, const struct cells *cells, struct err *e);
void crosscheck_release(struct crosscheck *c);

/* Sentences about side `i` of a cell. */
void crosscheck_say(const struct crosscheck *c, const struct crosscheck_cell *cell, size_t i,
                    struct crosscheck_words *out);

/* crosscheck.json and crosscheck.md, into the run's folder. */
int crosscheck_write(const struct crosscheck *c, struct err *e);

/* The same for a terminal. */
void crosscheck_print(FILE *out, const struct crosscheck *c, bool utf8);

#endif
