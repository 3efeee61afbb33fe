#include "common/server.h"

#include "common/access_log.h"
#include "common/handicap.h"
#include "common/routes.h"
#include "common/store.h"
#include "common/workers.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
    int code = workers_open(server);
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
        code = workers_run(server);
    }
    if (code == 0) { /* else workers may still run */
        store_close(server->store);
        workers_close(server);
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
