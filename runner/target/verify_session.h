/* verify_session.h — verifying one target: what its steps share. */
#ifndef TARGET_VERIFY_SESSION_H
#define TARGET_VERIFY_SESSION_H

#include "target/verify_parts.h"

/* Verifying one target. */
struct session {
    const struct verify_target *target;
    int64_t timeout_ns;
    struct verify_replies *replies; /* NULL = not kept */
    struct verify_findings *f;
    struct err *e;
    bool absent; /* the last thing asked for is not there, and need not be */
    bool dead;   /* it does not answer: asking on would only wait */
};

/* The request of a workload, with a method of its own or another one. */
struct http_request session_request(const struct workload *w, const char *method);

/* How long one exchange may take: a workload (NULL: none) may wait on purpose. */
int64_t session_patience(const struct session *s, const struct workload *w);

/* Keeps a reply for comparing; takes its content over. Returns 0, or -1 with s->e. */
int session_keep(struct session *s, const char *probe, const struct workload *w,
                 struct http_reply *reply);

/* Asks once on a connection of its own, judges and keeps the reply. *body_len gets the length of
 * the reply's body, or -1. Returns 0, or -1 with s->e. */
int session_ask(struct session *s, const struct http_request *request,
                const struct verify_probe *probe, int64_t *body_len);

/* What one right reply does not show: it waits no less than asked (and not far beyond), stores and
 * gives back, draws anew, computes another number or takes another body. Returns 0, or -1 with
 * s->e. */
int session_work(struct session *s, const struct workload *w);

/* Of a guest: how it answers HEAD and a page that is not there, as notes. */
int session_manners(struct session *s, const struct workload *first);

/* Keep-alive and, of ours, closing, on connections of their own. */
int session_connections(struct session *s, const struct workload *w);

/* A batch that mixes all workloads, HEAD and a missing page, so that a reply out of order shows. */
int session_pipeline(struct session *s, const struct workload *first,
                     const struct workload *const *workloads, size_t n);

#endif
