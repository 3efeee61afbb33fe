/*
 * HTTP/1 for servers whose library has none: bytes in, reply bytes out, no event loop. Parses with
 * llhttp.
 *
 * A transport embeds one `struct http1` per connection and shares one `struct http1_worker` among
 * the connections of a loop. It hands over what it read, cut anywhere, with http1_feed. All
 * complete requests in it are answered by one call of write; input that cannot be dealt with yet (a
 * reply that comes later, a client that does not read) is kept, at most one feed's worth, and the
 * transport is told to stop reading. A connection between requests owns no memory beyond the
 * struct.
 */
#ifndef LOOPBENCH_SERVERS_HTTP1_H
#define LOOPBENCH_SERVERS_HTTP1_H

#include "common/app.h"
#include "common/date.h"

#include <llhttp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define HTTP1_OUT_SIZE    ((size_t)64 * 1024) /* replies gathered for one write */
#define HTTP1_INLINE_BODY ((size_t)4 * 1024)  /* longer bodies are written from where they lie */

struct http1;

enum http1_next {
    HTTP1_READ,  /* read on */
    HTTP1_WRITE, /* output is stuck: stop reading, write http1_pending, report with http1_written */
    HTTP1_WAIT,  /* a reply comes later: io.ready will be called. To notice a client that is gone,
                    the transport may read on while http1_may_feed */
    HTTP1_CLOSE, /* all is written and the client expects the end: close */
    HTTP1_LINGER, /* all is written, but the client may still be sending: end our side, read off
                     what comes (bounded), then close */
    HTTP1_DEAD,   /* the connection failed: close */
};

struct http1_io {
    /* Writes what can be written without waiting. Returns the bytes taken (0: none now), or -1 when
     * the connection is broken. The memory is not valid after the call. */
    ssize_t (*write)(struct http1 *http, const struct iovec *iov, int count);
    /* A reply announced by HTTP1_WAIT is ready: call http1_resume. */
    void (*ready)(struct http1 *http);
};

struct http1_worker {
    struct app_worker *app;
    const struct http1_io *io;
    uint64_t max_body;
    struct date_cache date;
    size_t out_len;
    char out[HTTP1_OUT_SIZE]; /* empty between calls */
};

/* A short text gathered across cuts, to be compared with a known word. */
struct http1_word {
    uint8_t len; /* > sizeof text: too long to be any of them */
    char text[17];
};

struct http1 {
    llhttp_t parser;
    struct http1_worker *worker;
    struct app_exchange exchange;
    const char *target;         /* of the current request: in the caller's data, or == kept */
    char *kept;                 /* copy of the target while a request is cut */
    char *stash;                /* input taken but not parsed yet */
    char *pending;              /* output that did not go out */
    struct app_slice body_rest; /* rest of a long body, where it lies */
    uint64_t body_len;          /* of the request, so far */
    uint32_t stash_at, stash_len;
    uint32_t pending_at, pending_len;
    uint32_t head_len; /* bytes of the head so far; then: bytes of framing since the last content */
    uint16_t target_len;
    uint16_t kept_size;
    uint16_t refused; /* status */
    uint8_t phase;    /* enum http1_phase, http1_internal.h */
    uint8_t header;   /* enum http1_header of the field being read */
    uint8_t coding;   /* enum http1_coding */
    uint8_t expect;   /* enum http1_expect */
    uint8_t tokens;   /* of Connection, APP_TOKEN_… */
    bool versioned;   /* the target was followed by a version */
    bool begun;       /* app_begin was called, app_finish is due */
    bool keep;        /* the connection is kept after this request */
    bool linger;      /* the client may not know that the connection ends */
    bool quiet;       /* nothing but chunk framing or trailers came in this step */
    bool moved;       /* a request began, or output went out: the transport clears it */
    struct http1_word word;
};

/* `max_body` in bytes; `io` and `app` must outlive the worker. */
void http1_worker_init(struct http1_worker *worker, struct app_worker *app,
                       const struct http1_io *io, uint64_t max_body);

void http1_init(struct http1 *http, struct http1_worker *worker);
/* Ends the request in hand and frees all. */
void http1_release(struct http1 *http);

/* Takes `len` bytes (at most UINT32_MAX). Only after HTTP1_READ, or while http1_may_feed. */
enum http1_next http1_feed(struct http1 *http, const char *data, size_t len);

/* After io.ready, on the worker's thread, not from inside http1_feed. */
enum http1_next http1_resume(struct http1 *http);

/* What HTTP1_WRITE waits for: up to two pieces, valid until http1_written. Returns their number. */
int http1_pending(struct http1 *http, struct iovec iov[2]);
/* The first `n` bytes of http1_pending were written. */
enum http1_next http1_written(struct http1 *http, size_t n);

/* A reply comes later and nothing is kept that was sent behind the request: one more http1_feed is
 * taken, and kept. */
bool http1_may_feed(const struct http1 *http);

/* No request has begun and nothing is due: the connection may be closed at any time. */
bool http1_idle(const struct http1 *http);

/* "8.1.0" */
const char *http1_llhttp_version(void);

#endif
