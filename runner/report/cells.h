/* cells.h — from trials to cells: what reports, tables and plots are made of.
 *
 * A cell is target × workload × connections. Of a block that was run again the last complete
 * attempt counts. Failed trials are counted with their reasons and give no figures. */
#ifndef REPORT_CELLS_H
#define REPORT_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "report/figures.h"
#include "stats/client.h"
#include "stats/order.h"
#include "stats/percentile.h"
#include "store/record.h"
#include "store/store.h"

/* Level of the intervals of medians. */
#define CELL_LEVEL 0.95

/* Kinds of errors: connect, read, write, timeout, status. */
#define CELL_ERRORS 5

/* Room for why a figure is missing. */
#define CELL_MISSING_MAX 192

struct cell_target {
    const char *name; /* points into the records */
    const char *base;
    enum target_role role;
};

/* Median over rounds of one figure in one cell. */
struct figure {
    struct order_summary s;
    /* Why there is no median to print, "" when there is one. s.median is NaN then. */
    char missing[CELL_MISSING_MAX];
};

struct cell {
    size_t target; /* index into cells.targets */
    const char *workload;
    int connections;
    /* The trial that counts of each round, NULL where there is none; cells.rounds of them. */
    const struct trial_record **trial;
    int planned;                    /* rounds in which it should have been measured */
    int measured;                   /* trials that count, failed ones included */
    int failed;                     /* of those */
    int64_t requests;               /* over all rounds */
    int64_t errors;                 /* of all kinds over all rounds */
    int64_t errors_by[CELL_ERRORS]; /* connect, read, write, timeout, status; -1 unknown */
    int64_t processes;              /* most of the target at once; -1 unknown */
    const char *memory_kind;        /* of its trials: "rss", "pss", "mixed"; "" = none has any */
    enum client_state client;       /* CLIENT_LIMITED: its throughput is a lower bound */
    double ceiling; /* median over rounds of rate / the null server's rate; NaN unknown */
    struct figure figure[FIG_COUNT];
    char flags[512]; /* sorted words; those not met in every round are followed by :rounds */
};

struct cells {
    const struct store *store;
    const char *mode;            /* of all trials, as in their record; "" = none */
    bool counts;                 /* it counts requests: their time is a figure */
    struct cell_target *targets; /* in the manifest's order; control, then null, last */
    size_t target_count;
    const char **workloads;
    size_t workload_count;
    int *levels; /* connections, ascending */
    size_t level_count;
    size_t repeated;   /* blocks of which a later attempt counts */
    size_t rounds;     /* 1 + the highest round seen, or the plan's number when it is higher */
    struct cell *cell; /* sorted by workload, connections, target */
    size_t count;
};

/* Points into *s, which must outlive it. Returns 0 or -1 with *e (ERR_USAGE: the run holds nothing
 * or absurd numbers, or mixes modes; ERR_MACHINE: memory). */
int cells_build(struct cells *c, const struct store *s, struct err *e);

void cells_release(struct cells *c);

/* The cell, or NULL when nothing was planned or measured there. */
const struct cell *cells_find(const struct cells *c, size_t target, const char *workload,
                              int connections);

/* How many of a cell's trials that count failed so. */
int cell_failed_by(const struct cell *c, size_t rounds, enum trial_failure failure);

/* Value of a figure in one round; NaN when the trial is missing, failed, or did not measure it. */
double cell_value(const struct cell *c, size_t round, enum figure_id id);

/* The CPUs that either side may use, as the manifest says; NaN when it does not. The server uses
 * one a worker. */
double cells_server_cpus(const struct cells *c);
double cells_generator_cpus(const struct cells *c);

#endif
