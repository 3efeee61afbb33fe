#include "common/random.h"

#include <sys/random.h>
#include <time.h>

void random_init(struct random *random) {
    if (getrandom(&random->state, sizeof random->state, GRND_NONBLOCK) != sizeof random->state) {
        struct timespec now; /* early at boot: any seed will do */
        clock_gettime(CLOCK_MONOTONIC, &now);
        random->state = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uintptr_t)random;
    }
}

char random_letter(struct random *random) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    /* The high half scaled to 62: no division, and a bias of less than 2^-26. */
    return letters[(random_next(random) >> 32) * (sizeof letters - 1) >> 32];
}

void random_text(struct random *random, char *out, size_t len) {
    for (size_t i = 0; i < len; i++) {
        out[i] = random_letter(random);
    }
}
