/* Conversations on one connection: keep-alive, closing, pipelining. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "target/verify_session.h"

#define MAX_STEPS 40

/* One request of a conversation on one connection, and the reply it must bring. */
struct step {
    struct http_request request;
    const struct workload *workload; /* NULL = its body is not judged */
    int status;
    bool to_head;
};

struct conversation {
    const char *name;
    struct step steps[MAX_STEPS];
    size_t n;
    bool pipelined; /* all requests leave before the first reply is read */
    bool closes;    /* the server ends the connection after the last reply */
    bool keeps;     /* what is asked is whether the server keeps connections at all */
};

static void add_step(struct conversation *c, const struct workload *w, const char *method,
                     int minor, const char *headers) {
    struct step *step = &c->steps[c->n++];
    step->request = session_request(w, method);
    step->request.minor = minor;
    if (headers) {
        step->request.headers = headers;
    }
    step->workload = w;
    step->status = w->status;
    step->to_head = strcmp(method, "HEAD") == 0;
}

/* Sends steps from..to-1 in one write. */
static enum http_result send_steps(struct session *s, struct http_conn *conn,
                                   const struct conversation *c, size_t from, size_t to,
                                   int64_t deadline) {
    size_t room = 1;
    size_t used = 0;
    for (size_t i = from; i < to; i++) {
        const struct http_request *r = &c->steps[i].request;
        room += 1024 + r->body_len + strlen(r->path) + (r->headers ? strlen(r->headers) : 0);
    }
    char *bytes = malloc(room);
    if (!bytes) {
        return HTTP_FAILED;
    }
    for (size_t i = from; i < to; i++) {
        used += http_format_request(&c->steps[i].request, s->target->host, s->target->port,
                                    bytes + used, room - used);
    }
    enum http_result result = http_send(conn, bytes, used, deadline);
    free(bytes);
    return result;
}

/* What is wrong with the reply to step i, as expected/got; false = nothing. */
static bool step_wrong(const struct session *s, const struct conversation *c, size_t i,
                       const struct http_reply *reply, char *expected, char *got, size_t size) {
    const struct step *step = &c->steps[i];
    char why[128];
    bool last = i + 1 == c->n;
    if (reply->status != step->status) {
        snprintf(expected, size, "reply %zu of %zu with status %d", i + 1, c->n, step->status);
        snprintf(got, size, "status %d", reply->status);
        return true;
    }
    if (step->workload && !step->to_head &&
        !workload_check_body(step->workload, s->target->kind != VERIFY_GUEST, reply->body,
                             reply->body_len, why, sizeof why)) {
        snprintf(expected, size, "reply %zu of %zu: %s", i + 1, c->n, step->workload->summary);
        snprintf(got, size, "a body that %s", why);
        return true;
    }
    if (reply->keep_alive == (c->closes && last)) {
        snprintf(expected, size, "reply %zu of %zu %s the connection", i + 1, c->n,
                 reply->keep_alive ? "closes" : "keeps");
        snprintf(got, size, "one that %s it", reply->keep_alive ? "keeps" : "closes");
        return true;
    }
    return false;
}

/* Holds the conversation. Returns HTTP_OK with expected = "" when all was right; the last reply
 * stays in *reply. */
static enum http_result converse(struct session *s, const struct conversation *c,
                                 struct http_reply *reply, char *expected, char *got, size_t size) {
    struct http_conn conn;
    int64_t deadline = clock_mono_ns() + s->timeout_ns;
    for (size_t i = 0; i < c->n; i++) {
        deadline += c->steps[i].workload->least_ms * 1000000;
    }
    enum http_result result = http_connect(&conn, s->target->host, s->target->port, deadline);
    if (result != HTTP_OK) {
        return result;
    }
    if (c->pipelined) {
        result = send_steps(s, &conn, c, 0, c->n, deadline);
    }
    for (size_t i = 0; i < c->n && result == HTTP_OK && !expected[0]; i++) {
        if (!c->pipelined) {
            result = send_steps(s, &conn, c, i, i + 1, deadline);
        }
        if (result == HTTP_OK) {
            result = http_receive(&conn, c->steps[i].to_head, reply, deadline);
        }
        if (result == HTTP_OK) {
            step_wrong(s, c, i, reply, expected, got, size);
        } else {
            snprintf(expected, size, "reply %zu of %zu", i + 1, c->n);
        }
    }
    if (c->closes && result == HTTP_OK && !expected[0] &&
        http_receive_close(&conn, deadline) != HTTP_OK) {
        snprintf(expected, size, "the connection closed after the reply");
        snprintf(got, size, "it stayed open, or more bytes came");
    }
    http_close(&conn);
    return result;
}

