#include "target/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "target/verify_parts.h"
#include "target/verify_session.h"

#define MAX_ROWS 64

void verify_replies_release(struct verify_replies *r) {
    for (size_t i = 0; i < r->n; i++) {
        http_reply_release(&r->items[i].reply);
    }
    free(r->items);
    *r = (struct verify_replies){0};
}

/* A workload with its own method and, where that is GET, with HEAD. */
static int session_workload(struct session *s, const struct workload *w) {
    int64_t len;
    int64_t none;
    struct http_request request = session_request(w, w->method);
    struct verify_probe probe = {
        .workload = w, .status = w->status, .content_type = w->content_type, .length = -1};
    /* Named by the workload's own path, wherever this target has it. */
    const struct workload *row = workload_find(w->name);
    snprintf(probe.name, sizeof probe.name, "%s %s", w->method, row ? row->path : w->path);
    int rc = session_ask(s, &request, &probe, &len);
    if (rc == 0 && !s->dead && !s->absent && s->target->kind != VERIFY_NULL) {
        rc = session_work(s, w);
    }
    if (rc != 0 || s->target->kind != VERIFY_OURS || s->dead || strcmp(w->method, "GET") != 0) {
        return rc;
    }
    request.method = "HEAD";
    probe.to_head = true;
    probe.length = w->varies ? -1 : len;
    snprintf(probe.name, sizeof probe.name, "HEAD %s", w->path);
    return session_ask(s, &request, &probe, &none);
}

/* A workload of a guest, and what came of it. */
static int session_guest_workload(struct session *s, const struct workload *w) {
    size_t failures = verify_failures(s->f);
    size_t kept = s->replies ? s->replies->n : 0;
    if (session_workload(s, w) != 0) {
        return -1;
    }
    const struct http_reply *reply =
        s->replies && s->replies->n > kept ? &s->replies->items[kept].reply : NULL;
    return verify_add_wire(s->f, s->target, w,
                           s->absent                          ? NOT_SERVED
                           : verify_failures(s->f) > failures ? SERVED_WRONG
                                                              : SERVED,
                           reply, s->e);
}

/* The workloads that a guest answers, in their order; those asked for where that is not known. */
static size_t choose_served(const struct session *s, const struct workload *const *asked, size_t n,
                            const struct workload *rows[MAX_ROWS]) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        bool served = !s->replies;
        for (size_t k = 0; s->replies && k < s->replies->n; k++) {
            served = served || s->replies->items[k].workload == asked[i];
        }
        if (served) {
            rows[used++] = asked[i];
        }
    }
    return used;
}

/* How it answers what no workload asks, and several requests on one connection. */
static int session_guest_rest(struct session *s, const struct workload *const *asked, size_t n) {
    const struct workload *rows[MAX_ROWS];
    size_t served = choose_served(s, asked, n, rows);
    if (served == 0) {
        return 0;
    }
    int rc = session_manners(s, rows[0]);
    rc = rc == 0 ? session_connections(s, rows[0]) : rc;
    return rc == 0 ? session_pipeline(s, rows[0], rows, served) : rc;
}

/* 404 for what is not there, 405 with Allow for a method that an endpoint does not take. */
static int session_refusals(struct session *s, const struct workload *const *rows, size_t n) {
    int64_t len;
    int64_t none;
    struct http_request request = {.method = "GET", .path = VERIFY_MISSING_PATH, .minor = 1};
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
    for (size_t i = 0; i < n; i++) {
        request = (struct http_request){.method = "DELETE", .path = rows[i]->path, .minor = 1};
        probe = (struct verify_probe){.status = 405, .allow = rows[i]->method, .length = -1};
        snprintf(probe.name, sizeof probe.name, "DELETE %s", rows[i]->path);
        if (session_ask(s, &request, &probe, &none) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Parameters that are missing, twice, no number or out of bounds: 400 with a line of reason. */
static int session_parameters(struct session *s, const struct workload *w) {
    const struct workload_param *p = &w->param;
    char queries[6][32];
    int path = (int)strcspn(w->path, "?");
    snprintf(queries[0], sizeof queries[0], "%s", "");
    snprintf(queries[1], sizeof queries[1], "?%s=1&%s=1", p->key, p->key);
    snprintf(queries[2], sizeof queries[2], "?%s=1x", p->key);
    snprintf(queries[3], sizeof queries[3], "?%s=", p->key);
    snprintf(queries[4], sizeof queries[4], "?%s=-1", p->key);
    snprintf(queries[5], sizeof queries[5], "?%s=%" PRId64, p->key, p->max + 1);
    for (size_t i = 0; i < 6; i++) {
        char target[64];
        int64_t none;
        snprintf(target, sizeof target, "%.*s%.31s", path > 31 ? 31 : path, w->path, queries[i]);
        struct http_request request = {.method = "GET", .path = target, .minor = 1};
        struct verify_probe probe = {.workload = &verify_refusal,
                                     .status = verify_refusal.status,
                                     .content_type = verify_refusal.content_type,
                                     .length = -1};
        snprintf(probe.name, sizeof probe.name, "GET %.59s", target);
        if (session_ask(s, &request, &probe, &none) != 0) {
            return -1;
        }
    }
    return 0;
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
    size_t asked = target->workloads
                       ? choose_rows(target, target->workloads, target->n_workloads, rows)
                       : choose_rows(target, workloads, n, rows);
    const struct workload *first = workload_find("hello");
    bool guest = target->kind == VERIFY_GUEST;
    int rc = 0;
    *e = (struct err){0};
    if (replies) {
        replies->target = target;
    }
    for (size_t i = 0; i < asked && rc == 0; i++) {
        rc = guest ? session_guest_workload(&s, rows[i]) : session_workload(&s, rows[i]);
    }
    if (guest) {
        return rc == 0 ? session_guest_rest(&s, rows, asked) : rc;
    }
    if (rc == 0 && target->kind == VERIFY_OURS) {
        rc = session_pages(&s);
        rc = rc == 0 ? session_refusals(&s, rows, asked) : rc;
        for (size_t i = 0; i < asked && rc == 0; i++) {
            /* Once, by the row itself, however many names it was chosen by. */
            rc = rows[i]->param.key && rows[i] == workload_find(rows[i]->base)
                     ? session_parameters(&s, rows[i])
                     : 0;
        }
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
    for (size_t i = 0; replies && i < n_targets && rc == 0; i++) {
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
