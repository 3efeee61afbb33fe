#include "base/replay.h"

#include <stdlib.h>
#include <string.h>

static const struct replay_metric_info metrics[REPLAY_METRICS] = {
    [REPLAY_THROUGHPUT] = {"throughput", "requests per second", false, false, true},
    [REPLAY_CPU] = {"cpu", "server CPU per request", false, false, true},
    [REPLAY_P50] = {"p50", "median latency", false, false, true},
    [REPLAY_P99] = {"p99", "99th percentile of latency", false, false, true},
    [REPLAY_TIME] = {"time", "time of all requests", false, false, true},
    [REPLAY_MEMORY] = {"memory", "peak memory", false, false, false},
    [REPLAY_MEMORY_IDLE] = {"idle-memory", "memory before any load", false, false, false},
    [REPLAY_GROWTH] = {"growth", "peak memory over memory before any load", false, false, false},
    [REPLAY_BYTES] = {"bytes", "bytes received a reply", false, false, false},
    [REPLAY_SPREAD] = {"spread", "99th percentile over median latency", false, false, false},
    [REPLAY_QUEUE] = {"queue", "median latency, of connections over throughput", false, false,
                      false},
    [REPLAY_AVAILABILITY] = {"availability", "successful part of all requests", false, false,
                             false},
    [REPLAY_FAILED] = {"failed", "trials that failed", true, false, false},
    [REPLAY_REFUSED] = {"refused", "trials with connections that failed", true, false, false},
    [REPLAY_ERRORS] = {"errors", "trials with errors of any kind", true, false, false},
    [REPLAY_OVERFLOW] = {"overflow", "trials in which the listen queue overflowed", true, false,
                         false},
    [REPLAY_SLOW] = {"slow", "trials slower than their cell's median by far", true, true, false},
    [REPLAY_OUTLIER] = {"outlier", "trials with one reply far beyond the 99th percentile", true,
                        true, false},
};

const struct replay_metric_info *replay_metric_info(enum replay_metric metric) {
    return &metrics[metric];
}

enum replay_metric replay_metric_find(const char *name) {
    int i = 0;
    while (i < REPLAY_METRICS && strcmp(metrics[i].name, name) != 0) {
        i++;
    }
    return (enum replay_metric)i;
}

size_t replay_comparisons(const struct replay *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->claims; i++) {
        n += r->claim[i].levels;
    }
    return n;
}

size_t replay_part_find(const struct replay *r, const char *name) {
    for (size_t i = 0; i < r->parts; i++) {
        if (strcmp(r->part[i].name, name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

const char *replay_part_value(const struct replay_part *p, const char *key) {
    for (size_t i = 0; i < p->options; i++) {
        if (strcmp(p->option[i].key, key) == 0) {
            return p->option[i].value;
        }
    }
    return NULL;
}

static void part_release(struct replay_part *p) {
    for (size_t i = 0; i < p->options; i++) {
        free(p->option[i].key);
        free(p->option[i].value);
    }
    free(p->option);
    free(p->name);
    free(p->title);
    free(p->about);
}

static void side_release(struct replay_side *s) {
    free(s->part);
    free(s->target);
    free(s->workload);
}

void replay_release(struct replay *r) {
    for (size_t i = 0; i < r->parts; i++) {
        part_release(&r->part[i]);
    }
    for (size_t i = 0; i < r->claims; i++) {
        struct replay_claim *c = &r->claim[i];
        side_release(&c->a);
        side_release(&c->b);
        free(c->name);
        free(c->title);
        free(c->figures);
        free(c->why);
    }
    free(r->id);
    free(r->title);
    free(r->source);
    free(r->summary);
    free(r->omits);
    *r = (struct replay){0};
}
