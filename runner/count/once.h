/* once.h — one fresh process of a target, counted by one tool while it answers so many requests. */
#ifndef COUNT_ONCE_H
#define COUNT_ONCE_H

#include "base/loop.h"
#include "base/workload.h"
#include "count/tool.h"

/* What is counted in, again and again. */
struct count_subject {
    struct loop *loop;
    const struct target_ops *ops;
    struct target_spec spec; /* of the target by itself */
    const char *elsewhere;   /* why no tool can be put before it; NULL = this runner starts it */
    const struct workload *workload;
    int connections, pipeline;
    const struct count_paths *paths;
    const char *dir; /* an empty folder that is the tool's while it counts; emptied afterwards */
};

enum once_end {
    ONCE_COUNTED,
    ONCE_FAILED, /* *e says why */
    ONCE_INTERRUPTED,
};

/* Starts, sends `requests`, stops and reads. `seconds`: as in client.h, so many ends of a second
 * are to pass meanwhile. *out is to be released in any case. */
enum once_end count_once(const struct count_subject *s, const struct count_tool *tool,
                         int64_t requests, int64_t seconds, struct count_total *out, struct err *e);

#endif
