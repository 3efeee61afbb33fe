/* Does a workload do its work, or is one right answer kept in stock? What a single reply cannot
 * show: that the time was waited, the document stored, the number computed. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "target/verify_session.h"

#define MS_NS   INT64_C(1000000)
#define EARLY   (1 * MS_NS)   /* timers count whole milliseconds, and may round down */
#define LATE    (250 * MS_NS) /* of the quickest of TRIES: a busy machine is not a slow timer */
#define TRIES   3
#define ANOTHER 20 /* for a parameter */

/* One more reply to a workload; false and a finding where none came. The check's name ends in
 * `what`. */
static bool work_ask(struct session *s, const struct workload *w, const char *what,
                     struct http_reply *reply, int *rc) {
    const struct http_request request = session_request(w, w->method);
    enum http_result result =
        http_exchange(s->target->host, s->target->port, &request, reply, session_patience(s, w));
    if (result == HTTP_OK) {
        return true;
    }
    *rc = verify_add(s->f, s->e, s->target->name, VERIFY_FAIL, "a reply", http_result_text(result),
                     "%s %s: %s", w->method, w->path, what);
    return false;
}

static int work_waits(struct session *s, const struct workload *w) {
    const int64_t least = w->least_ms * MS_NS;
    int64_t quickest = INT64_MAX;
    int rc = 0;
    for (int i = 0; i < TRIES && quickest > least + LATE; i++) {
        struct http_reply reply = {0};
        bool came = work_ask(s, w, "waits", &reply, &rc);
        quickest = reply.took_ns < quickest ? reply.took_ns : quickest;
        http_reply_release(&reply);
        if (!came) {
            return rc;
        }
    }
    char expected[96];
    char got[96];
    bool good = quickest >= least - EARLY && quickest <= least + LATE;
    snprintf(expected, sizeof expected, "a reply after %" PRId64 " ms", w->least_ms);
    snprintf(got, sizeof got, "one after %.1f ms", (double)quickest / (double)MS_NS);
    return verify_add(s->f, s->e, s->target->name, good ? VERIFY_PASS : VERIFY_FAIL, expected, got,
                      "%s %s: waits", w->method, w->path);
}

/* Whether the newest document of `first` stands in `second` below a newer one. */
static bool work_is_stored(const struct http_reply *first, const struct http_reply *second) {
    json_t *before = json_loadb(first->body, first->body_len, 0, NULL);
    json_t *after = json_loadb(second->body, second->body_len, 0, NULL);
    const json_t *newest = json_array_get(before, 0);
    bool found = false;
    for (size_t i = 1; newest && i < json_array_size(after); i++) {
        found = found || json_equal(json_array_get(after, i), newest);
    }
    found = found && json_integer_value(json_object_get(json_array_get(after, 0), "id")) >
                         json_integer_value(json_object_get(newest, "id"));
    json_decref(before);
    json_decref(after);
    return found;
}

static bool work_differs(const struct http_reply *first, const struct http_reply *second) {
    return first->body_len != second->body_len ||
           memcmp(first->body, second->body, first->body_len) != 0;
}

/* Two replies, one after the other: documents that stay, or letters that do not. */
static int work_twice(struct session *s, const struct workload *w) {
    const bool stores = strcmp(w->base, "posts") == 0;
    const char *what = stores ? "stores" : "random";
    struct http_reply reply[2] = {{0}, {0}};
    int rc = 0;
    if (work_ask(s, w, what, &reply[0], &rc) && work_ask(s, w, what, &reply[1], &rc)) {
        bool good =
            stores ? work_is_stored(&reply[0], &reply[1]) : work_differs(&reply[0], &reply[1]);
        rc =
            verify_add(s->f, s->e, s->target->name, good ? VERIFY_PASS : VERIFY_FAIL,
                       stores ? "the document just stored, below one with a greater id"
                              : "two replies that differ",
                       stores ? "a list without it, or ids that do not rise" : "the same one twice",
                       "%s %s: %s", w->method, w->path, what);
    }
    http_reply_release(&reply[0]);
    http_reply_release(&reply[1]);
    return rc;
}

/* The right answer to something else than what was asked first. */
static int work_other(struct session *s, const struct workload *w, const char *what) {
    struct http_reply reply = {0};
    char why[128];
    int rc = 0;
    if (work_ask(s, w, what, &reply, &rc)) {
        bool good = reply.status == w->status &&
                    workload_check_body(w, s->target->kind != VERIFY_GUEST, reply.body,
                                        reply.body_len, why, sizeof why);
        char got[64];
        verify_printable(reply.body, reply.body_len, got, sizeof got);
        rc = verify_add(s->f, s->e, s->target->name, good ? VERIFY_PASS : VERIFY_FAIL, w->summary,
                        got, "%s %s: %s", w->method, w->path, what);
    }
    http_reply_release(&reply);
    return rc;
}

/* The same with another number; nothing where the path has it in no query. */
static int work_number(struct session *s, const struct workload *w) {
    char path[160];
    char query[32];
    struct workload other = *w;
    other.value = w->value == ANOTHER ? ANOTHER + 1 : ANOTHER;
    snprintf(query, sizeof query, "%s=%" PRId64, w->param.key, w->value);
    const size_t len = strlen(query);
    const char *at = strstr(w->path, query);
    if (!at || (at[len] && at[len] != '&')) {
        return 0;
    }
    snprintf(path, sizeof path, "%.*s%s=%" PRId64 "%s", (int)(at - w->path), w->path, w->param.key,
             other.value, at + len);
    other.path = path;
    return work_other(s, &other, "another number");
}

int session_work(struct session *s, const struct workload *w) {
    if (w->least_ms > 0) {
        return work_waits(s, w);
    }
    if (w->varies && w->base) {
        return work_twice(s, w);
    }
    if (w->param.key && w->check) {
        return work_number(s, w);
    }
    if (w->body_len > 0) {
        struct workload other = *w;
        other.body = "another body";
        other.body_len = strlen(other.body);
        return work_other(s, &other, "another body");
    }
    return 0;
}
