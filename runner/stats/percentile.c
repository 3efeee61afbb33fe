#include "stats/percentile.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t percentile_total(const struct percentile_hist *h) {
    uint64_t total = 0;
    for (size_t i = 0; i < h->n; i++) {
        total += h->count[i];
    }
    return total;
}

bool percentile_value(const struct percentile_hist *h, uint32_t ppm, uint64_t *value) {
    const uint64_t total = percentile_total(h);
    if (total == 0 || ppm > PERCENTILE_PPM) {
        return false;
    }
    uint64_t rank = (total * ppm + PERCENTILE_PPM - 1) / PERCENTILE_PPM;
    rank = rank == 0 ? 1 : rank;
    uint64_t seen = 0;
    for (size_t i = 0; i < h->n; i++) {
        seen += h->count[i];
        if (seen >= rank) {
            *value = h->value[i];
            return true;
        }
    }
    return false;
}

size_t percentile_merge(const struct percentile_hist *a, const struct percentile_hist *b,
                        uint64_t value[], uint64_t count[]) {
    size_t i = 0;
    size_t j = 0;
    size_t n = 0;
    while (i < a->n || j < b->n) {
        const bool from_a = i < a->n && (j == b->n || a->value[i] <= b->value[j]);
        const bool from_b = j < b->n && (i == a->n || b->value[j] <= a->value[i]);
        value[n] = from_a ? a->value[i] : b->value[j];
        count[n] = (from_a ? a->count[i] : 0) + (from_b ? b->count[j] : 0);
        i += from_a;
        j += from_b;
        n += count[n] > 0;
    }
    return n;
}

/* n (1 - q) >= wanted, in whole numbers. */
static bool has_beyond(uint64_t n, uint32_t ppm, uint64_t wanted) {
    return n * (PERCENTILE_PPM - ppm) >= wanted * PERCENTILE_PPM;
}

enum percentile_support percentile_support(const uint64_t totals[], size_t rounds, uint32_t ppm,
                                           uint64_t connections) {
    uint64_t all = 0;
    bool each = true;
    for (size_t i = 0; i < rounds; i++) {
        all += totals[i];
        each = each && has_beyond(totals[i], ppm, PERCENTILE_MIN_BEYOND);
    }
    if (all == 0) {
        return PERCENTILE_NO_SAMPLES;
    }
    if (!each) {
        return PERCENTILE_FEW_IN_ROUND;
    }
    return has_beyond(all, ppm, PERCENTILE_MIN_BEYOND * connections) ? PERCENTILE_SUPPORTED
                                                                     : PERCENTILE_FEW_IN_ALL;
}

int percentile_support_text(enum percentile_support support, uint32_t ppm, uint64_t connections,
                            char *out, size_t size) {
    const double p = (double)ppm / 1e4;
    switch (support) {
    case PERCENTILE_NO_SAMPLES:
        return snprintf(out, size, "n/a: no latency samples");
    case PERCENTILE_FEW_IN_ROUND:
        return snprintf(out, size, "n/a: fewer than %d samples beyond p%.7g in a round",
                        PERCENTILE_MIN_BEYOND, p);
    case PERCENTILE_FEW_IN_ALL:
        return snprintf(out, size,
                        "n/a: fewer than %" PRIu64 " samples (%d per connection) beyond p%.7g in "
                        "all rounds",
                        PERCENTILE_MIN_BEYOND * connections, PERCENTILE_MIN_BEYOND, p);
    case PERCENTILE_SUPPORTED:
        break;
    }
    return snprintf(out, size, "%s", "");
}
