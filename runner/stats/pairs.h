/* Pairs: what two targets showed in the same block, as log ratios.
 *
 * Sources: Abedi & Brecht, Conducting repeatable experiments in highly variable cloud computing
 * environments, ICPE 2017 (blocks: randomised multiple interleaved trials); Fleming & Wallace, How
 * not to lie with statistics, Communications of the ACM 29 (1986) 218-221 (ratios are averaged as
 * their logarithms). */
#ifndef LOOPBENCH_STATS_PAIRS_H
#define LOOPBENCH_STATS_PAIRS_H

#include <stddef.h>

struct pairs {
    size_t planned;     /* blocks there should be: the length of the arrays */
    size_t valid;       /* blocks that gave a log ratio */
    size_t missing;     /* blocks in which either side was NaN or infinite */
    size_t nonpositive; /* blocks in which either side was zero or negative: no logarithm */
};

/* d = ln(a/b) for every block i in which a[i] and b[i] are both finite and above zero, packed at
 * the front of d in block order; planned = valid + missing + nonpositive. d has room for n and may
 * be a or b itself.
 *
 * Computed as ln a - ln b, so that exchanging the sides changes exactly the sign: equal pairs give
 * exact zeros and mirrored pairs exact ties, which the signed-rank test relies on. */
struct pairs pairs_log_ratios(const double a[], const double b[], size_t n, double d[]);

#endif
