#include "h2o/reply.h"

#include "h2o/conn.h"
#include "h2o/head.h"

#include <string.h>

/* A request, kept in h2o's pool of that request. */
struct request {
    struct app_exchange exchange;
    h2o_req_t *req;
};

static bool is_kept(const h2o_req_t *req, const struct app_exchange *exchange) {
    unsigned tokens = 0;
    ssize_t at = -1;
    if (exchange->reply.close || server_draining()) {
        return false;
    }
    if (req->headers.size == 0) {
        return exchange->minor != 0;
    }
    /* h2o's own rule closes at any Connection header without keep-alive. */
    while ((at = h2o_find_header(&req->headers, H2O_TOKEN_CONNECTION, at)) != -1) {
        const h2o_iovec_t *value = &req->headers.entries[at].value;
        tokens |= app_connection_tokens(value->base, value->len);
    }
    return app_keep_alive(exchange->minor, tokens);
}

/* Whether the client sent more than this request: closing must not reset the connection then. */
static bool is_more_sent(const h2o_req_t *req, const h2o_socket_t *sock) {
    return head_length(sock->input->bytes, sock->input->size) + req->entity.len < sock->input->size;
}

static void choose_ending(h2o_req_t *req, const struct app_exchange *exchange) {
    struct conn *conn = conn_of(req);
    req->http1_is_persistent = is_kept(req, exchange);
    if (req->http1_is_persistent) {
        conn_will_end(conn, CONN_KEEP);
    } else if (exchange->reply.status >= 400 || is_more_sent(req, conn->sock)) {
        conn_will_end(conn, CONN_LINGER);
    } else {
        conn_will_end(conn, CONN_CLOSE);
    }
}

/* Status line and headers. */
static void fill_head(h2o_req_t *req, const struct app_reply *reply) {
    req->res.status = (int)reply->status;
    req->res.reason = reply->status == 200
                          ? "OK"
                          : h2o_strdup(&req->pool, reply->reason.base, reply->reason.len).base;
    req->res.content_length = reply->body.len;
    /* h2o would print its configured name with sprintf in every reply: 500 instructions more. */
    h2o_add_header(&req->pool, &req->res.headers, H2O_TOKEN_SERVER, "Server",
                   H2O_STRLIT(APP_SERVER_NAME));
    h2o_add_header(&req->pool, &req->res.headers, H2O_TOKEN_CONTENT_TYPE, NULL,
                   reply->content_type.base, reply->content_type.len);
    if (reply->allow.len != 0) {
        h2o_add_header(&req->pool, &req->res.headers, H2O_TOKEN_ALLOW, NULL, reply->allow.base,
                       reply->allow.len);
    }
}

static void send_reply(struct request *request) {
    static h2o_generator_t generator = {NULL, NULL};
    const struct app_exchange *exchange = &request->exchange;
    const struct app_reply *reply = &exchange->reply;
    h2o_req_t *req = request->req;
    h2o_iovec_t body = h2o_iovec_init(reply->body.base, reply->body.len);
    if (reply->in_scratch) {
        body.base = h2o_mem_alloc_pool(&req->pool, body.len);
        memcpy(body.base, reply->body.base, body.len);
    }
    choose_ending(req, exchange);
    fill_head(req, reply);
    app_replied(&request->exchange);
    h2o_start_response(req, &generator);
    h2o_send(req, &body, exchange->method == APP_HEAD ? 0 : 1, H2O_SEND_STATE_FINAL);
}

static void on_ready(struct app_exchange *exchange) {
    struct request *request = H2O_STRUCT_FROM_MEMBER(struct request, exchange, exchange);
    struct conn *conn = conn_of(request->req);
    conn_wait_end(conn);
    send_reply(request);
    conn_after(conn);
}

/* Runs when h2o clears the request's pool: the reply was sent or the connection is gone. */
static void on_dispose(void *data) {
    struct request **request = data;
    app_finish(&(*request)->exchange);
}

static void finish_with_pool(struct request *request) {
    struct request **slot =
        h2o_mem_alloc_shared(&request->req->pool, sizeof(struct request *), on_dispose);
    *slot = request;
}

