/* Percentiles of latency histograms, and when there are too few samples to print one.
 *
 * Nearest rank: the q-percentile of n samples is the smallest recorded value with at least q n
 * samples at or below it, that is the sample of rank ceil(q n) in ascending order (rank 1 for
 * q = 0). Always a value that was seen; nothing is interpolated. Source: Hyndman & Fan, Sample
 * quantiles in statistical packages, The American Statistician 50 (1996) 361-365, definition 1. How
 * many samples must lie beyond a percentile is loopbench's own choice.
 *
 * q is given in parts per million (990000 is p99), so that ranks come from whole numbers. */
#ifndef LOOPBENCH_STATS_PERCENTILE_H
#define LOOPBENCH_STATS_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERCENTILE_PPM 1000000U
/* Samples that must lie beyond a percentile. */
#define PERCENTILE_MIN_BEYOND 10
/* Room for any text percentile_support_text writes. */
#define PERCENTILE_TEXT_MAX 128

/* n distinct values in ascending order, count[i] samples of value[i]; counts may be 0. The module
 * only reads. */
struct percentile_hist {
    const uint64_t *value; /* µs */
    const uint64_t *count;
    size_t n;
};

enum percentile_support {
    PERCENTILE_SUPPORTED,
    PERCENTILE_NO_SAMPLES,   /* no round has any */
    PERCENTILE_FEW_IN_ROUND, /* n (1 - q) < 10 in some round */
    PERCENTILE_FEW_IN_ALL,   /* n (1 - q) < 10 c over all rounds together */
};

/* Number of samples. */
uint64_t percentile_total(const struct percentile_hist *h);

/* The percentile at ppm (at most 1000000, which is the maximum). False, *value untouched, when the
 * histogram is empty or ppm too large. The total must be below 2^44. */
bool percentile_value(const struct percentile_hist *h, uint32_t ppm, uint64_t *value);

/* Merge a and b into value/count, which have room for a->n + b->n and overlap neither. Returns the
 * number of distinct values; values without a sample are left out. */
size_t percentile_merge(const struct percentile_hist *a, const struct percentile_hist *b,
                        uint64_t value[], uint64_t count[]);

/* May the percentile be printed for a cell? totals[i] is the number of samples of round i, valid
 * rounds only; connections is the cell's c. At least 10 samples must lie beyond it in each round,
 * and 10 c over all rounds: one stall delays all c connections at once, so c slow samples may be
 * one event. */
enum percentile_support percentile_support(const uint64_t totals[], size_t rounds, uint32_t ppm,
                                           uint64_t connections);

/* Why not, such as "n/a: fewer than 10 samples beyond p99.9 in a round"; "" when supported.
 * Returns what snprintf would. */
int percentile_support_text(enum percentile_support support, uint32_t ppm, uint64_t connections,
                            char *out, size_t size);

#endif
