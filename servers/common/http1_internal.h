/* Shared by the files of http1 only. */
#ifndef LOOPBENCH_SERVERS_HTTP1_INTERNAL_H
#define LOOPBENCH_SERVERS_HTTP1_INTERNAL_H

#include "common/http1.h"

enum http1_phase {
    PHASE_START,    /* between requests */
    PHASE_HEAD,     /* in a head */
    PHASE_BODY,     /* head accepted */
    PHASE_COMPLETE, /* request complete, the parser is paused */
    PHASE_WAIT,     /* the reply comes later */
    PHASE_READY,    /* it came, while earlier output is stuck */
    PHASE_SEND,     /* a long body is being written */
    PHASE_CLOSE,    /* HTTP1_CLOSE once all is written */
    PHASE_LINGER,   /* HTTP1_LINGER once all is written */
};

enum http1_header { HEADER_NAME, HEADER_OTHER, HEADER_CONNECTION, HEADER_EXPECT, HEADER_CODING };
enum http1_coding { CODING_NONE, CODING_OTHER, CODING_CHUNKED, CODING_SEVERAL };
enum http1_expect { EXPECT_NONE, EXPECT_OTHER, EXPECT_CONTINUE };

/* Room in worker->out that replies leave free for one "100 Continue". */
#define HTTP1_RESERVE ((size_t)32)

/* The callbacks that fill `struct http1` (http1_parser.c). */
extern const llhttp_settings_t http1_settings;

/* Makes the target and the slices into it outlive the data just fed. Returns 0, or -1: no memory.
 */
int http1_keep_target(struct http1 *http);

/* Appends the head of the reply and, up to HTTP1_INLINE_BODY, the body to worker->out; a longer
 * body is left in http->body_rest. The caller has made room (http1_reply_room). `keep` is what the
 * Connection header says. */
void http1_put_reply(struct http1 *http, bool keep);

/* Appends the interim reply "100 Continue". There is always room for one. */
void http1_put_continue(struct http1 *http);

/* The most http1_put_reply appends for this reply. */
size_t http1_reply_room(const struct http1 *http);

#endif
