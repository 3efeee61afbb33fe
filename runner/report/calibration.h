/* calibration.h — what a calibration shows: known handicaps found or not, the A/A control, and the
 * smallest differences this machine can show.
 *
 * Such a run (manifest member "kind": "calibrate") measures one target, its A/A control, and the
 * same program again with known amounts of CPU burnt per request ("calibration": {"base":NAME,
 * "cpu_us":[of the trials before the run], "handicaps":[{"target","percent","ns"}]}). Everything is
 * judged on server CPU per request, gated and ungated as in verdicts.h (what is found is found by
 * the gated values), at alpha' = 0.035 / m with m the number of handicaps. */
#ifndef REPORT_CALIBRATION_H
#define REPORT_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "report/cells.h"
#include "stats/aa.h"
#include "stats/verdict.h"

/* The manifest's "kind" of such a run. */
#define CALIBRATION_KIND      "calibrate"
#define CALIBRATION_STEPS_MAX 8
#define CALIBRATION_SIZES     3
#define CALIBRATION_POWER     0.95
/* Ratios of an ordinary run, three targets at three levels or more (method.md section 5). */
#define CALIBRATION_MANY 40
/* Handicaps of at least this part of the base's CPU must be found. */
#define CALIBRATION_MUST_PERCENT 10

/* A known handicap. */
struct calibration_step {
    const char *target;
    double percent;         /* asked for, of the CPU per request measured before the run */
    int64_t ns;             /* burnt for each request, nominally */
    double nominal_percent; /* ns of the base's median in the run itself; NaN unknown */
    struct verdict verdict; /* of the handicapped target against the base */
    struct verdict ungated;
    bool found; /* heavier */
};

/* The smallest difference that a number of rounds shows with CALIBRATION_POWER, relative; NaN where
 * the spread is unknown. */
struct calibration_size {
    size_t rounds;
    double few;  /* as one of this calibration's ratios */
    double many; /* as one of CALIBRATION_MANY */
};

/* How much figures vary over the trials that count, invalid ones included; NaN unknown. */
struct calibration_noise {
    double cpu_cv, rate_cv;  /* sd / mean of the base over rounds */
    double log_sd;           /* sd of the A/A log ratios, valid blocks only */
    double steal_max;        /* of all CPU time, the worst trial */
    double foreign_median;   /* CPUs, over all trials that count */
    double speed_spread;     /* (fastest - slowest) / fastest spin */
    size_t trials, invalid;  /* that count; of them invalid */
    size_t blocks, repeated; /* planned; of them run again */
};

struct calibration {
    const struct cells *cells;
    const char *base;
    const char *workload;
    int connections;
    double base_us; /* median CPU per request */
    size_t steps;
    struct calibration_step step[CALIBRATION_STEPS_MAX];
    struct verdict control; /* the A/A control against the base */
    struct verdict control_ungated;
    struct aa aa;
    struct calibration_size size[CALIBRATION_SIZES];
    struct calibration_noise noise;
    bool passed;
    char conclusion[512]; /* one sentence or two */
};

/* Whether the run is a calibration. */
bool calibration_is(const struct store *s);

/* Points into *cells, which must outlive it; nothing to release. Returns 0, or -1 with *e:
 * ERR_USAGE when the run is no calibration, ERR_MACHINE out of memory. */
int calibration_judge(struct calibration *c, const struct cells *cells, struct err *e);

/* calibration.json and calibration.md, into the run's folder. */
int calibration_write(const struct calibration *c, struct err *e);

/* The same for a terminal. */
void calibration_print(FILE *out, const struct calibration *c, bool utf8);

#endif
