/* The server on libh2o: one h2o context and event loop per worker. */
#include "common/listen.h"
#include "common/server.h"
#include "h2o/conn.h"
#include "h2o/lib.h"
#include "h2o/loop.h"
#include "h2o/reply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ACCEPTS 64 /* connections taken in one turn, so that the open ones are served too */

/* Shared by all workers, read-only once they run. */
static h2o_globalconf_t config;

static void versions(struct json *json) {
    json_str(json, "h2o", H2O_VERSION);
}

static int prepare(struct server *server) {
    h2o_config_init(&config);
    config.server_name = h2o_iovec_init("", 0); /* reply.c adds it as a header, for less */
    config.http1.req_timeout = server->options.idle_timeout_ms;
    config.http1.upgrade_to_http2 = 0;
    /* h2o refuses a chunked body that reaches this, but a Content-Length only above it. */
    config.max_request_entity_size = server->options.max_body + 1;
    reply_register(h2o_config_register_host(&config, h2o_iovec_init(H2O_STRLIT("default")), 65535));
    return 0;
}

static void on_acceptable(h2o_socket_t *listener, const char *err);

static void on_retry(h2o_timeout_entry_t *entry) {
    struct transport *transport = H2O_STRUCT_FROM_MEMBER(struct transport, retry, entry);
    if (transport->listener != NULL) {
        h2o_socket_read_start(transport->listener, on_acceptable);
    }
}

/* Takes up to `most` connections. */
static void accept_some(struct transport *transport, uint64_t most) {
    h2o_socket_t *listener = transport->listener;
    for (uint64_t i = 0; i < most; i++) {
        int fd = listen_accept(h2o_socket_get_fd(listener), &transport->reserve);
        if (fd >= 0) {
            conn_open(transport, fd);
            continue;
        }
        if (errno != EAGAIN && !h2o_timeout_is_linked(&transport->retry)) {
            h2o_socket_read_stop(listener); /* or the loop spins on what cannot be taken */
            h2o_timeout_link(transport->ctx.loop, &transport->ctx.hundred_ms_timeout,
                             &transport->retry);
        }
        return;
    }
}

static void on_acceptable(h2o_socket_t *listener, const char *err) {
    if (err == NULL) {
        accept_some(listener->data, ACCEPTS);
    }
}

/* Stops accepting; what ends the loop is that the listener is gone. */
static void on_wake(h2o_socket_t *wake, const char *err) {
    struct transport *transport = wake->data;
    (void)err;
    h2o_socket_read_stop(wake);
    accept_some(transport, transport->worker->options->backlog); /* they have connected already */
    h2o_timeout_unlink(&transport->retry);
    h2o_socket_close(transport->listener);
    transport->listener = NULL;
}

/* Watches a descriptor; reading from it is the callback's business. */
static h2o_socket_t *watch(struct transport *transport, int fd, h2o_socket_cb callback) {
    h2o_socket_t *sock =
        h2o_evloop_socket_create(transport->ctx.loop, fd, H2O_SOCKET_FLAG_DONT_READ);
    sock->data = transport;
    h2o_socket_read_start(sock, callback);
    return sock;
}

static void drain(struct transport *transport) {
    h2o_evloop_t *loop = transport->ctx.loop;
    /* Requests that are here already come first. */
    (void)h2o_evloop_run(loop, 0);
    transport->ctx.shutdown_requested = 1; /* its function would begin an HTTP/2 shutdown too */
    uint64_t now = h2o_now(loop);
    uint64_t grace = now + SERVER_GRACE_MS;
    uint64_t end = now + SERVER_DRAIN_MS;
    while (conn_any(transport) && now < end) {
        if (now >= grace) {
            conn_close_idle(transport);
        }
        (void)h2o_evloop_run(loop, (int32_t)((now < grace ? grace : end) - now));
        now = h2o_now(loop);
    }
}

static int run(struct worker *worker) {
    struct transport *transport = calloc(1, sizeof(*transport));
    int wake = fcntl(worker->wake, F_DUPFD_CLOEXEC, 0); /* h2o closes the one it is given */
    if (transport == NULL || wake < 0) {
        server_complain(worker->server->type, "cannot set up a worker: %s: raise the limits",
                        strerror(errno));
        free(transport);
        return EXIT_MACHINE;
    }
    worker->loop = transport;
    transport->worker = worker;
    transport->reserve = listen_reserve();
    h2o_evloop_t *loop = h2o_evloop_create();
    h2o_context_init(&transport->ctx, loop, &config);
    transport->accept = (h2o_accept_ctx_t){.ctx = &transport->ctx, .hosts = config.hosts};
    conn_init(transport);
    transport->retry.cb = on_retry;
    transport->listener = watch(transport, worker->listener, on_acceptable);
    transport->wake = watch(transport, wake, on_wake);
    h2o_thin_loop_init(&transport->loop, &transport->ctx);
    int code = worker_start(worker, &transport->loop.loop);
    if (code != EXIT_DONE) {
        return code;
    }
    while (transport->listener != NULL) {
        (void)h2o_evloop_run(loop, INT32_MAX); /* an interrupted wait is tried again */
    }
    drain(transport);
    conn_release(transport);
    worker_stop(worker);
    h2o_thin_loop_release(&transport->loop);
    h2o_socket_close(transport->wake);
    h2o_context_dispose(&transport->ctx);
#if H2O_LIBRARY_VERSION_MAJOR == 0 && H2O_LIBRARY_VERSION_MINOR == 13
    free(transport->ctx.queue); /* these versions close it and forget it */
#endif
    (void)h2o_evloop_run(loop, 0); /* frees the sockets closed above */
    h2o_evloop_destroy(loop);
    if (transport->reserve >= 0) {
        close(transport->reserve);
    }
    free(transport);
    return EXIT_DONE;
}

#if defined(__has_feature) /* clang's way of telling */
#define WITH_ASAN __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#else
#define WITH_ASAN 0
#endif

#if WITH_ASAN
/* libh2o keeps up to 16 buffers of each kind per thread and has no call to give them back, so those
 * of a worker's thread are lost when it ends, just before the process does. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:h2o_mem_alloc_recycle\n";
}
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) {
    return "print_suppressions=0";
}
#endif

int main(int argc, char **argv) {
    static const struct server_type type = {
        .name = "h2o", .versions = versions, .prepare = prepare, .run = run};
    return server_main(argc, argv, &type);
}
