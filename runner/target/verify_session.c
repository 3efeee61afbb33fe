#include "target/verify_session.h"

#include <stdlib.h>
#include <string.h>

/* Keeps a reply for comparing; takes its content over. */
int session_keep(struct session *s, const char *probe, const struct workload *w,
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

struct http_request session_request(const struct workload *w, const char *method) {
    return (struct http_request){
        .method = method,
        .path = w->path,
        .minor = 1,
        .headers = w->headers,
        .body = w->body,
        .body_len = w->body_len,
    };
}

/* How long one exchange may take: a workload may wait on purpose. */
int64_t session_patience(const struct session *s, const struct workload *w) {
    return s->timeout_ns + (w ? w->least_ms * 1000000 : 0);
}

/* The statuses of a server that knows no such page, or not that method. */
static bool session_is_absent(const struct session *s, const struct verify_probe *probe,
                              const struct http_reply *reply) {
    return s->target->tentative && probe->workload &&
           (reply->status == 404 || reply->status == 405 || reply->status == 501);
}

static int session_absent(struct session *s, const struct verify_probe *probe, int status) {
    char got[64];
    snprintf(got, sizeof got, "status %d: it does not serve this", status);
    s->absent = true;
    return verify_add(s->f, s->e, s->target->name, VERIFY_NOTE, probe->workload->summary, got, "%s",
                      probe->name);
}

/* Asks once on a connection of its own, judges and keeps the reply. *body_len gets the length of
 * the reply's body, or -1. */
int session_ask(struct session *s, const struct http_request *request,
                const struct verify_probe *probe, int64_t *body_len) {
    struct http_reply reply = {0};
    *body_len = -1;
    s->absent = false;
    if (s->dead) {
        return 0;
    }
    enum http_result result = http_exchange(s->target->host, s->target->port, request, &reply,
                                            session_patience(s, probe->workload));
    if (result == HTTP_OK && session_is_absent(s, probe, &reply)) {
        int status = reply.status;
        http_reply_release(&reply);
        return session_absent(s, probe, status);
    }
    int rc = result == HTTP_OK ? verify_check_reply(s->target, probe, &reply, s->f, s->e)
                               : session_no_reply(s, probe->name, result, &reply);
    if (result == HTTP_OK && rc == 0) {
        *body_len = (int64_t)reply.body_len;
        return session_keep(s, probe->name, probe->workload, &reply);
    }
    http_reply_release(&reply);
    return rc;
}
