/*
 * The frame of every server: main, workers, signals, listeners, ready line.
 *
 * A server's folder has one `struct server_type` and
 *
 *     int main(int argc, char **argv) { return server_main(argc, argv, &type); }
 *
 * server_main parses the options, ignores SIGPIPE, raises the soft file limit, makes one listening
 * socket per worker (SO_REUSEPORT where there are several) and calls type->run for each: worker 0
 * on the main thread, the others on threads of their own, each pinned to a CPU of the affinity mask
 * when there are several. SIGTERM and SIGINT make worker->wake readable and server_draining() true;
 * SIGUSR1 reopens the access log. SIGHUP drains as SIGTERM does and then executes the program anew
 * with its arguments, under the same PID.
 */
#ifndef LOOPBENCH_SERVERS_SERVER_H
#define LOOPBENCH_SERVERS_SERVER_H

#include "common/app.h"
#include "common/json.h"
#include "common/options.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* After SIGTERM, connections that have not ended by then are cut. */
#define SERVER_DRAIN_MS 5000
/* After SIGTERM: time for requests that were on their way to idle connections. */
#define SERVER_GRACE_MS 50

struct server;

struct worker {
    struct app_worker app;
    struct server *server;
    const struct options *options;
    unsigned index;
    int listener; /* listening, non-blocking, TCP_NODELAY inherited by what it accepts; the adapter
                     closes it (or its library does) when draining begins */
    int wake;     /* eventfd: readable once the worker shall drain; server_main closes it */
    void *loop;   /* the adapter's own */
};

struct server_type {
    const char *name; /* "libuv" */
    /* Adds the members of "versions": json_str(json, "libuv", uv_version_string()). */
    void (*versions)(struct json *json);
    /* Once, before any worker runs; NULL where nothing is to be done. Returns 0, or an exit code
     * after having printed one line. */
    int (*prepare)(struct server *server);
    /* Runs the worker's loop until drained: set up, call worker_ready, loop. After worker->wake
     * became readable: stop accepting, finish replies in flight, close idle connections, return
     * within SERVER_DRAIN_MS. Returns 0, or an exit code after having printed one line. */
    int (*run)(struct worker *worker);
};

struct server {
    const struct server_type *type;
    struct options options;
    struct worker *workers;
    struct access_log_writer *log; /* NULL: none */
    struct store *store;           /* of /posts */
    char program[32];              /* "server-libuv" */
    char listening[64];            /* "127.0.0.1:8081": the address really bound */
    _Atomic unsigned not_ready;
};

int server_main(int argc, char **argv, const struct server_type *type);

/* On the worker's thread, once its loop is set up: starts the application on it, then worker_ready.
 * Returns 0, or an exit code after having printed one line. */
int worker_start(struct worker *worker, struct loop *loop);

/* On the worker's thread, after the last connection is gone, before the loop is destroyed. */
void worker_stop(struct worker *worker);

/* For a worker without an application: its loop is set up. The last worker to say so prints the
 * ready line. */
void worker_ready(struct worker *worker);

/* True from SIGTERM on: replies say `Connection: close`. Cheap. */
bool server_draining(void);

/* One line on stderr: "server-NAME: …". */
void server_complain(const struct server_type *type, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
