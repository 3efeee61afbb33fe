/* GET /stats: the server about itself. */
#include "common/access_log.h"
#include "common/routes.h"
#include "common/server.h"

#include <unistd.h>

enum app_when route_stats(struct app_exchange *exchange) {
    const struct app_worker *own = exchange->worker;
    const struct server *server = own->server;
    uint64_t requests = 0;
    uint64_t accepted = 0;
    uint64_t closed = 0;
    uint64_t workers = server != NULL ? server->options.workers : 1;
    for (uint64_t i = 0; i < workers; i++) {
        const struct stats_counters *c =
            server != NULL ? &server->workers[i].app.counters : &own->counters;
        requests += stats_get(&c->requests);
        accepted += stats_get(&c->accepted);
        closed += stats_get(&c->closed);
    }
    struct stats_process process;
    stats_read_process(&process);

    struct json json;
    json_init(&json, exchange->worker->scratch, APP_SCRATCH);
    json_open(&json, NULL);
    json_str(&json, "server", server != NULL ? server->type->name : "none");
    json_open(&json, "versions");
    if (server != NULL) {
        server->type->versions(&json);
    }
    json_close(&json);
    json_uint(&json, "pid", (uint64_t)getpid());
    json_uint(&json, "workers", workers);
    json_uint(&json, "requests", requests);
    json_open(&json, "connections");
    json_uint(&json, "accepted", accepted);
    json_uint(&json, "open", accepted - closed);
    json_close(&json);
    json_open(&json, "cpu");
    json_uint(&json, "user_us", process.user_us);
    json_uint(&json, "system_us", process.system_us);
    json_close(&json);
    json_open(&json, "memory");
    json_uint(&json, "rss_bytes", process.rss_bytes);
    json_uint(&json, "peak_rss_bytes", process.peak_rss_bytes);
    json_close(&json);
    struct access_log_counts logged = {0};
    if (server != NULL && server->log != NULL) {
        logged = access_log_count(server->log);
    }
    json_open(&json, "access_log");
    json_uint(&json, "lines", logged.lines);
    json_uint(&json, "lost", logged.lost);
    json_close(&json);
    json_close(&json);
    size_t len = json_finish(&json);
    if (len == 0) {
        app_refuse(exchange, 500);
        return APP_NOW;
    }
    return reply_from_scratch(exchange, APP_SLICE("application/json"), len);
}
