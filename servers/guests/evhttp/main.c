/* guest-evhttp — libevent's own HTTP server, a thread a worker. */
#include <event2/event.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guests/evhttp/serve.h"

#define WORKERS_MAX 256

static bool read_number(const char *name, const char *text, int max, int *out) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr, "guest-evhttp: --%s: write a number from 1 to %d\n", name, max);
        return false;
    }
    *out = (int)value;
    return true;
}

/* 0: go on; else the exit status + 1. */
static int read_options(int argc, char **argv, struct serve_options *options) {
    static const struct option known[] = {{"host", required_argument, NULL, 'h'},
                                          {"port", required_argument, NULL, 'p'},
                                          {"workers", required_argument, NULL, 'w'},
                                          {"backlog", required_argument, NULL, 'b'},
                                          {"access-log", required_argument, NULL, 'l'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    bool good = true;
    for (int c; good && (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case 'h':
            options->host = optarg;
            break;
        case 'p':
            good = read_number("port", optarg, 65535, &options->port);
            break;
        case 'w':
            good = read_number("workers", optarg, WORKERS_MAX, &options->workers);
            break;
        case 'b':
            good = read_number("backlog", optarg, INT_MAX, &options->backlog);
            break;
        case 'l':
            options->log = optarg;
            break;
        case 'v':
            printf("evhttp of libevent %s\n", event_get_version());
            return 1;
        default:
            good = false; /* getopt_long has said it */
        }
    }
    if (good && (optind < argc || options->port == 0)) {
        fprintf(stderr, "guest-evhttp: usage: guest-evhttp --port PORT [--host ADDRESS] "
                        "[--workers N] [--backlog N] [--access-log FILE]\n");
        good = false;
    }
    return good ? 0 : 3;
}

static void *run_worker(void *data) {
    serve_run(data);
    return NULL;
}

/* Every worker listens before the first serves, so that none is missed by the first connections. */
static int run(struct serve_options *options, const sigset_t *ending) {
    struct serve *worker[WORKERS_MAX] = {NULL};
    pthread_t thread[WORKERS_MAX];
    int wake[2];
    int started = 0;
    int status = 0;
    if (pipe(wake) != 0) {
        perror("guest-evhttp: pipe");
        return 3;
    }
    options->stop = wake[0];
    for (int i = 0; status == 0 && i < options->workers; i++) {
        worker[i] = serve_open(options);
        status = worker[i] != NULL ? 0 : 3;
    }
    for (; status == 0 && started < options->workers; started++) {
        if (pthread_create(&thread[started], NULL, run_worker, worker[started]) != 0) {
            fprintf(stderr, "guest-evhttp: cannot start a thread; use fewer --workers\n");
            status = 3;
            break;
        }
    }
    int signum;
    if (status == 0) {
        sigwait(ending, &signum);
    }
    close(wake[1]); /* the other end becomes readable for all workers */
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
    }
    for (int i = started; i < options->workers && worker[i] != NULL; i++) {
        serve_run(worker[i]); /* ends at once, and frees it */
    }
    close(wake[0]);
    libevent_global_shutdown();
    return status;
}

int main(int argc, char **argv) {
    struct serve_options options = {.host = "127.0.0.1", .workers = 1, .backlog = SOMAXCONN};
    sigset_t ending;
    int end = read_options(argc, argv, &options);
    if (end != 0) {
        return end - 1;
    }
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    return run(&options, &ending);
}
