/* client_parts.h — the client of a count while it runs; for client.c and client_turn.c only. */
#ifndef COUNT_CLIENT_PARTS_H
#define COUNT_CLIENT_PARTS_H

#include <llhttp.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "count/client.h"
#include "count/date.h"

struct link {
    uv_tcp_t tcp; /* first: a handle is its link */
    uv_connect_t connect;
    uv_write_t write;
    llhttp_t parser;
    struct client *client;
    int waiting; /* replies still to come in this turn */
    struct date_reader date;
    uv_shutdown_t shutdown;
    bool open, ended; /* ended: the target has closed it, too */
};

struct client {
    const struct client_spec *spec;
    struct loop *loop;
    struct client_result *out;
    struct link *link;
    uv_buf_t *bufs; /* the request, `pipeline` times */
    llhttp_settings_t settings;
    int links; /* handles not yet closed */
    int connected;
    int64_t asked;   /* requests written so far */
    int64_t waiting; /* replies to come in this turn */
    uint64_t moves;  /* of any kind: what must go on */
    uv_timer_t second;
    char date[DATE_SIZE]; /* of the last reply; "" = there was none */
    bool ending;          /* all is said: the target is to close what we have closed */
    bool failed;
    struct err *e;
    char buf[65536];
};

/* The first reason stands. */
void client_fail(struct client *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Gives the target a moment in which nothing comes, so that it goes back to its wait: whether two
 * events are found by one wait or by two is chance otherwise. */
void client_settle(void);

/* The next requests, at most `pipeline` on each connection: now, or when the next second has come.
 */
void client_next_turn(struct client *c);

#endif
