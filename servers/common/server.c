#include "common/server.h"

#include "common/access_log.h"
#include "common/handicap.h"
#include "common/listen.h"
#include "common/routes.h"
#include "common/store.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREAD_STACK ((size_t)256 * 1024)

static _Atomic bool draining;
static _Atomic bool again;     /* drained, it becomes a fresh process instead of ending */
static struct server *running; /* for the signal handler */

void server_complain(const struct server_type *type, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)fprintf(stderr, "server-%s: ", type->name);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
}

bool server_draining(void) {
    return atomic_load_explicit(&draining, memory_order_relaxed);
}

static void on_signal(int number) {
    int saved = errno;
    /* An end that was asked for stays one, whatever comes before or after it. */
    atomic_store(&again, number == SIGHUP && (!atomic_load(&draining) || atomic_load(&again)));
    atomic_store(&draining, true);
    for (uint64_t i = 0; i < running->options.workers; i++) {
        uint64_t one = 1;
        ssize_t n = write(running->workers[i].wake, &one, sizeof one);
        (void)n; /* a full eventfd is readable already */
    }
    errno = saved;
}

static void on_reopen(int number) {
    int saved = errno;
    (void)number;
    if (running->log != NULL) {
        access_log_reopen(running->log);
    }
    errno = saved;
}

/* The signals that end or renew the server. */
static void endings(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    endings(&action.sa_mask); /* each sees what the other has decided */
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) { /* nohup */
        sigaction(SIGHUP, &action, NULL);
    }
    action.sa_handler = on_reopen;
    sigaction(SIGUSR1, &action, NULL);
}

static void raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

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

static int open_workers(struct server *server) {
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

static int run(struct server *server) {
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

static void close_workers(struct server *server) {
    for (uint64_t i = 0; i < server->options.workers; i++) {
        if (server->workers[i].wake >= 0) {
            close(server->workers[i].wake);
        }
    }
}

/* Before there are workers: a database that was named must be there, and may take its time. */
static int open_store(struct server *server) {
    char error[512];
    const struct options *options = &server->options;
    if (store_open(&server->store, options->db, (unsigned)options->workers, server->program, error,
                   sizeof error) != 0) {
        server_complain(server->type, "--db: %s", error);
        return EXIT_MACHINE;
    }
    for (uint64_t i = 0; i < options->workers; i++) {
        server->workers[i].app.store = server->store;
    }
    return 0;
}

static int open_log(struct server *server) {
    char error[512];
    const struct options *options = &server->options;
    if (options->access_log == NULL) {
        return 0;
    }
    server->log =
        access_log_open(options->access_log, (unsigned)options->workers, error, sizeof error);
    if (server->log == NULL) {
        server_complain(server->type, "%s", error);
        return EXIT_MACHINE;
    }
    for (uint64_t i = 0; i < options->workers; i++) {
        server->workers[i].app.log = access_log_of(server->log, (unsigned)i);
    }
    return 0;
}

/* All workers have ended. */
static void close_log(struct server *server) {
    struct access_log_writer *log = server->log;
    if (log == NULL) {
        return;
    }
    access_log_close(log);
    struct access_log_counts counts = access_log_count(log);
    if (counts.lost != 0) {
        server_complain(server->type, "--access-log %s: %llu of %llu lines lost: %s",
                        server->options.access_log, (unsigned long long)counts.lost,
                        (unsigned long long)counts.lines, access_log_why(log));
    }
}

static int serve(struct server *server) {
    uint64_t n = server->options.workers;
    server->workers = aligned_alloc(_Alignof(struct worker), n * sizeof *server->workers);
    if (server->workers == NULL) {
        server_complain(server->type, "out of memory");
        return EXIT_MACHINE;
    }
    memset(server->workers, 0, n * sizeof *server->workers);
    for (uint64_t i = 0; i < n; i++) {
        server->workers[i].wake = -1;
    }
    handicap_set(server->options.handicap_ns, server->options.handicap_loops);
    if (routes_prepare() != 0) {
        server_complain(server->type, "the page template has a mistake: build from clean sources");
        return EXIT_MACHINE;
    }
    int code = open_workers(server);
    if (code == 0) {
        code = open_log(server);
    }
    if (code == 0 && server->type->prepare != NULL) {
        code = server->type->prepare(server);
    }
    if (code == 0) {
        code = open_store(server);
    }
    if (code == 0) {
        running = server;
        catch_signals();
        code = run(server);
    }
    if (code == 0) { /* else workers may still run */
        store_close(server->store);
        close_workers(server);
        close_log(server);
        free(server->workers);
    }
    return code;
}

/* Executes this program anew with its arguments: a fresh address space under the same PID, which is
 * what a container's supervisor and whoever watches the process hold on to. Returns only when that
 * was not wanted after all, or cannot be done. */
static int renew(const struct server *server, char **argv, const cpu_set_t *cpus) {
    char self[PATH_MAX];
    sigset_t held;
    /* An end asked for from here on is not lost: it waits until the new program lets it in. */
    endings(&held);
    pthread_sigmask(SIG_BLOCK, &held, NULL);
    if (!atomic_load(&again)) {
        return EXIT_DONE;
    }
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len > 0) {
        self[len] = '\0';
        (void)sched_setaffinity(0, sizeof *cpus, cpus);
        (void)close_range(STDERR_FILENO + 1, ~0U, 0);
        execv(self, argv);
    }
    server_complain(server->type, "cannot execute itself again: %s: start it anew",
                    strerror(errno));
    return EXIT_MACHINE;
}

int server_main(int argc, char **argv, const struct server_type *type) {
    static struct server server;
    sigset_t held;
    cpu_set_t cpus;
    char error[256];
    const char *program = server.program;
    (void)snprintf(server.program, sizeof server.program, "server-%s", type->name);
    server.type = type;
    switch (options_parse(&server.options, argc, argv, error, sizeof error)) {
    case OPTIONS_BAD:
        server_complain(type, "%s", error);
        return EXIT_USAGE;
    case OPTIONS_HELP:
        options_print_help(stdout, program);
        return EXIT_DONE;
    case OPTIONS_VERSION:
        printf("%s %s\n", program, LOOPBENCH_VERSION);
        return EXIT_DONE;
    case OPTIONS_RUN:
        break;
    }
    endings(&held); /* renew() has left them blocked */
    pthread_sigmask(SIG_UNBLOCK, &held, NULL);
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) {
        CPU_ZERO(&cpus);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a log at its size limit loses lines, no more */
    (void)signal(SIGUSR1, SIG_IGN); /* until there is something to reopen */
    raise_file_limit();
    /* One arena: workers allocate rarely, and an arena per thread costs memory for nothing. */
    (void)mallopt(M_ARENA_MAX, 1);
    int code = serve(&server);
    return code == EXIT_DONE && atomic_load(&again) ? renew(&server, argv, &cpus) : code;
}
