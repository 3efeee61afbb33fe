/* request.h — a workload as the load generator wants it. */
#ifndef RUN_REQUEST_H
#define RUN_REQUEST_H

#include "base/workload.h"
#include "load/load.h"

#define REQUEST_MAX_HEADERS 16

struct run_request {
    struct load_request load; /* points into this struct and the workload */
    char *text;               /* the header lines, cut apart */
    const char *headers[REQUEST_MAX_HEADERS + 1];
};

/* Fills *q from a workload that outlives it; q must stay where it is. Returns 0, or -1 out of
 * memory or for more headers than fit. */
int run_request_init(struct run_request *q, const struct workload *w);

void run_request_release(struct run_request *q);

#endif
