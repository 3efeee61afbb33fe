#include "common/access_log.h"

#include "common/put.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* A power of two. Pages of it that no line was ever put in cost nothing. */
#define RING_SIZE ((uint64_t)1024 * 1024)
/* The thread empties the rings this often, and when one is a quarter full. */
#define PERIOD_MS 200
/* What is no regular file may make the thread wait this long, then lines are lost. */
#define STUCK_MS 1000
/* Longest line: a path of APP_MAX_TARGET, each byte as %XX, and the rest. */
#define LINE_SIZE    (APP_MAX_TARGET * 3 + 128)
#define TIME_LEN     24 /* 2026-11-30T12:27:53.123Z */
#define METHOD_MAX   32
#define THREAD_STACK ((size_t)64 * 1024)

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

/* --- the worker's side --------------------------------------------------------------------------
 */

static void call_thread(struct access_log_writer *writer) {
    uint64_t one = 1;
    ssize_t n = write(writer->call, &one, sizeof one);
    (void)n; /* a full eventfd wakes as well */
}

static void put_two(char *at, int number) {
    at[0] = (char)('0' + number / 10 % 10);
    at[1] = (char)('0' + number % 10);
}

/* The date and time up to the second, made anew when the second changes. */
static void stamp_second(struct access_log *log, time_t second) {
    struct tm t;
    gmtime_r(&second, &t);
    memcpy(log->time, "0000-00-00T00:00:00.000Z", TIME_LEN);
    put_two(log->time, (t.tm_year + 1900) / 100);
    put_two(log->time + 2, (t.tm_year + 1900) % 100);
    put_two(log->time + 5, t.tm_mon + 1);
    put_two(log->time + 8, t.tm_mday);
    put_two(log->time + 11, t.tm_hour);
    put_two(log->time + 14, t.tm_min);
    put_two(log->time + 17, t.tm_sec);
    log->second = second;
}

static char *put_time(struct access_log *log, char *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec != log->second) {
        stamp_second(log, now.tv_sec);
    }
    int ms = (int)(now.tv_nsec / 1000000);
    memcpy(at, log->time, TIME_LEN);
    at[20] = (char)('0' + ms / 100);
    put_two(at + 21, ms % 100);
    return at + TIME_LEN;
}

static char *put_path(char *at, struct app_slice path) {
    static const char hex[] = "0123456789ABCDEF";
    size_t len = path.len < APP_MAX_TARGET ? path.len : APP_MAX_TARGET;
    if (len == 0) {
        *at++ = '-';
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)path.base[i];
        if (c > ' ' && c < 0x7f) {
            *at++ = (char)c;
        } else {
            *at++ = '%';
            *at++ = hex[c >> 4];
            *at++ = hex[c & 15];
        }
    }
    return at;
}

static size_t format(struct access_log *log, char *line, unsigned status, const char *method,
                     struct app_slice path, uint64_t bytes) {
    size_t method_len = strnlen(method, METHOD_MAX);
    char *at = put_time(log, line);
    *at++ = ' ';
    at = put_number(at, status);
    *at++ = ' ';
    memcpy(at, method, method_len);
    at += method_len;
    *at++ = ' ';
    at = put_path(at, path);
    *at++ = ' ';
    at = put_number(at, bytes);
    *at++ = '\n';
    return (size_t)(at - line);
}

void access_log_add(struct access_log *log, unsigned status, const char *method,
                    struct app_slice path, uint64_t bytes) {
    char line[LINE_SIZE];
    size_t len = format(log, line, status, method, path, bytes);
    uint64_t head = atomic_load_explicit(&log->head, memory_order_relaxed);
    uint64_t used = head - atomic_load_explicit(&log->tail, memory_order_acquire);
    stats_add(&log->lines, 1);
    if (len > RING_SIZE - used) {
        stats_add(&log->lost, 1);
        return;
    }
    size_t at = head & (RING_SIZE - 1);
    size_t first = len < RING_SIZE - at ? len : RING_SIZE - at;
    memcpy(log->ring + at, line, first);
    memcpy(log->ring, line + first, len - first);
    atomic_store_explicit(&log->head, head + len, memory_order_release);
    if (used + len < RING_SIZE / 4) {
        log->called = false;
    } else if (!log->called) {
        log->called = true;
        call_thread(log->writer);
    }
}

/* --- the thread's side --------------------------------------------------------------------------
 */

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
