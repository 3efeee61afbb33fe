#include "common/handicap.h"

#include <time.h>

#define TRIES     7
#define TRY_TURNS 400000u

bool handicap_asked;
static uint64_t handicap_turns;
static uint64_t handicap_loops;

/* One turn is a step of a 64-bit linear congruential generator: a chain of multiplications, which
 * neither the compiler nor the CPU can shorten or overlap. */
__attribute__((noinline)) void handicap_burn(uint64_t turns) {
    uint64_t x = turns;
    for (uint64_t i = 0; i < turns; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
}

/* Two instructions a loop, in an assembly that no compiler changes: subtract, and jump back. */
__attribute__((noinline)) void handicap_spin(uint64_t loops) {
    if (loops == 0) {
        return;
    }
#if defined(__x86_64__)
    __asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(loops) : : "cc");
#elif defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(loops) : : "cc");
#else
    while (--loops != 0) {
        __asm__ volatile("" : "+r"(loops));
    }
#endif
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

void handicap_set(uint64_t ns, uint64_t loops) {
    handicap_turns = handicap_calibrate(ns);
    handicap_loops = loops;
    handicap_asked = handicap_turns != 0 || handicap_loops != 0;
}

void handicap_apply(void) {
    handicap_burn(handicap_turns);
    handicap_spin(handicap_loops);
}
