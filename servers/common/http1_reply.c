/* Serialising replies. The bytes are h2o's: names of its own headers capitalised, others not. */
#include "common/http1_internal.h"

#include "common/put.h"

#include <string.h>

#define FIXED_ROOM 192 /* everything in a head but reason, content type and Allow */

size_t http1_reply_room(const struct http1 *http) {
    const struct app_reply *reply = &http->exchange.reply;
    size_t body = reply->body.len <= HTTP1_INLINE_BODY ? reply->body.len : 0;
    return FIXED_ROOM + reply->reason.len + reply->content_type.len + reply->allow.len + body;
}

void http1_put_continue(struct http1 *http) {
    struct http1_worker *worker = http->worker;
    char *at = PUT(worker->out + worker->out_len, "HTTP/1.1 100 Continue\r\n\r\n");
    worker->out_len = (size_t)(at - worker->out);
}

void http1_put_reply(struct http1 *http, bool keep) {
    struct http1_worker *worker = http->worker;
    const struct app_reply *reply = &http->exchange.reply;
    char *at = worker->out + worker->out_len;
    at = PUT(at, "HTTP/1.1 ");
    at = put_number(at, reply->status);
    *at++ = ' ';
    at = put(at, reply->reason.base, reply->reason.len);
    at = PUT(at, "\r\nDate: ");
    at = put(at, date_now(&worker->date), DATE_LEN);
    at = keep ? PUT(at, "\r\nConnection: keep-alive\r\nContent-Length: ")
              : PUT(at, "\r\nConnection: close\r\nContent-Length: ");
    at = put_number(at, reply->body.len);
    at = PUT(at, "\r\nServer: " APP_SERVER_NAME "\r\ncontent-type: ");
    at = put(at, reply->content_type.base, reply->content_type.len);
    if (reply->allow.len != 0) {
        at = PUT(at, "\r\nallow: ");
        at = put(at, reply->allow.base, reply->allow.len);
    }
    at = PUT(at, "\r\n\r\n");
    if (http->exchange.method != APP_HEAD) {
        if (reply->body.len <= HTTP1_INLINE_BODY) {
            at = put(at, reply->body.base, reply->body.len);
        } else {
            http->body_rest = reply->body;
        }
    }
    worker->out_len = (size_t)(at - worker->out);
}
