#include "common/timers.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS ((uint64_t)1000000)
#define NS_PER_S  ((uint64_t)1000000000)

/* Timers fired in one turn. If all that are due were fired at once, the requests that arrive
 * meanwhile would be read in one go afterwards, and so fall due in one go: bursts would grow, and
 * server and client take turns. 8, 16 and 32 were measured and do not differ. */
#define FIRE_MAX 16

static void put(struct timers *timers, size_t at, struct timers_node node) {
    timers->heap[at] = node;
    node.timer->impl = timers;
    node.timer->slot = at;
}

static void sift_up(struct timers *timers, size_t at, struct timers_node node) {
    while (at > 0 && timers->heap[(at - 1) / 2].deadline_ns > node.deadline_ns) {
        put(timers, at, timers->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(timers, at, node);
}

static void sift_down(struct timers *timers, size_t at, struct timers_node node) {
    const struct timers_node *heap = timers->heap;
    for (size_t child; (child = 2 * at + 1) < timers->len; at = child) {
        if (child + 1 < timers->len && heap[child + 1].deadline_ns < heap[child].deadline_ns) {
            child++;
        }
        if (heap[child].deadline_ns >= node.deadline_ns) {
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
    if (at > 0 && timers->heap[(at - 1) / 2].deadline_ns > last.deadline_ns) {
        sift_up(timers, at, last);
    } else {
        sift_down(timers, at, last);
    }
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t next_deadline(const struct timers *timers) {
    return timers->len != 0 ? timers->heap[0].deadline_ns : UINT64_MAX;
}

/* Sets the timerfd to the first deadline, which also makes it forget that it has fired. */
static void arm(struct timers *timers) {
    uint64_t next = next_deadline(timers);
    struct itimerspec when = {.it_value = {0}}; /* disarms; the clock's 0 is long past */
    if (next != UINT64_MAX) {
        when.it_value.tv_sec = (time_t)(next / NS_PER_S);
        when.it_value.tv_nsec = (long)(next % NS_PER_S);
    }
    (void)timerfd_settime(timers->tick.fd, TFD_TIMER_ABSTIME, &when, NULL);
    timers->armed_ns = next;
}

/* Where more is due, the timerfd stays as it is: readable, so that the next turn goes on. */
static void on_tick(struct loop_watch *tick, unsigned events) {
    struct timers *timers = tick->data;
    uint64_t now = now_ns();
    (void)events;
    for (unsigned i = 0; i < FIRE_MAX && next_deadline(timers) <= now; i++) {
        struct loop_timer *timer = timers->heap[0].timer;
        timers_cancel(timers, timer);
        timer->on_fire(timer);
    }
    if (next_deadline(timers) > now) {
        arm(timers);
    }
}

static int open_tick(struct timers *timers) {
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    timers->tick = (struct loop_watch){.fd = fd, .on_event = on_tick, .data = timers};
    if (loop_watch(timers->loop, &timers->tick, LOOP_READ) != 0) {
        close(fd);
        timers->tick.fd = -1;
        return -1;
    }
    return 0;
}

static int grow(struct timers *timers) {
    size_t size = timers->size == 0 ? 16 : timers->size * 2;
    struct timers_node *grown = realloc(timers->heap, size * sizeof *grown);
    if (grown == NULL) {
        return -1;
    }
    timers->heap = grown;
    timers->size = size;
    return 0;
}

void timers_init(struct timers *timers, struct loop *loop) {
    *timers = (struct timers){.loop = loop, .tick = {.fd = -1}, .armed_ns = UINT64_MAX};
}

int timers_start(struct timers *timers, struct loop_timer *timer, uint64_t ms) {
    if (timer->impl != NULL) {
        timers_cancel(timers, timer);
    }
    if (timers->tick.fd < 0 && open_tick(timers) != 0) {
        return -1;
    }
    if (timers->len == timers->size && grow(timers) != 0) {
        return -1;
    }
    uint64_t deadline = now_ns() + ms * NS_PER_MS;
    sift_up(timers, timers->len++, (struct timers_node){.deadline_ns = deadline, .timer = timer});
    if (deadline < timers->armed_ns) {
        arm(timers);
    }
    return 0;
}

void timers_release(struct timers *timers) {
    if (timers->tick.fd >= 0) {
        loop_unwatch(timers->loop, &timers->tick);
        close(timers->tick.fd);
    }
    free(timers->heap);
    timers_init(timers, timers->loop);
}
