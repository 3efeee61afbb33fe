#include "guests/evhttp/log.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GATHER ((size_t)64 * 1024)

struct log {
    int fd;
    struct evbuffer *lines;
    struct event *tick;
    bool failed;
};

static void write_lines(struct log *log) {
    while (evbuffer_get_length(log->lines) > 0) {
        if (evbuffer_write(log->lines, log->fd) <= 0 && errno != EINTR) {
            if (!log->failed) {
                fprintf(stderr, "guest-evhttp: cannot write the access log: %s; make room\n",
                        strerror(errno));
                log->failed = true;
            }
            evbuffer_drain(log->lines, evbuffer_get_length(log->lines));
        }
    }
}

static void on_tick(evutil_socket_t fd, short what, void *data) {
    (void)fd;
    (void)what;
    write_lines(data);
}

struct log *log_open(struct event_base *base, const char *path) {
    const struct timeval second = {1, 0};
    struct log *log = calloc(1, sizeof *log);
    if (log == NULL) {
        return NULL;
    }
    log->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    log->lines = evbuffer_new();
    log->tick = event_new(base, -1, EV_PERSIST, on_tick, log);
    if (log->fd < 0 || log->lines == NULL || log->tick == NULL ||
        event_add(log->tick, &second) != 0) {
        fprintf(stderr, "guest-evhttp: cannot open the access log %s: %s; name another\n", path,
                strerror(errno));
        log_close(log);
        return NULL;
    }
    return log;
}

void log_add(struct log *log, const char *peer, const char *method, const char *uri, int status,
             size_t size) {
    time_t now = time(NULL);
    struct tm utc;
    char date[32];
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    evbuffer_add_printf(log->lines, "%s [%s] \"%s %s\" %d %zu\n", peer, date, method, uri, status,
                        size);
    if (evbuffer_get_length(log->lines) >= GATHER) {
        write_lines(log);
    }
}

void log_close(struct log *log) {
    if (log == NULL) {
        return;
    }
    if (log->tick != NULL) {
        event_free(log->tick);
    }
    if (log->lines != NULL) {
        if (log->fd >= 0) {
            write_lines(log);
        }
        evbuffer_free(log->lines);
    }
    if (log->fd >= 0) {
        close(log->fd);
    }
    free(log);
}
