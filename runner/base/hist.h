/* hist.h — a latency histogram: microseconds → count, exact, sorted by value. */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stddef.h>
#include <stdint.h>

/* value[i] is strictly ascending and count[i] > 0. Owns both arrays; zero-initialise it. */
struct hist {
    size_t n;
    size_t room;
    int64_t *value; /* µs */
    int64_t *count;
};

/* Adds count at value. Values may come in any order (appending at the end is O(1)). Returns 0, or
 * -1 out of memory or count <= 0 or value < 0. */
int hist_add(struct hist *h, int64_t value, int64_t count);

/* Adds all of `from` to *h. Returns 0 or -1 out of memory. */
int hist_merge(struct hist *h, const struct hist *from);

/* Sum of the counts. */
int64_t hist_total(const struct hist *h);

/* Sum of value × count, in µs. */
double hist_sum(const struct hist *h);

void hist_release(struct hist *h);

#endif
