/* POST /posts: stores a document and answers with the newest ones. */
#ifndef LOOPBENCH_SERVERS_POSTS_H
#define LOOPBENCH_SERVERS_POSTS_H

#include "common/app.h"

/* The route's three functions. The body is empty (the document is random then) or as posts_parse.h
 * says; a wrong one is answered with 400 and a line of reason, a database that is busy, gone or
 * full with 503. The reply is the array of posts_text.h. */
enum app_when posts_handle(struct app_exchange *exchange);
void posts_body(struct app_exchange *exchange, const char *data, size_t len);
void posts_finish(struct app_exchange *exchange);

/* When the worker ends: closes its part of the store. */
void posts_stop(struct app_worker *worker);

#endif
