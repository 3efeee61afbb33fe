#include "common/posts.h"

#include "common/posts_parse.h"
#include "common/store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BODY_FIRST ((size_t)512) /* taken at once for a body */

/* A request, from its body's first byte (or its end, without a body) until both the exchange is
 * finished and the store is done with it. */
struct posts_request {
    struct store_post post;        /* first */
    struct app_exchange *exchange; /* NULL: the client is gone */
    bool in_store;
    char *body;
    size_t len, size; /* len may be more than was kept: over POSTS_BODY_MAX */
    struct posts_document document;
    char random[STORE_AUTHOR + STORE_CONTENT];
    char reason[256];
};

/* Stands for a request there was no memory for. */
static struct posts_request no_memory;

static void free_request(struct posts_request *request) {
    if (request != &no_memory) {
        posts_document_release(&request->document);
        posts_text_release(&request->post.newest);
        free(request->body);
        free(request);
    }
}

static struct posts_request *get_request(struct app_exchange *exchange) {
    if (exchange->state == NULL) {
        exchange->state = calloc(1, sizeof(struct posts_request));
    }
    if (exchange->state == NULL) {
        exchange->state = &no_memory;
    }
    return exchange->state;
}

void posts_body(struct app_exchange *exchange, const char *data, size_t len) {
    if (exchange->method != APP_POST || len == 0) {
        return;
    }
    struct posts_request *request = get_request(exchange);
    if (request == &no_memory) {
        return;
    }
    if (len > POSTS_BODY_MAX || request->len + len > POSTS_BODY_MAX) {
        request->len = POSTS_BODY_MAX + 1;
        return;
    }
    if (request->len + len > request->size) {
        size_t size = request->size * 2 > BODY_FIRST ? request->size * 2 : BODY_FIRST;
        size = size > request->len + len ? size : request->len + len;
        char *grown = realloc(request->body, size);
        if (grown == NULL) {
            free_request(request);
            exchange->state = &no_memory;
            return;
        }
        request->body = grown;
        request->size = size;
    }
    memcpy(request->body + request->len, data, len);
    request->len += len;
}

/* --- replies ---------------------------------------------------------------------------------- */

static void reply_line(struct app_exchange *exchange, unsigned status, struct app_slice reason,
                       struct app_slice line) {
    exchange->reply = (struct app_reply){
        .status = status,
        .reason = reason,
        .content_type = APP_SLICE("text/plain"),
        .body = line,
    };
}

static void reply_unavailable(struct app_exchange *exchange, struct app_slice line) {
    reply_line(exchange, 503, APP_SLICE("Service Unavailable"), line);
}

static void reply_result(struct app_exchange *exchange, const struct store_post *post) {
    switch (post->result) {
    case STORE_DONE:
        exchange->reply = (struct app_reply){
            .status = 200,
            .reason = APP_SLICE("OK"),
            .content_type = APP_SLICE("application/json"),
            .body = {post->newest.base, post->newest.len},
        };
        break;
    case STORE_FAILED:
        reply_unavailable(exchange, APP_SLICE("the database failed: nothing was stored"));
        break;
    case STORE_LOST:
        reply_unavailable(exchange, APP_SLICE("the connection to the database was lost: the "
                                              "document may or may not be stored"));
        break;
    }
}

static void on_done(struct store_post *post) {
    struct posts_request *request = (struct posts_request *)post;
    struct app_exchange *exchange = request->exchange;
    request->in_store = false;
    if (exchange == NULL) {
        free_request(request);
        return;
    }
    reply_result(exchange, post);
    exchange->ready(exchange); /* may finish the exchange, and with it the request */
}

/* --- the request ------------------------------------------------------------------------------ */

/* Fills in the document. Returns 0, or -1 with the reply set. */
static int take_document(struct app_exchange *exchange, struct posts_request *request) {
    struct store_post *post = &request->post;
    if (request->len == 0) {
        random_text(&exchange->worker->random, request->random, sizeof request->random);
        post->author = (struct app_slice){request->random, STORE_AUTHOR};
        post->content = (struct app_slice){request->random + STORE_AUTHOR, STORE_CONTENT};
        return 0;
    }
    if (posts_parse(&request->document, request->body, request->len, request->reason,
                    sizeof request->reason) != 0) {
        reply_line(exchange, 400, APP_SLICE("Bad Request"),
                   (struct app_slice){request->reason, strlen(request->reason)});
        return -1;
    }
    post->author = (struct app_slice){request->document.author, request->document.author_len};
    post->content = (struct app_slice){request->document.content, request->document.content_len};
    return 0;
}

/* Returns 0, or -1: the store takes no request now. */
static int submit(struct app_worker *worker, struct store_post *post) {
    if (worker->store_worker == NULL && worker->store != NULL) {
        worker->store_worker = store_worker_open(worker->store, worker->loop);
    }
    return worker->store_worker != NULL ? store_submit(worker->store_worker, post) : -1;
}

enum app_when posts_handle(struct app_exchange *exchange) {
    struct posts_request *request = get_request(exchange);
    struct timespec now;
    if (request == &no_memory) {
        reply_unavailable(exchange, APP_SLICE("out of memory"));
        return APP_NOW;
    }
    if (take_document(exchange, request) != 0) {
        return APP_NOW;
    }
    (void)clock_gettime(CLOCK_REALTIME, &now);
    request->post.date_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    request->post.done = on_done;
    request->exchange = exchange;
    if (submit(exchange->worker, &request->post) != 0) {
        reply_unavailable(exchange, APP_SLICE("the database takes no request now: try later"));
        return APP_NOW;
    }
    request->in_store = true;
    return APP_LATER;
}

void posts_finish(struct app_exchange *exchange) {
    struct posts_request *request = exchange->state;
    if (request == NULL) {
        return;
    }
    if (request->in_store) {
        request->exchange = NULL;
    } else {
        free_request(request);
    }
}

void posts_stop(struct app_worker *worker) {
    store_worker_close(worker->store_worker);
    worker->store_worker = NULL;
}
