/* GET /wait?ms=: answers after a timer of the worker's loop. */
#include "common/loop.h"
#include "common/query.h"
#include "common/workloads.h"

#include <stdlib.h>

#define WAIT_MAX_MS ((uint64_t)60000)

struct wait {
    struct loop_timer timer;
    struct app_exchange *exchange;
};

static void on_fire(struct loop_timer *timer) {
    struct app_exchange *exchange = ((struct wait *)timer->data)->exchange;
    reply_with(exchange, APP_SLICE("text/plain"), APP_SLICE("OK"));
    exchange->ready(exchange);
}

enum app_when route_wait(struct app_exchange *exchange) {
    uint64_t ms;
    struct loop *loop = exchange->worker->loop;
    if (!query_uint(exchange, "ms", 0, WAIT_MAX_MS, &ms)) {
        return APP_NOW;
    }
    struct wait *wait = calloc(1, sizeof *wait);
    if (wait == NULL) {
        app_refuse(exchange, 503);
        return APP_NOW;
    }
    exchange->state = wait;
    wait->exchange = exchange;
    wait->timer.on_fire = on_fire;
    wait->timer.data = wait;
    if (loop_timer_start(loop, &wait->timer, ms) != 0) {
        app_refuse(exchange, 503);
        return APP_NOW;
    }
    return APP_LATER;
}

/* Also when the client went away: then the timer still runs. */
void finish_wait(struct app_exchange *exchange) {
    struct wait *wait = exchange->state;
    if (wait != NULL) {
        loop_timer_cancel(exchange->worker->loop, &wait->timer);
        free(wait);
    }
}