/* What h2o let pass although the limits forbid it. */
static unsigned judge(const h2o_req_t *req, const struct worker *worker, const h2o_socket_t *sock) {
    bool complete = false;
    if (req->entity.base == NULL && sock->input->size <= APP_MAX_TARGET) {
        return 0;
    }
    unsigned status =
        head_judge(sock->input->bytes, sock->input->size, worker->options->max_body, &complete);
    return status == 0 && req->entity.len > worker->options->max_body ? 413 : status;
}

static int on_request(h2o_handler_t *self, h2o_req_t *req) {
    (void)self;
    struct conn *conn = conn_of(req);
    struct worker *worker = conn->transport->worker;
    struct request *request = h2o_mem_alloc_pool(&req->pool, sizeof(*request));
    struct app_exchange *exchange = &request->exchange;
    request->req = req;
    *exchange = (struct app_exchange){
        .worker = &worker->app,
        .method = app_parse_method(req->input.method.base, req->input.method.len),
        .minor = (uint8_t)(req->version & 0xff),
        /* h2o puts the name of the host configuration where the client sent none. */
        .num_hosts = req->input.authority.base != req->hostconf->authority.hostport.base,
        .ready = on_ready,
    };
    app_split_target(req->input.path.base, req->input.path.len, &exchange->path, &exchange->query);
    unsigned status = judge(req, worker, conn->sock);
    if (status != 0) {
        app_refuse(exchange, status);
        send_reply(request);
        app_finish(exchange);
        return 0;
    }
    app_begin(exchange);
    if (req->entity.len != 0) {
        app_body(exchange, req->entity.base, req->entity.len);
    }
    if (exchange->method == APP_OTHER) {
        exchange->method_name = app_method_name(req->input.method.base, req->input.method.len);
    }
    if (app_end(exchange) == APP_LATER) {
        finish_with_pool(request);
        conn_wait_begin(conn);
        return 0;
    }
    if (exchange->state != NULL) {
        finish_with_pool(request);
        send_reply(request);
    } else {
        send_reply(request);
        app_finish(exchange);
    }
    return 0;
}

/* --- error replies of h2o itself: bad framing or too large a body, found before a handler runs ---
 */

static void send_refusal(h2o_ostream_t *self, h2o_req_t *req, h2o_iovec_t *bufs, size_t count,
                         h2o_send_state_t state) {
    h2o_iovec_t body = h2o_iovec_init(req->res.reason, strlen(req->res.reason));
    (void)bufs;
    h2o_ostream_send_next(self, req, &body, count == 0 ? 0 : 1, state);
}

static void on_h2o_error(h2o_filter_t *self, h2o_req_t *req, h2o_ostream_t **slot) {
    (void)self;
    struct conn *conn = conn_of(req);
    struct app_exchange exchange = {.worker = &conn->transport->worker->app};
    app_refuse(&exchange, (unsigned)req->res.status);
    conn_will_end(conn, CONN_LINGER);
    req->res.headers = (h2o_headers_t){.size = 0};
    fill_head(req, &exchange.reply);
    exchange.method = app_parse_method(req->input.method.base, req->input.method.len);
    exchange.method_name = app_method_name(req->input.method.base, req->input.method.len);
    app_split_target(req->input.path.base, req->input.path.len, &exchange.path, &exchange.query);
    app_replied(&exchange);
    app_finish(&exchange);
    h2o_ostream_t *ostream = h2o_add_ostream(req, sizeof(*ostream), slot);
    ostream->do_send = send_refusal;
    h2o_setup_next_ostream(req, &ostream->next);
}

void reply_register(h2o_hostconf_t *host) {
    h2o_pathconf_t *everything = h2o_config_register_path(host, "/", 0);
    h2o_create_handler(everything, sizeof(h2o_handler_t))->on_req = on_request;
    /* h2o's errors are sent by the host's fallback path, which no request is handled by. */
    h2o_create_filter(&host->fallback_path, sizeof(h2o_filter_t))->on_setup_ostream = on_h2o_error;
}
