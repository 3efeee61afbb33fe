/* The workers' side: a line into the worker's own ring. */
#include "common/access_log.h"

#include "common/access_log_parts.h"
#include "common/put.h"

#include <string.h>

/* Longest line: a path of APP_MAX_TARGET, each byte as %XX, and the rest. */
#define LINE_SIZE  (APP_MAX_TARGET * 3 + 128)
#define METHOD_MAX 32

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
