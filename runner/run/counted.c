#include "run/counted.h"

void counted_begin(const struct target *t, struct stats_counted *before) {
    *before = (struct stats_counted){-1, -1};
    if (t) {
        stats_read_counted(t->host, t->port, before);
    }
}

void counted_end(const struct target *t, const struct stats_counted *before,
                 struct server_result *to) {
    struct stats_counted after;
    if (before->requests < 0) {
        return;
    }
    stats_read_counted(t->host, t->port, &after);
    /* The second question is counted before it is answered, as the first one was. */
    if (after.requests > before->requests) {
        to->requests = after.requests - before->requests - 1;
    }
    if (before->accepted >= 0 && after.accepted > before->accepted) {
        to->accepted = after.accepted - before->accepted - 1;
    }
}
