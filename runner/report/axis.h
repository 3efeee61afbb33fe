/* axis.h — ranges and ticks of plots, chosen here so that they can be tested without drawing. */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/figures.h"

#define AXIS_TICKS_MAX 24

struct axis {
    bool log;
    double lo, hi;    /* the range drawn */
    const char *unit; /* for the label: "MiB" */
    size_t count;
    double tick[AXIS_TICKS_MAX];
    char text[AXIS_TICKS_MAX][24];
};

/* Logarithmic from this ratio of the greatest to the least value on. */
#define AXIS_LOG_RATIO 40.0

/* An axis for values of this unit between lo and hi (0 < lo <= hi). Linear axes begin at 0. Latency
 * is always logarithmic. */
void axis_choose(struct axis *a, enum figure_unit unit, double lo, double hi);

/* An axis close around values that are told apart by place, not by length: it need not begin at 0.
 * About `ticks` of them. */
void axis_near(struct axis *a, enum figure_unit unit, double lo, double hi, int ticks);

/* A logarithmic axis of ratios that holds lo, hi and 1: "−5%", "0", "+5%", or "×2" where it is
 * wide.
 */
void axis_ratio(struct axis *a, double lo, double hi);

/* "50%", "90%", "99%", "99.9%"… at x = 1/(1-q), for x from lo to hi. */
void axis_quantiles(struct axis *a, double lo, double hi);

#endif
