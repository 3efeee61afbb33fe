/* A fast generator of random numbers and letters. For content, not for secrets. */
#ifndef LOOPBENCH_SERVERS_RANDOM_H
#define LOOPBENCH_SERVERS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/* Seeds from the kernel. */
void random_init(struct random *random);

/* 64 random bits: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * OOPSLA 2014). */
static inline uint64_t random_next(struct random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* One of A-Z, a-z, 0-9. */
char random_letter(struct random *random);

/* `len` of them, not terminated. */
void random_text(struct random *random, char *out, size_t len);

#endif
