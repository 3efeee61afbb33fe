/* What of the configuration is the record mode. */
#include <stdio.h>
#include <string.h>

#include "config/config.h"

#define MS_NS 1000000

struct mode config_mode(const struct config *c) {
    return (struct mode){
        .requests = c->requests,
        .think_min_ms = c->think.min_ns / MS_NS,
        .think_max_ms = c->think.max_ns / MS_NS,
        .pipeline = (int)c->pipeline,
        .close = !c->keepalive,
    };
}

void config_mode_text(const struct config *c, char *out, size_t size) {
    char load[MODE_TEXT_SIZE];
    struct mode mode = config_mode(c);
    mode_text(&mode, load, sizeof load);
    const char *db = !c->db                               ? ""
                     : strncmp(c->db, "postgres", 8) == 0 ? " db=postgresql"
                                                          : " db=sqlite";
    char all[CONFIG_MODE_SIZE];
    snprintf(all, sizeof all, "%s%s%s%s", *load ? " " : "", load,
             c->access_log ? " access-log" : "", db);
    snprintf(out, size, "%s", *all ? all + 1 : "");
}
