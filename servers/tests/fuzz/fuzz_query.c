/* Fuzzes what is taken from a request target: its parts and the parameters. */
#include "common/options.h"
#include "common/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct app_worker *make_worker(void) {
    static struct options options;
    struct app_worker *worker = aligned_alloc(64, (sizeof *worker + 63) / 64 * 64);
    CHECK(worker != NULL);
    app_worker_init(worker, &options, NULL);
    return worker;
}

/* Within the target, or the constant path "/". */
static void check_slice(struct app_slice slice, const char *target, size_t size) {
    bool inside = slice.base >= target && slice.base + slice.len <= target + size;
    CHECK(slice.len == 0 || inside || (slice.len == 1 && *slice.base == '/'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct app_worker *worker;
    worker = worker != NULL ? worker : make_worker();
    char *target =
        malloc(size != 0 ? size : 1); /* of exactly that size, so that reading past it shows */
    CHECK(target != NULL);
    if (size != 0) {
        memcpy(target, data, size);
    }
    struct app_exchange exchange = {
        .worker = worker, .method = APP_GET, .minor = 1, .num_hosts = 1};
    app_split_target(target, size, &exchange.path, &exchange.query);
    check_slice(exchange.path, target, size);
    check_slice(exchange.query, target, size);
    uint64_t value = 0;
    if (query_uint(&exchange, "n", 5, 4000, &value)) {
        CHECK(value >= 5 && value <= 4000);
    } else {
        CHECK(exchange.reply.status == 400);
        CHECK(exchange.reply.body.len != 0 && exchange.reply.body.len <= APP_SCRATCH);
        CHECK(memchr(exchange.reply.body.base, '\n', exchange.reply.body.len) == NULL);
    }
    free(target);
    return 0;
}
