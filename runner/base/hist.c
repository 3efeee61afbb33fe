#include "base/hist.h"

#include <stdlib.h>
#include <string.h>

static int hist_reserve(struct hist *h, size_t room) {
    if (room <= h->room) {
        return 0;
    }
    size_t grown = h->room ? h->room * 2 : 256;
    grown = grown < room ? room : grown;
    int64_t *value = realloc(h->value, grown * sizeof *value);
    if (!value) {
        return -1;
    }
    h->value = value;
    int64_t *count = realloc(h->count, grown * sizeof *count);
    if (!count) {
        return -1;
    }
    h->count = count;
    h->room = grown;
    return 0;
}

/* Index of the first value that is not below `value`. */
static size_t hist_find(const struct hist *h, int64_t value) {
    size_t low = 0;
    size_t high = h->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (h->value[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int hist_add(struct hist *h, int64_t value, int64_t count) {
    if (value < 0 || count <= 0) {
        return -1;
    }
    size_t at = h->n > 0 && h->value[h->n - 1] < value ? h->n : hist_find(h, value);
    if (at < h->n && h->value[at] == value) {
        h->count[at] += count;
        return 0;
    }
    if (hist_reserve(h, h->n + 1) != 0) {
        return -1;
    }
    memmove(h->value + at + 1, h->value + at, (h->n - at) * sizeof *h->value);
    memmove(h->count + at + 1, h->count + at, (h->n - at) * sizeof *h->count);
    h->value[at] = value;
    h->count[at] = count;
    h->n++;
    return 0;
}

int hist_merge(struct hist *h, const struct hist *from) {
    struct hist out = {0};
    size_t i = 0;
    size_t j = 0;
    if (from->n == 0) {
        return 0;
    }
    if (hist_reserve(&out, h->n + from->n) != 0) {
        hist_release(&out);
        return -1;
    }
    while ((i < h->n || j < from->n) && out.n < out.room) {
        int left = j >= from->n || (i < h->n && h->value[i] <= from->value[j]);
        const struct hist *side = left ? h : from;
        size_t at = left ? i++ : j++;
        if (out.n > 0 && out.value[out.n - 1] == side->value[at]) {
            out.count[out.n - 1] += side->count[at];
        } else {
            out.value[out.n] = side->value[at];
            out.count[out.n++] = side->count[at];
        }
    }
    hist_release(h);
    *h = out;
    return 0;
}

int64_t hist_total(const struct hist *h) {
    int64_t sum = 0;
    for (size_t i = 0; i < h->n; i++) {
        sum += h->count[i];
    }
    return sum;
}

double hist_sum(const struct hist *h) {
    double sum = 0;
    for (size_t i = 0; i < h->n; i++) {
        sum += (double)h->value[i] * (double)h->count[i];
    }
    return sum;
}

void hist_release(struct hist *h) {
    free(h->value);
    free(h->count);
    memset(h, 0, sizeof *h);
}
