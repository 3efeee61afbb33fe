#include "common/handicap.h"

#include <time.h>

#define TRIES     7
#define TRY_TURNS 400000u

uint64_t handicap_turns;

/* One turn is a step of a 64-bit linear congruential generator: a chain of multiplications, which
 * neither the compiler nor the CPU can shorten or overlap. */
__attribute__((noinline)) void handicap_burn(uint64_t turns) {
    uint64_t x = turns;
    for (uint64_t i = 0; i < turns; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
}

static uint64_t thread_cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t handicap_calibrate(uint64_t ns) {
    if (ns == 0) {
        return 0;
    }
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t begin = thread_cpu_ns();
        handicap_burn(TRY_TURNS);
        uint64_t took = thread_cpu_ns() - begin;
        best = took < best ? took : best;
    }
    best = best == 0 ? 1 : best;
    double turns = (double)ns * TRY_TURNS / (double)best;
    return turns < 1 ? 1 : (uint64_t)turns;
}
