/* recover.h — the latency histogram as observed, from the one wrk corrected. */
#ifndef LOAD_RECOVER_H
#define LOAD_RECOVER_H

#include <stdint.h>

#include "base/err.h"
#include "base/hist.h"

/* Undoes wrk's stats_correct() (src/stats.c of wrk 4.1 and 4.2; called from main() in src/wrk.c).
 *
 * wrk back-fills for coordinated omission: with I = ⌊runtime_us / ⌊requests / c⌋⌋ it walks n from
 * 2I to the maximum and adds h[n] at n−I, n−2I, … while that is above I. Additions only ever go
 * below the n just visited, so what is added for n is its raw count, and the corrected count is
 *
 *     h[m] = raw[m] + Σ_{k≥1} raw[m + kI]      for m > I,      h[m] = raw[m]      for m ≤ I.
 *
 * The sum telescopes (it is h[m + I]), so raw[m] = h[m] − h[m + I] for m > I: the same as walking
 * downward and subtracting, in one pass.
 *
 * *raw must be empty; it is to be released whatever is returned. Checked: no count becomes
 * negative, and Σ raw = requests − timeouts (unless timeouts is -1: latencies are of
 * batches). Returns
 * 0, or -1 with *e (ERR_FAILED: the generator's figures contradict each other; ERR_MACHINE: out of
 * memory). requests below connections means wrk corrected nothing. */
int load_recover_raw(const struct hist *corrected, int64_t duration_us, int64_t requests,
                     int64_t timeouts, int connections, struct hist *raw, struct err *e);

#endif
