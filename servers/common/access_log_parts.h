/* One access log: rings that the workers fill (access_log.c) and a thread empties
 * (access_log_write.c); nobody else includes this. */
#ifndef LOOPBENCH_SERVERS_ACCESS_LOG_PARTS_H
#define LOOPBENCH_SERVERS_ACCESS_LOG_PARTS_H

#include "common/access_log.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* A power of two. Pages of it that no line was ever put in cost nothing. */
#define RING_SIZE ((uint64_t)1024 * 1024)
#define TIME_LEN  24 /* 2026-11-30T12:27:53.123Z */
struct access_log {
    struct access_log_writer *writer;
    char *ring;
    time_t second; /* that `time` was made for */
    char time[TIME_LEN + 1];
    _Alignas(64) _Atomic uint64_t head; /* bytes ever put in, by the worker */
    _Atomic uint64_t lines;
    _Atomic uint64_t lost; /* no room */
    bool called;           /* the thread was called since the ring was last seen below a quarter */
    _Alignas(64) _Atomic uint64_t tail; /* bytes ever taken out, by the thread */
};

struct access_log_writer {
    char *path;
    int fd;   /* the thread's */
    int call; /* eventfd */
    unsigned workers;
    bool cut; /* the file ends within a line */
    _Atomic bool ending;
    _Atomic bool reopen;
    _Atomic uint64_t lost; /* not taken by the file */
    _Atomic int error;     /* errno of that, or 0 */
    pthread_t thread;
    struct access_log logs[];
};

static inline void call_thread(struct access_log_writer *writer) {
    uint64_t one = 1;
    ssize_t n = write(writer->call, &one, sizeof one);
    (void)n; /* a full eventfd wakes as well */
}

#endif
