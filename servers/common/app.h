/*
 * The application: what every server answers, written once. It knows no event loop and no parser.
 *
 * A transport (servers/common/http1.c, or a library with its own HTTP) embeds one `app_exchange` in
 * its state of a request and walks it through:
 *
 *     app_begin    the head is complete: picks the route
 *     app_body     each piece of the body, in order (skipped when there is none)
 *     app_end      the request is complete: APP_NOW, the reply stands in exchange->reply;
 *                  APP_LATER, the route will call exchange->ready on this worker's thread
 *     app_replied  the reply is on its way out
 *     app_finish   the reply was handed to the kernel, or the connection is gone
 *
 * A request the transport refuses itself (too large, malformed) gets its reply from app_refuse, in
 * place of app_end. Everything runs on the thread of the exchange's worker.
 *
 * The bytes of every reply, on every server:
 *
 *     HTTP/1.1 STATUS REASON
 *     Date: …
 *     Connection: keep-alive|close
 *     Content-Length: LENGTH OF BODY (also where the method is HEAD and no body follows)
 *     Server: loopbench
 *     content-type: …
 *     allow: …                  (only where reply.allow has a length)
 */
#ifndef LOOPBENCH_SERVERS_APP_H
#define LOOPBENCH_SERVERS_APP_H

#include "common/random.h"
#include "common/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define APP_SERVER_NAME "loopbench" /* value of the Server header */

/* Limits every transport enforces. The head counts from the first byte of the request line to the
 * line feed of the empty line. */
#define APP_MAX_HEAD   ((size_t)16 * 1024) /* more: 431 */
#define APP_MAX_TARGET ((size_t)8 * 1024)  /* more: 414 */
#define APP_SCRATCH    2048

/* What the access log says of a client that went away before its reply came, as nginx does. */
#define APP_GONE 499

struct loop; /* loop.h */
struct options;
struct server;
struct store;
struct store_worker;

struct app_slice {
    const char *base;
    size_t len;
};
#define APP_SLICE(literal) ((struct app_slice){(literal), sizeof(literal) - 1})

enum app_method { APP_GET, APP_HEAD, APP_POST, APP_OTHER, APP_UNKNOWN };

enum app_when { APP_NOW, APP_LATER };

struct app_reply {
    unsigned status;
    bool close;                    /* the connection must not be kept, whatever the client asked */
    bool in_scratch;               /* body lies in worker->scratch: copy it before the next call
                                      (never after APP_LATER) */
    struct app_slice reason;       /* "OK" */
    struct app_slice content_type; /* "text/plain" */
    struct app_slice allow;        /* "GET, HEAD", or empty */
    struct app_slice body;         /* valid until app_finish (or see in_scratch) */
};

/* What the application keeps for one worker thread. Zero it, then app_worker_init. */
struct app_worker {
    const struct options *options;
    const struct server *server;    /* for /stats; NULL in unit tests */
    const struct app_route *routes; /* the table; a test may put its own */
    size_t num_routes;
    struct loop *loop; /* from app_worker_start to app_worker_stop; else NULL */
    struct random random;
    struct access_log *log;            /* access_log.h; NULL: off */
    struct store *store;               /* the process's; NULL in unit tests */
    struct store_worker *store_worker; /* from the first POST /posts on */
    struct stats_counters counters; /* the transport counts connections, the application requests */
    char scratch[APP_SCRATCH];
};

struct app_route;

/* Of a body that is read as it comes. */
struct app_upload {
    uint64_t len;
    uint32_t crc;
};

struct app_exchange {
    /* Set by the transport before app_begin. */
    struct app_worker *worker;
    struct app_slice path;  /* as received, compared byte for byte: no percent-decoding */
    struct app_slice query; /* without the '?'; base is NULL where there is none */
    enum app_method method;
    uint8_t minor;     /* HTTP/1.minor */
    uint8_t num_hosts; /* number of Host headers (a library that keeps only one says 0 or 1) */
    bool waiting;      /* the application's: APP_LATER was returned, the reply has not come yet */
    /* The method's name where method is APP_OTHER; a constant. */
    const char *method_name;
    /* Called by the route after APP_LATER, on the worker's thread, never from inside handle: the
     * reply stands in exchange->reply. Not after finish was called. */
    void (*ready)(struct app_exchange *exchange);

