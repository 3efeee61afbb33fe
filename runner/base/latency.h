/* latency.h — what is said of the latencies of one window. */
#ifndef BASE_LATENCY_H
#define BASE_LATENCY_H

#include <math.h>
#include <stdint.h>

/* In µs; -1 and NaN where it is not known. */
struct latency_summary {
    int64_t samples;
    double mean_us;
    int64_t min_us, p50_us, p75_us, p90_us, p99_us, p999_us, max_us;
};

#define LATENCY_UNKNOWN                                                                            \
    {                                                                                              \
        .samples = -1, .mean_us = NAN, .min_us = -1, .p50_us = -1, .p75_us = -1, .p90_us = -1,     \
        .p99_us = -1, .p999_us = -1, .max_us = -1                                                  \
    }

#endif
