#include "stats/client.h"

#include <math.h>

/* Comparisons with NaN are false: what is unknown decides nothing. */
struct client_result client_judge(const struct client_block *b) {
    struct client_result r = {.state = CLIENT_UNKNOWN,
                              .ceiling_share = b->ceiling > 0.0 ? b->rate / b->ceiling : NAN};
    const double used = b->server_cpus > 0.0 ? b->server_cpu / b->server_cpus : NAN;
    if (r.ceiling_share >= CLIENT_CEILING_LIMITED) {
        r.by_ceiling = true;
        r.state = CLIENT_LIMITED;
    }
    if (b->busiest_thread >= CLIENT_THREAD_BUSY && used < CLIENT_SERVER_SPARE) {
        r.by_thread = true;
        r.state = CLIENT_LIMITED;
    }
    if (r.state == CLIENT_LIMITED) {
        return r;
    }
    if (r.ceiling_share >= CLIENT_CEILING_WARN) {
        r.by_ceiling = true;
        r.state = CLIENT_NEAR;
        return r;
    }
    const bool thread_known = b->busiest_thread < CLIENT_THREAD_BUSY || used >= CLIENT_SERVER_SPARE;
    if (!isnan(r.ceiling_share) || thread_known) {
        r.state = CLIENT_FREE;
    }
    return r;
}

enum client_state client_judge_cell(const enum client_state blocks[], size_t n) {
    size_t limited = 0;
    size_t near = 0;
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        limited += blocks[i] == CLIENT_LIMITED;
        near += blocks[i] == CLIENT_NEAR;
        known += blocks[i] != CLIENT_UNKNOWN;
    }
    if (known > 0 && 2 * limited >= known) {
        return CLIENT_LIMITED;
    }
    if (known == 0 || 2 * known < n) {
        return CLIENT_UNKNOWN; /* the silence of most blocks frees no cell */
    }
    return limited + near > 0 ? CLIENT_NEAR : CLIENT_FREE;
}

const char *client_state_name(enum client_state state) {
    switch (state) {
    case CLIENT_FREE:
        return "free";
    case CLIENT_NEAR:
        return "near";
    case CLIENT_LIMITED:
        return "limited";
    case CLIENT_UNKNOWN:
        break;
    }
    return "unknown";
}