    /* Set by the application. */
    const struct app_route *route;
    void *state;              /* the route's own, released by app_finish */
    struct app_upload upload; /* a place for state to point to */
    struct app_reply reply;
};

struct app_route {
    struct app_slice path;
    unsigned methods;       /* bits 1 << enum app_method; GET brings HEAD along */
    struct app_slice allow; /* the same, as the value of Allow */
    enum app_when (*handle)(struct app_exchange *exchange);
    /* Body as it arrives; NULL: read off and ignored. */
    void (*on_body)(struct app_exchange *exchange, const char *data, size_t len);
    /* Releases exchange->state; NULL where a route has none. Called once, also when the client went
     * away before the reply: what was to call `ready` must be stopped, or told. */
    void (*finish)(struct app_exchange *exchange);
};

void app_worker_init(struct app_worker *worker, const struct options *options,
                     const struct server *server);

/* On the worker's thread, once its loop can be used: what the routes need of it. Returns 0, or an
 * exit code after having printed one line. */
int app_worker_start(struct app_worker *worker, struct loop *loop);

/* After the last exchange was finished, while the loop can still be used: nothing is watched, no
 * timer runs afterwards. */
void app_worker_stop(struct app_worker *worker);

/* The method of a request line's first word; case-sensitive. APP_UNKNOWN is not a registered HTTP
 * method (app_end answers 400 to it, as llhttp refuses it). */
enum app_method app_parse_method(const char *word, size_t len);

/* The name of a method that app_parse_method says is APP_OTHER, as a constant; else NULL. */
const char *app_method_name(const char *word, size_t len);

/* Splits a request target into path and query. An absolute form (http://host/path) loses scheme and
 * authority. Both slices point into the target. */
void app_split_target(const char *target, size_t len, struct app_slice *path,
                      struct app_slice *query);

/* Whether the connection is kept after the reply, from the HTTP/1 minor version and one Connection
 * header (value may be NULL): `close` anywhere in the list closes; 1.0 needs `keep-alive`.
 * With several Connection headers call app_connection_tokens for each and app_keep_alive last. */
enum { APP_TOKEN_CLOSE = 1, APP_TOKEN_KEEP_ALIVE = 2 };
unsigned app_connection_tokens(const char *value, size_t len);
bool app_keep_alive(unsigned minor, unsigned tokens);

/* Picks the route. Never fails: what is wrong is said by app_end. */
void app_begin(struct app_exchange *exchange);

/* One piece of the body; the data need not live longer than the call. */
void app_body(struct app_exchange *exchange, const char *data, size_t len);

/* Runs the route: 400 where Host is missing (1.1) or doubled or the method unknown, 404, 405, or
 * the route's own reply. Counts the request and burns the handicap. */
enum app_when app_end(struct app_exchange *exchange);

/* Fills exchange->reply for a request the transport refuses: 400, 408, 413, 414, 417, 431, 500,
 * 503. Always closes. Allowed before app_begin (only `worker` must be set). */
void app_refuse(struct app_exchange *exchange, unsigned status);

/* Writes the request to the access log, if there is one: once for every reply, while path and reply
 * are valid. */
static inline void app_replied(struct app_exchange *exchange);

/* Releases what the route holds. Call it exactly once for every app_begin or app_refuse. */
void app_finish(struct app_exchange *exchange);

/* app_replied where there is a log. `status` and `bytes` (of body) are what is logged. */
void app_log(const struct app_exchange *exchange, unsigned status, uint64_t bytes);

static inline void app_replied(struct app_exchange *exchange) {
    exchange->waiting = false;
    if (__builtin_expect(exchange->worker->log != NULL, 0)) {
        app_log(exchange, exchange->reply.status,
                exchange->method == APP_HEAD ? 0 : exchange->reply.body.len);
    }
}

#endif
