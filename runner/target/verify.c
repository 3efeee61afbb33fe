#include "target/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "target/verify_parts.h"

#define MISSING_PATH "/loopbench-no-such-page"
#define MAX_STEPS    16
#define MAX_ROWS     64

/* Verifying one target. */
struct session {
    const struct verify_target *target;
    int64_t timeout_ns;
    struct verify_replies *replies; /* NULL = not kept */
    struct verify_findings *f;
    struct err *e;
    bool dead; /* it does not answer: asking on would only wait */
};

void verify_replies_release(struct verify_replies *r) {
    for (size_t i = 0; i < r->n; i++) {
        http_reply_release(&r->items[i].reply);
    }
    free(r->items);
    *r = (struct verify_replies){0};
}

/* Keeps a reply for comparing; takes its content over. */
static int session_keep(struct session *s, const char *probe, const struct workload *w,
                        struct http_reply *reply) {
    struct verify_replies *r = s->replies;
    if (!r) {
        http_reply_release(reply);
        return 0;
    }
    if (r->n == r->room) {
        size_t room = r->room ? r->room * 2 : 16;
        struct verify_reply *grown = realloc(r->items, room * sizeof *grown);
        if (!grown) {
            http_reply_release(reply);
            return err_set(s->e, ERR_MACHINE, "out of memory while verifying %s", s->target->name);
        }
        r->items = grown;
        r->room = room;
    }
    struct verify_reply *item = &r->items[r->n++];
    *item = (struct verify_reply){.workload = w, .reply = *reply};
    snprintf(item->probe, sizeof item->probe, "%s", probe);
    *reply = (struct http_reply){0};
    return 0;
}

/* No reply: says so, and gives the target up where more questions would end the same way. */
static int session_no_reply(struct session *s, const char *probe, enum http_result result,
                            const struct http_reply *reply) {
    char got[160];
    snprintf(got, sizeof got, "%s%s%s", http_result_text(result), reply->why[0] ? ": " : "",
             reply->why);
    s->dead = result == HTTP_REFUSED || result == HTTP_ADDRESS || result == HTTP_TIMEOUT ||
              result == HTTP_FAILED;
    return verify_add(s->f, s->e, s->target->name, VERIFY_FAIL, "a reply", got, "%s", probe);
}

static struct http_request request_for(const struct workload *w, const char *method) {
    return (struct http_request){
        .method = method,
        .path = w->path,
        .minor = 1,
        .headers = w->headers,
        .body = w->body,
        .body_len = w->body_len,
    };
}

/* Asks once on a connection of its own, judges and keeps the reply. *body_len gets the length of
 * the reply's body, or -1. */
static int session_ask(struct session *s, const struct http_request *request,
                       const struct verify_probe *probe, int64_t *body_len) {
    struct http_reply reply = {0};
    *body_len = -1;
    if (s->dead) {
        return 0;
    }
    enum http_result result =
        http_exchange(s->target->host, s->target->port, request, &reply, s->timeout_ns);
    int rc = result == HTTP_OK ? verify_check_reply(s->target, probe, &reply, s->f, s->e)
                               : session_no_reply(s, probe->name, result, &reply);
    if (result == HTTP_OK && rc == 0) {
        *body_len = (int64_t)reply.body_len;
        return session_keep(s, probe->name, probe->workload, &reply);
    }
    http_reply_release(&reply);
    return rc;
}

/* A workload with its own method and, where that is GET, with HEAD. */
static int session_workload(struct session *s, const struct workload *w) {
    int64_t len;
    int64_t none;
    struct http_request request = request_for(w, w->method);
    struct verify_probe probe = {
        .workload = w, .status = w->status, .content_type = w->content_type, .length = -1};
    snprintf(probe.name, sizeof probe.name, "%s %s", w->method, w->path);
    int rc = session_ask(s, &request, &probe, &len);
    if (rc != 0 || s->target->kind != VERIFY_OURS || strcmp(w->method, "GET") != 0) {
        return rc;
    }
    request.method = "HEAD";
    probe.to_head = true;
    probe.length = w->varies ? -1 : len;
    snprintf(probe.name, sizeof probe.name, "HEAD %s", w->path);
    return session_ask(s, &request, &probe, &none);
}

