/* GET /bytes?n=: up to 16 MiB from one block that all requests share; nothing is copied. */
#include "common/query.h"
#include "common/workloads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define BYTES_MAX ((size_t)16 * 1024 * 1024)
/* The block's lines: the offset in hexadecimal, then letters, so that a piece too many, too few or
 * out of order shows. */
#define LINE      64
#define LINE_TAIL " The quick brown fox jumps over the lazy dog, and back.\n"
_Static_assert(8 + sizeof(LINE_TAIL) - 1 == LINE, "a line is eight digits and its tail");

/* Made as far as it was ever asked for: pages that nobody asks for cost no memory. */
static char block[BYTES_MAX];
static _Atomic size_t made;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void write_line(char *at, size_t offset) {
    for (int digit = 7; digit >= 0; digit--) {
        at[digit] = "0123456789abcdef"[offset & 15];
        offset >>= 4;
    }
    memcpy(at + 8, LINE_TAIL, sizeof(LINE_TAIL) - 1);
}

static void make(size_t len) {
    pthread_mutex_lock(&making);
    size_t at = atomic_load_explicit(&made, memory_order_relaxed);
    for (; at < len; at += LINE) {
        write_line(block + at, at);
    }
    atomic_store_explicit(&made, at, memory_order_release);
    pthread_mutex_unlock(&making);
}

enum app_when route_bytes(struct app_exchange *exchange) {
    uint64_t n;
    if (!query_uint(exchange, "n", 0, BYTES_MAX, &n)) {
        return APP_NOW;
    }
    if (atomic_load_explicit(&made, memory_order_acquire) < n) {
        make(n);
    }
    return reply_with(exchange, APP_SLICE("application/octet-stream"),
                      (struct app_slice){block, n});
}
