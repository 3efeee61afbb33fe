#include "stats/slices.h"

#include <math.h>

#include "stats/order.h"

struct yuen slices_spread(const double x[], size_t n, double work[]) {
    for (size_t i = 0; i < n; i++) {
        work[i] = x[i] > 0.0 ? sqrt(2.0) * log(x[i]) : NAN;
    }
    struct yuen y = yuen_estimate(work, order_clean(work, n));
    y.ok = y.ok && y.n >= ORDER_MIN_N;
    return y;
}