/* 404 for what is not there, 405 with Allow for a method that an endpoint does not take. */
static int session_refusals(struct session *s, const struct workload *w) {
    int64_t len;
    int64_t none;
    struct http_request request = {.method = "GET", .path = MISSING_PATH, .minor = 1};
    struct verify_probe probe = {
        .name = "GET of a missing page", .status = 404, .content_type = "text/html", .length = -1};
    if (session_ask(s, &request, &probe, &len) != 0) {
        return -1;
    }
    request.method = "HEAD";
    probe.to_head = true;
    probe.length = len;
    snprintf(probe.name, sizeof probe.name, "HEAD of a missing page");
    if (session_ask(s, &request, &probe, &none) != 0) {
        return -1;
    }
    request = (struct http_request){.method = "DELETE", .path = w->path, .minor = 1};
    probe = (struct verify_probe){.status = 405, .allow = w->method, .length = -1};
    snprintf(probe.name, sizeof probe.name, "DELETE %s", w->path);
    return session_ask(s, &request, &probe, &none);
}

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
};

static void add_step(struct conversation *c, const struct workload *w, const char *method,
                     int minor, const char *headers) {
    struct step *step = &c->steps[c->n++];
    step->request = request_for(w, method);
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
static int session_pipeline(struct session *s, const struct workload *first,
                            const struct workload *const *workloads, size_t n) {
    static const struct workload missing = {.path = MISSING_PATH, .status = 404};
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

static int session_connections(struct session *s, const struct workload *w) {
    struct conversation keep = {.name = "keep-alive"};
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

/* The pages that are no workloads. Figures differ, so the replies are not compared. */
static int session_pages(struct session *s) {
    struct session apart = *s;
    apart.replies = NULL;
    if (session_workload(s, &verify_root_page) != 0) {
        return -1;
    }
    apart.dead = s->dead;
    int rc = session_workload(&apart, &verify_stats_page);
    s->dead = apart.dead;
    return rc;
}

/* What to ask of the target: those given that it serves, and of ours all there are. */
static size_t choose_rows(const struct verify_target *target, const struct workload *const *given,
                          size_t n, const struct workload *rows[MAX_ROWS]) {
    size_t used = 0;
    for (size_t i = 0; i < n && used < MAX_ROWS; i++) {
        if (target->kind != VERIFY_NULL || given[i]->null_serves) {
            rows[used++] = given[i];
        }
    }
    for (size_t i = 0; workload_at(i) && used < MAX_ROWS; i++) {
        const struct workload *w = workload_at(i);
        bool wanted =
            target->kind == VERIFY_OURS || (target->kind == VERIFY_NULL && w->null_serves);
        for (size_t k = 0; k < used; k++) {
            wanted = wanted && rows[k] != w;
        }
        if (wanted) {
            rows[used++] = w;
        }
    }
    return used;
}

int verify_contract(const struct verify_target *target, const struct workload *const *workloads,
                    size_t n, int64_t timeout_ns, struct verify_replies *replies,
                    struct verify_findings *f, struct err *e) {
    struct session s = {
        .target = target, .timeout_ns = timeout_ns, .replies = replies, .f = f, .e = e};
    const struct workload *rows[MAX_ROWS];
    size_t asked = choose_rows(target, workloads, n, rows);
    const struct workload *hello = workload_find("hello");
    const struct workload *first = target->kind == VERIFY_GUEST && n > 0 ? workloads[0] : hello;
    int rc = 0;
    *e = (struct err){0};
    if (replies) {
        replies->target = target;
    }
    for (size_t i = 0; i < asked && rc == 0; i++) {
        rc = session_workload(&s, rows[i]);
    }
    if (rc == 0 && target->kind == VERIFY_OURS) {
        rc = session_pages(&s);
        rc = rc == 0 ? session_refusals(&s, hello) : rc;
    }
    rc = rc == 0 ? session_connections(&s, first) : rc;
    return rc == 0 ? session_pipeline(&s, first, rows, asked) : rc;
}

int verify_all(const struct verify_target *targets, size_t n_targets,
               const struct workload *const *workloads, size_t n_workloads, int64_t timeout_ns,
               struct verify_findings *f, struct err *e) {
    struct verify_replies *replies = calloc(n_targets ? n_targets : 1, sizeof *replies);
    size_t reference = n_targets;
    int rc = replies ? 0 : err_set(e, ERR_MACHINE, "out of memory while verifying");
    for (size_t i = 0; i < n_targets && rc == 0; i++) {
        rc = verify_contract(&targets[i], workloads, n_workloads, timeout_ns, &replies[i], f, e);
        if (reference == n_targets && targets[i].kind == VERIFY_OURS && replies[i].n > 0) {
            reference = i;
        }
    }
    for (size_t i = 0; i < n_targets && rc == 0 && reference < n_targets; i++) {
        if (i != reference) {
            rc = verify_compare(&replies[reference], &replies[i], f, e);
        }
    }
    for (size_t i = 0; replies && i < n_targets; i++) {
        verify_replies_release(&replies[i]);
    }
    free(replies);
    return rc;
}
