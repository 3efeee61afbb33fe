/* http.h — a small blocking HTTP/1.1 client with deadlines, for asking a target a few questions.
 *
 * It exists to see exactly what a server sent: the bytes of a reply's head are kept as they came.
 * It is not for load. All deadlines are absolute, in ns of clock_mono_ns(). */
#ifndef TARGET_HTTP_H
#define TARGET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"

#define HTTP_HEAD_MAX ((size_t)64 * 1024)
#define HTTP_BODY_MAX ((size_t)32 * 1024 * 1024)

enum http_result {
    HTTP_OK,
    HTTP_ADDRESS,   /* the host is not a numeric address or localhost */
    HTTP_REFUSED,   /* nobody listens there */
    HTTP_TIMEOUT,   /* the deadline passed */
    HTTP_CLOSED,    /* closed or reset before the reply was complete */
    HTTP_MALFORMED, /* not HTTP/1, see reply->why */
    HTTP_TOO_LARGE, /* head or body over its bound */
    HTTP_FAILED,    /* the system refused: errno */
};

/* "connection refused", "no reply in time", … */
const char *http_result_text(enum http_result result);

/* One reply. Zero-initialise before first use; http_reply_release frees it. Received again into the
 * same struct, the former content is freed. */
struct http_reply {
    int status;
    int minor;  /* HTTP/1.minor of the status line */
    char *head; /* status line and headers with the empty line, as received; NUL-terminated */
    size_t head_len;
    char *body; /* decoded (chunked removed); NUL-terminated, never NULL after HTTP_OK */
    size_t body_len;
    bool keep_alive;    /* what the reply's version and Connection header say */
    bool framed;        /* its end was told by length, chunks or status, not by closing */
    int64_t sent_s;     /* wall clock, whole seconds, before the receive began */
    int64_t received_s; /* and after it ended */
    int64_t took_ns;    /* of http_exchange: from before the request was sent to its end */
    char why[96];       /* of HTTP_MALFORMED: the parser's words */
};

void http_reply_release(struct http_reply *reply);

/* Header number i in the order received. name and value point into reply->head and are not
 * terminated; the value has no blanks around it. Returns false past the last. */
struct http_header {
    const char *name, *value;
    size_t name_len, value_len;
};
bool http_reply_header(const struct http_reply *reply, size_t i, struct http_header *out);

/* The first header of that name (any letter case) as a string in out, cut to size. Returns false
 * and out = "" when there is none. */
bool http_reply_find(const struct http_reply *reply, const char *name, char *out, size_t size);

/* A reply parser for bytes from anywhere (the client below, tests, the fuzzer). Feed it, then
 * finish at the end of the stream. */
struct http_parser;
struct http_parser *http_parser_new(struct http_reply *reply, bool to_head);
/* Takes bytes up to the end of the reply; *used says how many. *done = reply complete. */
enum http_result http_parser_feed(struct http_parser *p, const char *data, size_t len, size_t *used,
                                  bool *done);
/* The stream ended: HTTP_OK when that completes the reply, else HTTP_CLOSED. */
enum http_result http_parser_finish(struct http_parser *p);
void http_parser_free(struct http_parser *p);

/* A connection; bytes received beyond the last reply wait in it. */
struct http_conn {
    int fd;
    char *spare;
    size_t spare_len;
};

/* host: a numeric IPv4 or IPv6 address (brackets allowed) or localhost. */
enum http_result http_connect(struct http_conn *c, const char *host, int port, int64_t deadline_ns);
enum http_result http_send(struct http_conn *c, const void *data, size_t len, int64_t deadline_ns);
/* One reply; to_head: it answers a HEAD request and has no body. */
enum http_result http_receive(struct http_conn *c, bool to_head, struct http_reply *reply,
                              int64_t deadline_ns);
/* Waits for the peer to close. HTTP_OK when it did, HTTP_MALFORMED when it sent more instead. */
enum http_result http_receive_close(struct http_conn *c, int64_t deadline_ns);
void http_close(struct http_conn *c);

struct http_request {
    const char *method; /* NULL = GET */
    const char *path;
    int minor;           /* HTTP/1.minor */
    const char *headers; /* further lines, each ended by CRLF; NULL = none */
    const char *body;
    size_t body_len;
};

/* From here on the client turns that loop while it waits; NULL: none, as at first. What a target
 * prints is read then: one that fills its pipe would wait for us, and we for it. */
void http_attend(struct loop *loop);

/* Writes the request (Host, the further headers, Content-Length where there is a body) into out.
 * Returns its length, or 0 when it does not fit. */
size_t http_format_request(const struct http_request *request, const char *host, int port,
                           char *out, size_t size);

/* Connects, asks, receives one reply, closes. */
enum http_result http_exchange(const char *host, int port, const struct http_request *request,
                               struct http_reply *reply, int64_t timeout_ns);

#endif
