/* The thread's side: what is in the rings goes to the file. */
#include "common/access_log.h"

#include "common/access_log_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

/* The thread empties the rings this often, and when one is a quarter full. */
#define PERIOD_MS 200
/* What is no regular file may make the thread wait this long, then lines are lost. */
#define STUCK_MS     1000
#define THREAD_STACK ((size_t)64 * 1024)

static uint64_t count_lines(const struct iovec *iov, int count, size_t skip) {
    uint64_t lines = 0;
    for (int i = 0; i < count; i++) {
        const char *at = iov[i].iov_base;
        const char *end = at + iov[i].iov_len;
        size_t passed = skip < iov[i].iov_len ? skip : iov[i].iov_len;
        skip -= passed;
        at += passed;
        while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
            lines++;
            at++;
        }
    }
    return lines;
}

/* Writes all of one piece. Returns how much of it went, with errno where that is not all. */
static size_t write_piece(const struct access_log_writer *writer, const char *data, size_t len) {
    size_t done = 0;
    while (done < len) {
        ssize_t n = write(writer->fd, data + done, len - done);
        if (n > 0) {
            done += (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = writer->fd, .events = POLLOUT};
            if (poll(&wait, 1, STUCK_MS) == 0) {
                errno = EAGAIN;
                break;
            }
        } else if (n < 0 && errno != EINTR) {
            break;
        }
    }
    return done;
}

/* Whole lines in one or two pieces. What the file does not take is lost; it is tried again with the
 * next lines. */
static void write_lines(struct access_log_writer *writer, const struct iovec *iov, int count) {
    size_t done = 0;
    /* The rest of a line that was cut is lost: the next one shall not be read as it. */
    bool failed = writer->cut && write_piece(writer, "\n", 1) != 1;
    for (int i = 0; i < count && !failed; i++) {
        size_t n = write_piece(writer, iov[i].iov_base, iov[i].iov_len);
        done += n;
        failed = n != iov[i].iov_len;
    }
    if (!failed) {
        writer->cut = false;
        return;
    }
    atomic_store(&writer->error, errno);
    stats_add(&writer->lost, count_lines(iov, count, done));
    if (done != 0) {
        size_t first = iov[0].iov_len;
        const char *last = done <= first ? (const char *)iov[0].iov_base + done - 1
                                         : (const char *)iov[1].iov_base + (done - first) - 1;
        writer->cut = *last != '\n';
    }
}

static void empty(struct access_log_writer *writer, struct access_log *log) {
    uint64_t tail = atomic_load_explicit(&log->tail, memory_order_relaxed);
    size_t len = (size_t)(atomic_load_explicit(&log->head, memory_order_acquire) - tail);
    size_t at = tail & (RING_SIZE - 1);
    size_t first = len < RING_SIZE - at ? len : RING_SIZE - at;
    struct iovec iov[2] = {{log->ring + at, first}, {log->ring, len - first}};
    if (len != 0) {
        write_lines(writer, iov, len == first ? 1 : 2);
        atomic_store_explicit(&log->tail, tail + len, memory_order_release);
    }
}

static void empty_all(struct access_log_writer *writer) {
    for (unsigned i = 0; i < writer->workers; i++) {
        empty(writer, &writer->logs[i]);
    }
}

static int open_file(const char *path) {
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
}

static void open_again(struct access_log_writer *writer) {
    int fd = open_file(writer->path);
    if (fd < 0) {
        (void)fprintf(stderr, "--access-log %s: cannot be reopened: %s: the old file goes on\n",
                      writer->path, strerror(errno));
        return;
    }
    close(writer->fd);
    writer->fd = fd;
    writer->cut = false;
}

static void *thread_main(void *arg) {
    struct access_log_writer *writer = arg;
    bool ending = false;
    while (!ending) {
        struct pollfd wait = {.fd = writer->call, .events = POLLIN};
        uint64_t count;
        if (poll(&wait, 1, PERIOD_MS) > 0) {
            ssize_t n = read(writer->call, &count, sizeof count);
            (void)n;
        }
        /* Before the rings are read: what was added before the call is written by this turn. */
        ending = atomic_load(&writer->ending);
        bool reopen = atomic_exchange(&writer->reopen, false);
        empty_all(writer);
        if (reopen) {
            open_again(writer);
        }
    }
    return NULL;
}

/* --- life ---------------------------------------------------------------------------------------
 */

static int start_thread(struct access_log_writer *writer) {
    pthread_attr_t attr;
    sigset_t all;
    sigset_t before;
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, THREAD_STACK);
    int error = pthread_create(&writer->thread, &attr, thread_main, writer);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int make_rings(struct access_log_writer *writer) {
    for (unsigned i = 0; i < writer->workers; i++) {
        writer->logs[i].writer = writer;
        writer->logs[i].second = -1;
        writer->logs[i].ring = malloc(RING_SIZE);
        if (writer->logs[i].ring == NULL) {
            return -1;
        }
    }
    return 0;
}

static void release(struct access_log_writer *writer) {
    for (unsigned i = 0; i < writer->workers; i++) {
        free(writer->logs[i].ring);
        writer->logs[i].ring = NULL;
    }
    if (writer->fd >= 0) {
        close(writer->fd);
    }
    if (writer->call >= 0) {
        close(writer->call);
    }
    writer->fd = writer->call = -1;
}

struct access_log_writer *access_log_open(const char *path, unsigned workers, char *error,
                                          size_t error_size) {
    size_t size = sizeof(struct access_log_writer) + workers * sizeof(struct access_log);
    struct access_log_writer *writer = aligned_alloc(64, (size + 63) / 64 * 64);
    int failed = ENOMEM;
    if (writer != NULL) {
        memset(writer, 0, size);
        writer->workers = workers;
        writer->path = strdup(path);
        writer->call = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        writer->fd = open_file(path);
        failed = writer->fd < 0 || writer->call < 0 ? errno : 0;
        if (failed == 0) {
            failed =
                writer->path == NULL || make_rings(writer) != 0 ? ENOMEM : start_thread(writer);
        }
        if (failed == 0) {
            return writer;
        }
        release(writer);
        access_log_free(writer);
    }
    (void)snprintf(error, error_size, "--access-log %s: %s: name a file that can be written to",
                   path, strerror(failed));
    return NULL;
}

struct access_log *access_log_of(struct access_log_writer *writer, unsigned worker) {
    return &writer->logs[worker];
}

void access_log_reopen(struct access_log_writer *writer) {
    atomic_store(&writer->reopen, true);
    call_thread(writer);
}

struct access_log_counts access_log_count(const struct access_log_writer *writer) {
    struct access_log_counts counts = {.lost = stats_get(&writer->lost)};
    for (unsigned i = 0; i < writer->workers; i++) {
        counts.lost += stats_get(&writer->logs[i].lost);
        counts.lines += stats_get(&writer->logs[i].lines);
    }
    return counts;
}

const char *access_log_why(const struct access_log_writer *writer) {
    int error = atomic_load(&writer->error);
    if (error != 0) {
        return strerror(error);
    }
    return access_log_count(writer).lost != 0 ? "the file does not take lines as fast" : NULL;
}

void access_log_close(struct access_log_writer *writer) {
    atomic_store(&writer->ending, true);
    call_thread(writer);
    pthread_join(writer->thread, NULL);
    release(writer);
}

void access_log_free(struct access_log_writer *writer) {
    free(writer->path);
    free(writer);
}
