#include "stats/pairs.h"

#include <math.h>

struct pairs pairs_log_ratios(const double a[], const double b[], size_t n, double d[]) {
    struct pairs p = {.planned = n};
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i])) {
            p.missing++;
        } else if (a[i] <= 0.0 || b[i] <= 0.0) {
            p.nonpositive++;
        } else {
            d[p.valid++] = log(a[i]) - log(b[i]);
        }
    }
    return p;
}
