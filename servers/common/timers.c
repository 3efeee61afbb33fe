#include "common/timers.h"

#include <stdlib.h>

static void put(struct timers *timers, size_t at, struct timers_node node) {
    timers->heap[at] = node;
    node.timer->impl = timers;
    node.timer->slot = at;
}

static void sift_up(struct timers *timers, size_t at, struct timers_node node) {
    while (at > 0 && timers->heap[(at - 1) / 2].deadline_ms > node.deadline_ms) {
        put(timers, at, timers->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(timers, at, node);
}

static void sift_down(struct timers *timers, size_t at, struct timers_node node) {
    const struct timers_node *heap = timers->heap;
    for (size_t child; (child = 2 * at + 1) < timers->len; at = child) {
        if (child + 1 < timers->len && heap[child + 1].deadline_ms < heap[child].deadline_ms) {
            child++;
        }
        if (heap[child].deadline_ms >= node.deadline_ms) {
            break;
        }
        put(timers, at, heap[child]);
    }
    put(timers, at, node);
}

void timers_cancel(struct timers *timers, struct loop_timer *timer) {
    size_t at = timer->slot;
    struct timers_node last = timers->heap[--timers->len];
    timer->impl = NULL;
    if (at == timers->len) {
        return;
    }
    if (at > 0 && timers->heap[(at - 1) / 2].deadline_ms > last.deadline_ms) {
        sift_up(timers, at, last);
    } else {
        sift_down(timers, at, last);
    }
}

int timers_start(struct timers *timers, struct loop_timer *timer, uint64_t deadline_ms) {
    if (timer->impl != NULL) {
        timers_cancel(timers, timer);
    }
    if (timers->len == timers->size) {
        size_t size = timers->size == 0 ? 16 : timers->size * 2;
        struct timers_node *grown = realloc(timers->heap, size * sizeof *grown);
        if (grown == NULL) {
            return -1;
        }
        timers->heap = grown;
        timers->size = size;
    }
    sift_up(timers, timers->len++,
            (struct timers_node){.deadline_ms = deadline_ms, .timer = timer});
    return 0;
}

uint64_t timers_next(const struct timers *timers) {
    return timers->len != 0 ? timers->heap[0].deadline_ms : UINT64_MAX;
}

void timers_fire(struct timers *timers, uint64_t now_ms) {
    for (size_t most = timers->len; most > 0 && timers_next(timers) <= now_ms; most--) {
        struct loop_timer *timer = timers->heap[0].timer;
        timers_cancel(timers, timer);
        timer->on_fire(timer);
    }
}

void timers_release(struct timers *timers) {
    free(timers->heap);
    *timers = (struct timers){0};
}
