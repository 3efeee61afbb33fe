#include "sample/speed.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define PARTS           5
#define PART_ITERATIONS 500000

/* Each step needs the one before it, so the result depends on the clock rate and not on how many of
 * them the CPU can overlap (multiplier and increment: Knuth, MMIX). */
static uint64_t speed_spin(uint64_t state, int iterations) {
    for (int i = 0; i < iterations; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        state ^= state >> 29;
    }
    return state;
}

double speed_measure(const cpu_set_t *cpus) {
    static volatile uint64_t kept; /* so that the work is not optimised away */
    cpu_set_t before;
    bool moved = cpus && sched_getaffinity(0, sizeof before, &before) == 0 &&
                 sched_setaffinity(0, sizeof *cpus, cpus) == 0;
    int64_t best = INT64_MAX;
    for (int i = 0; i < PARTS; i++) {
        int64_t start = clock_mono_ns();
        kept = speed_spin(kept, PART_ITERATIONS);
        int64_t took = clock_mono_ns() - start;
        best = took < best ? took : best;
    }
    if (moved) {
        sched_setaffinity(0, sizeof before, &before);
    }
    return best > 0 ? (double)PART_ITERATIONS * 1000.0 / (double)best : (double)NAN;
}
