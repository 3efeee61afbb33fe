#include "common/workers.h"

#include "common/listen.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define THREAD_STACK ((size_t)256 * 1024)

/* Pins the calling thread to the nth CPU of the mask it started with, counting round. */
static void pin_to(unsigned n) {
    cpu_set_t all;
    cpu_set_t one;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) == 0) {
        return; /* more CPUs than a cpu_set_t holds: leave the placing to the kernel */
    }
    int skip = (int)n % CPU_COUNT(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all) && skip-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            (void)sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

static int complain_listen(const struct server *server, const char *where, int error) {
    const char *remedy = "choose another address";
    if (error == EADDRINUSE) {
        remedy = "stop what listens there, or use another port (0 picks a free one)";
    } else if (error == EACCES) {
        remedy = "use a port above 1023";
    } else if (error == EMFILE || error == ENFILE) {
        remedy = "raise the file limit (ulimit -n)";
    }
    server_complain(server->type, "--listen %s: %s: %s", where, strerror(error), remedy);
    return EXIT_MACHINE;
}

int workers_open(struct server *server) {
    struct options *options = &server->options;
    bool shared = options->workers > 1;
    char where[sizeof server->listening];
    listen_format(&options->address, where, sizeof where);
    if (shared && listen_probe(&options->address, options->address_len) != 0) {
        return complain_listen(server, where, errno);
    }
    for (uint64_t i = 0; i < options->workers; i++) {
        struct worker *worker = &server->workers[i];
        app_worker_init(&worker->app, options, server);
        worker->server = server;
        worker->options = options;
        worker->index = (unsigned)i;
        worker->listener =
            listen_open(&options->address, options->address_len, (int)options->backlog, shared);
        if (worker->listener < 0) {
            return complain_listen(server, where, errno);
        }
        worker->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (worker->wake < 0) {
            return complain_listen(server, where, errno);
        }
    }
    listen_format(&options->address, server->listening, sizeof server->listening);
    atomic_store(&server->not_ready, (unsigned)options->workers);
    return 0;
}

static void print_ready(const struct server *server) {
    char line[1024];
    struct json json;
    json_init(&json, line, sizeof line - 1);
    json_open(&json, NULL);
    json_str(&json, "listening", server->listening);
    json_str(&json, "server", server->type->name);
    json_open(&json, "versions");
    server->type->versions(&json);
    json_close(&json);
    json_uint(&json, "pid", (uint64_t)getpid());
    json_uint(&json, "workers", server->options.workers);
    json_close(&json);
    size_t len = json_finish(&json);
    line[len++] = '\n';
    for (size_t at = 0; at < len;) {
        ssize_t n = write(STDOUT_FILENO, line + at, len - at);
        if (n < 0 && errno != EINTR) {
            return; /* nobody reads: serving goes on */
        }
        at += n > 0 ? (size_t)n : 0;
    }
}

void worker_ready(struct worker *worker) {
    if (atomic_fetch_sub(&worker->server->not_ready, 1) == 1) {
        print_ready(worker->server);
    }
}

int worker_start(struct worker *worker, struct loop *loop) {
    int code = app_worker_start(&worker->app, loop);
    if (code == 0) {
        worker_ready(worker);
    }
    return code;
}

void worker_stop(struct worker *worker) {
    app_worker_stop(&worker->app);
}

static int run_worker(struct worker *worker) {
    return worker->server->type->run(worker);
}

static void *thread_main(void *arg) {
    struct worker *worker = arg;
    pin_to(worker->index);
    /* A worker that cannot run makes the server lie about itself: end it all. */
    int code = run_worker(worker);
    if (code != 0) {
        exit(code);
    }
    return NULL;
}

/* Workers 1.. on threads, with signals blocked so that the handler runs on the main thread. */
static int start_threads(struct server *server, pthread_t *threads) {
    pthread_attr_t attr;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, THREAD_STACK);
    int error = 0;
    for (uint64_t i = 1; i < server->options.workers && error == 0; i++) {
        error = pthread_create(&threads[i], &attr, thread_main, &server->workers[i]);
    }
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        server_complain(server->type, "--workers %llu: cannot start a thread: %s: use fewer",
                        (unsigned long long)server->options.workers, strerror(error));
        return EXIT_MACHINE;
    }
    return 0;
}

int workers_run(struct server *server) {
    uint64_t n = server->options.workers;
    pthread_t *threads = calloc(n, sizeof *threads);
    if (threads == NULL) {
        server_complain(server->type, "out of memory");
        return EXIT_MACHINE;
    }
    int code = start_threads(server, threads);
    if (code == 0) {
        if (n > 1) {
            pin_to(0);
        }
        code = run_worker(&server->workers[0]);
    }
    if (code == 0) {
        for (uint64_t i = 1; i < n; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    free(threads);
    return code;
}

void workers_close(struct server *server) {
    for (uint64_t i = 0; i < server->options.workers; i++) {
        if (server->workers[i].wake >= 0) {
            close(server->workers[i].wake);
        }
    }
}
