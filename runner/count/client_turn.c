/* When the client of a count asks: in turns, each within the second it is meant for. */
#include <time.h>

#include "count/client_parts.h"

/* Servers may read the time from a clock that moves with the kernel's tick only. */
#define CLOCK_COARSE_MS 15

#define MS_NS     1000000L
#define SETTLE_NS (20 * MS_NS)
#define SURE_NS   (100 * MS_NS) /* from a target's readiness to the first request, at most */

static void on_written(uv_write_t *write, int status) {
    struct link *l = write->data;
    if (status < 0 && status != UV_ECANCELED) {
        client_fail(l->client, "a request cannot be written: %s", uv_strerror(status));
    }
}

/* One turn: the rest of the requests, at most `pipeline` on each connection. */
static void begin_turn(struct client *c) {
    const struct client_spec *s = c->spec;
    for (int i = 0; i < s->connections && c->asked < s->requests && !c->failed; i++) {
        struct link *l = &c->link[i];
        const int64_t left = s->requests - c->asked;
        l->waiting = left < s->pipeline ? (int)left : s->pipeline;
        c->waiting += l->waiting;
        c->asked += l->waiting;
        c->out->sent += l->waiting * (int64_t)s->request_len;
        l->write.data = l;
        const int rc =
            uv_write(&l->write, (uv_stream_t *)&l->tcp, c->bufs, (unsigned)l->waiting, on_written);
        if (rc != 0) {
            client_fail(c, "a request cannot be written: %s", uv_strerror(rc));
        }
    }
}

static void on_second(uv_timer_t *timer) {
    struct client *c = timer->data;
    c->moves++;
    begin_turn(c);
}

/* Whether readiness may have been in another second than the first request will be. */
static bool is_between_seconds(const struct timespec *now) {
    return now->tv_nsec < SURE_NS || now->tv_nsec > 1000 * MS_NS - SURE_NS;
}

static bool must_wait(struct client *c, const struct timespec *now) {
    const struct client_spec *s = c->spec;
    const int64_t turn = (int64_t)s->connections * s->pipeline;
    const int64_t turns = (s->requests - c->asked + turn - 1) / turn;
    if (c->asked == 0 && s->steady && is_between_seconds(now)) {
        c->date[0] = '-'; /* the first reply has a new date */
        return true;
    }
    return turns > 0 && turns <= s->seconds - c->out->seconds;
}

void client_settle(void) {
    static const struct timespec moment = {.tv_nsec = SETTLE_NS};
    nanosleep(&moment, NULL);
}

void client_next_turn(struct client *c) {
    static const struct timespec apart = {.tv_nsec = MS_NS};
    struct timespec now;
    if (c->asked == 0) {
        client_settle(); /* every connection is accepted */
    }
    if (c->spec->steady && c->asked > 0) {
        nanosleep(&apart, NULL); /* too short for the loop's timers; nothing else is to be done */
    }
    clock_gettime(CLOCK_REALTIME, &now);
    if (must_wait(c, &now)) {
        const uint64_t rest_ms = 1000 - (uint64_t)(now.tv_nsec / MS_NS);
        uv_update_time(&c->loop->uv);
        uv_timer_start(&c->second, on_second, rest_ms + CLOCK_COARSE_MS, 0);
    } else {
        begin_turn(c);
    }
}
