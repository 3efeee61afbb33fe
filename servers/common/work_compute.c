/* GET /concat and /fibonacci: work for the CPU and the allocator. */
#include "common/query.h"
#include "common/text.h"
#include "common/workloads.h"

#include <stdio.h>

enum { CONCAT_LEN = 10000, FIBONACCI_MAX = 35 };

enum app_when route_concat(struct app_exchange *exchange) {
    struct text text = {0};
    for (unsigned i = 0; i < CONCAT_LEN; i++) {
        text_append_char(&text, random_letter(&exchange->worker->random));
    }
    return reply_with_text(exchange, APP_SLICE("text/plain"), &text);
}

/* By the definition. The empty asm makes the compiler forget what
 * it knows of n, so that it can neither fold calls nor remember what it has computed. */
__attribute__((noinline)) static uint64_t fibonacci(uint64_t n) {
    __asm__ volatile("" : "+r"(n));
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

enum app_when route_fibonacci(struct app_exchange *exchange) {
    uint64_t n;
    if (!query_uint(exchange, "n", 0, FIBONACCI_MAX, &n)) {
        return APP_NOW;
    }
    int len =
        snprintf(exchange->worker->scratch, APP_SCRATCH, "%llu", (unsigned long long)fibonacci(n));
    return reply_from_scratch(exchange, APP_SLICE("text/plain"), (size_t)len);
}
