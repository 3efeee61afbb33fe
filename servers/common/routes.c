#include "common/routes.h"

#include "common/json.h"
#include "common/text.h"
#include "common/workloads.h"

#include <stdlib.h>
#include "common/posts.h"

enum app_when reply_with(struct app_exchange *exchange, struct app_slice content_type,
                         struct app_slice body) {
    exchange->reply = (struct app_reply){
        .status = 200,
        .reason = APP_SLICE("OK"),
        .content_type = content_type,
        .body = body,
    };
    return APP_NOW;
}

enum app_when reply_from_scratch(struct app_exchange *exchange, struct app_slice content_type,
                                 size_t len) {
    reply_with(exchange, content_type, (struct app_slice){exchange->worker->scratch, len});
    exchange->reply.in_scratch = true;
    return APP_NOW;
}

void free_state(struct app_exchange *exchange) {
    free(exchange->state);
}

enum app_when reply_with_text(struct app_exchange *exchange, struct app_slice content_type,
                              struct text *text) {
    exchange->state = text->base;
    if (text->failed) {
        app_refuse(exchange, 503);
        return APP_NOW;
    }
    return reply_with(exchange, content_type, (struct app_slice){text->base, text->len});
}

enum app_when reply_bad_request(struct app_exchange *exchange, size_t len) {
    reply_from_scratch(exchange, APP_SLICE("text/plain"), len);
    exchange->reply.status = 400;
    exchange->reply.reason = APP_SLICE("Bad Request");
    return APP_NOW;
}

static enum app_when route_hello(struct app_exchange *exchange) {
    return reply_with(exchange, APP_SLICE("text/plain"), APP_SLICE("Hello world!"));
}

/* Serialised anew for each request, as a real service would. */
static enum app_when route_json(struct app_exchange *exchange) {
    struct json json;
    json_init(&json, exchange->worker->scratch, APP_SCRATCH);
    json_open(&json, NULL);
    json_uint(&json, "test", 1);
    json_str(&json, "data", "hello world");
    json_close(&json);
    return reply_from_scratch(exchange, APP_SLICE("application/json"), json_finish(&json));
}

static enum app_when route_html(struct app_exchange *exchange) {
    static const char page[] = "<!DOCTYPE html>\n"
                               "<html lang=\"en\">\n"
                               "<head><meta charset=\"utf-8\"><title>loopbench – čeština, "
                               "ελληνικά, 日本語</title></head>\n"
                               "<body>\n"
                               "<h1>Hello, wörld!</h1>\n"
                               "<p>Příliš žluťoučký kůň · Ξεσκεπάζω την ψυχοφθόρα βδελυγμία · "
                               "いろはにほへと · €½ 🙂</p>\n"
                               "</body>\n"
                               "</html>\n";
    return reply_with(exchange, APP_SLICE("text/html; charset=utf-8"), APP_SLICE(page));
}

#define ON(method) (1U << (method))
#define GET_HEAD                                                                                   \
    ON(APP_GET), {                                                                                 \
        "GET, HEAD", 9                                                                             \
    }
#define POST                                                                                       \
    ON(APP_POST), {                                                                                \
        "POST", 4                                                                                  \
    }

static const struct app_route routes[] = {
    {{"/hello", 6}, GET_HEAD, route_hello, NULL, NULL},
    {{"/", 1}, GET_HEAD, route_hello, NULL, NULL},
    {{"/json", 5}, GET_HEAD, route_json, NULL, NULL},
    {{"/html", 5}, GET_HEAD, route_html, NULL, NULL},
    {{"/posts", 6}, ON(APP_POST), {"POST", 4}, posts_handle, posts_body, posts_finish},
    {{"/stats", 6}, GET_HEAD, route_stats, NULL, NULL},
    {{"/concat", 7}, GET_HEAD, route_concat, NULL, free_state},
    {{"/fibonacci", 10}, GET_HEAD, route_fibonacci, NULL, NULL},
    {{"/render", 7}, GET_HEAD, route_render, NULL, free_state},
    {{"/wait", 5}, GET_HEAD, route_wait, NULL, finish_wait},
    {{"/bytes", 6}, GET_HEAD, route_bytes, NULL, NULL},
    {{"/upload", 7}, POST, route_upload, upload_body, NULL},
};

const struct app_route *routes_all(size_t *count) {
    *count = sizeof routes / sizeof routes[0];
    return routes;
}

int routes_prepare(void) {
    return render_prepare();
}

int routes_start(struct app_worker *worker) {
    (void)worker;
    return 0;
}

void routes_stop(struct app_worker *worker) {
    posts_stop(worker);
}