static int session_converse(struct session *s, const struct conversation *c) {
    struct http_reply reply = {0};
    char expected[200] = "";
    char got[200] = "";
    if (s->dead) {
        return 0;
    }
    enum http_result result = converse(s, c, &reply, expected, got, sizeof expected);
    if (result != HTTP_OK) {
        snprintf(got, sizeof got, "%s%s%s", http_result_text(result), reply.why[0] ? ": " : "",
                 reply.why);
    }
    bool good = result == HTTP_OK && !expected[0];
    if (c->keeps && result == HTTP_CLOSED) {
        verify_wires_drop(s->f, s->target->name);
    }
    enum verify_level bad = s->target->kind == VERIFY_GUEST ? VERIFY_NOTE : VERIFY_FAIL;
    int rc = verify_add(s->f, s->e, s->target->name, good ? VERIFY_PASS : bad,
                        good || expected[0] ? expected : "a reply", got, "%s", c->name);
    if (good && rc == 0 && s->target->kind != VERIFY_GUEST) {
        return session_keep(s, c->name, c->steps[c->n - 1].workload, &reply);
    }
    http_reply_release(&reply);
    return rc;
}

/* A batch that mixes all workloads, HEAD and a missing page, so that a reply out of order shows. */
int session_pipeline(struct session *s, const struct workload *first,
                     const struct workload *const *workloads, size_t n) {
    static const struct workload missing = {.path = VERIFY_MISSING_PATH, .status = 404};
    struct conversation c = {.name = "pipelining in order", .pipelined = true};
    bool ours = s->target->kind == VERIFY_OURS;
    add_step(&c, first, first->method, 1, NULL);
    for (size_t i = 0; i < n && c.n + 4 < MAX_STEPS; i++) {
        add_step(&c, workloads[i], workloads[i]->method, 1, NULL);
        if (ours && strcmp(workloads[i]->method, "GET") == 0) {
            add_step(&c, workloads[i], "HEAD", 1, NULL);
        }
    }
    if (ours) {
        add_step(&c, &missing, "GET", 1, NULL);
    }
    while (c.n < MAX_STEPS) {
        add_step(&c, first, first->method, 1, NULL);
    }
    return session_converse(s, &c);
}

/* A note where the status is another one than most servers give. */
static int session_manner(struct session *s, const char *method, const char *path, int status,
                          const char *check) {
    struct http_request request = {.method = method, .path = path, .minor = 1};
    struct http_reply reply = {0};
    char expected[32];
    char got[96];
    if (s->dead) {
        return 0;
    }
    enum http_result result = http_exchange(s->target->host, s->target->port, &request, &reply,
                                            session_patience(s, NULL));
    bool good = result == HTTP_OK && reply.status == status;
    snprintf(expected, sizeof expected, "status %d", status);
    if (result == HTTP_OK) {
        snprintf(got, sizeof got, "status %d", reply.status);
    } else {
        snprintf(got, sizeof got, "%s", http_result_text(result));
    }
    http_reply_release(&reply);
    return verify_add(s->f, s->e, s->target->name, good ? VERIFY_PASS : VERIFY_NOTE, expected, got,
                      "%s", check);
}

int session_manners(struct session *s, const struct workload *first) {
    bool get = strcmp(first->method, "GET") == 0;
    if (get && session_manner(s, "HEAD", first->path, first->status, "HEAD") != 0) {
        return -1;
    }
    return session_manner(s, "GET", VERIFY_MISSING_PATH, 404, "GET of a missing page");
}

int session_connections(struct session *s, const struct workload *w) {
    struct conversation keep = {.name = "keep-alive", .keeps = true};
    add_step(&keep, w, w->method, 1, NULL);
    add_step(&keep, w, w->method, 1, NULL);
    if (session_converse(s, &keep) != 0) {
        return -1;
    }
    if (s->target->kind != VERIFY_OURS) {
        return 0;
    }
    struct conversation close = {.name = "Connection: close", .closes = true};
    add_step(&close, w, w->method, 1, "Connection: close\r\n");
    struct conversation old = {.name = "HTTP/1.0", .closes = true};
    add_step(&old, w, w->method, 0, NULL);
    struct conversation old_keep = {.name = "HTTP/1.0 keep-alive"};
    add_step(&old_keep, w, w->method, 0, "Connection: keep-alive\r\n");
    add_step(&old_keep, w, w->method, 0, "Connection: keep-alive\r\n");
    if (session_converse(s, &close) != 0 || session_converse(s, &old) != 0) {
        return -1;
    }
    return session_converse(s, &old_keep);
}
