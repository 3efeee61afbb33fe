/* The table of endpoints. A new one is a row in routes.c and a function. */
#ifndef LOOPBENCH_SERVERS_ROUTES_H
#define LOOPBENCH_SERVERS_ROUTES_H

#include "common/app.h"

/* The table and its length. */
const struct app_route *routes_all(size_t *count);

struct text;

/* What routes need once, before any worker runs. Returns 0, or -1 (a bug). */
int routes_prepare(void);

/* What routes need once per worker, with worker->loop set, and once it ends: see app_worker_start
 * and app_worker_stop. */
int routes_start(struct app_worker *worker);
void routes_stop(struct app_worker *worker);

/* Answers 200 with a body that lives at least as long as the exchange. */
enum app_when reply_with(struct app_exchange *exchange, struct app_slice content_type,
                         struct app_slice body);

/* Answers 200 with the first `len` bytes of worker->scratch. */
enum app_when reply_from_scratch(struct app_exchange *exchange, struct app_slice content_type,
                                 size_t len);

/* Answers 200 with a text made for this request, which it takes over; 503 where it failed. The
 * route's finish is free_state. */
enum app_when reply_with_text(struct app_exchange *exchange, struct app_slice content_type,
                              struct text *text);
void free_state(struct app_exchange *exchange);

/* Answers 400 with the first `len` bytes of worker->scratch, the reason, as text/plain. The
 * connection is kept. */
enum app_when reply_bad_request(struct app_exchange *exchange, size_t len);

/* GET /stats (stats_route.c). */
enum app_when route_stats(struct app_exchange *exchange);

#endif
