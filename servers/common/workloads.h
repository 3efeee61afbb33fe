/* What the rows of routes.c point to, beyond the small endpoints: see docs/servers.md. */
#ifndef LOOPBENCH_SERVERS_WORKLOADS_H
#define LOOPBENCH_SERVERS_WORKLOADS_H

#include "common/routes.h"

enum app_when route_concat(struct app_exchange *exchange);
enum app_when route_fibonacci(struct app_exchange *exchange);

/* Once, before any worker runs: parses the template. Returns 0, or -1: it has a mistake. */
int render_prepare(void);
enum app_when route_render(struct app_exchange *exchange);

enum app_when route_wait(struct app_exchange *exchange);
void finish_wait(struct app_exchange *exchange);

enum app_when route_bytes(struct app_exchange *exchange);

enum app_when route_upload(struct app_exchange *exchange);
void upload_body(struct app_exchange *exchange, const char *data, size_t len);

#endif
