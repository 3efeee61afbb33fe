/* routes.h — what guest-evhttp answers. */
#ifndef GUEST_EVHTTP_ROUTES_H
#define GUEST_EVHTTP_ROUTES_H

#include <stdbool.h>

struct evbuffer;
struct event_base;
struct evhttp;
struct evhttp_request;
struct serve;

/* Registers every endpoint; false out of memory. */
bool routes_add(struct evhttp *http, struct serve *s);

/* Of the worker (serve.c), for the endpoints. serve_reply sends what is in `body`, which stays the
 * caller's, and writes the line of the access log. */
struct event_base *serve_base(const struct serve *s);
void serve_reply(struct serve *s, struct evhttp_request *request, int status, const char *type,
                 struct evbuffer *body);

#endif
