/* Slices: one thing measured again and again without a pause, and what its spread would do to a
 * run.
 *
 * A run judges log ratios of two trials of a block (pairs.h, yuen.h). Two slices i and k of such a
 * row differ by ln(x_i / x_k); for independent ones its variance is twice that of ln x. So the
 * winsorised spread of sqrt(2) ln x stands for that of a run's log ratios, and
 * yuen_smallest_shown() says what rounds would show. All slices count, not only neighbours: the two
 * trials of a pair lie seconds apart, with others between them, and what changes slowly is between
 * them, too.
 *
 * It is an estimate: slices are shorter than trials, which makes them vary more, and closer
 * together, which makes them vary less (docs/methodology.md, section 8); and they are few. */
#ifndef LOOPBENCH_STATS_SLICES_H
#define LOOPBENCH_STATS_SLICES_H

#include <stddef.h>

#include "stats/yuen.h"

/* The spread of n slices (finite, above zero; others are left out) as that of a run's log ratios,
 * for yuen_smallest_shown(); its mean means nothing. With fewer than 6 slices it is not ok. work
 * has room for n. */
struct yuen slices_spread(const double x[], size_t n, double work[]);

#endif
