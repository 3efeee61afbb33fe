/* serve.h — one worker: libevent's evhttp on an event loop and a listening socket of its own. */
#ifndef GUEST_EVHTTP_SERVE_H
#define GUEST_EVHTTP_SERVE_H

struct serve_options {
    const char *host; /* a numeric address */
    int port;
    int workers;
    int backlog;
    const char *log; /* the access log, appended to; NULL: none */
    int stop;        /* a descriptor that becomes readable when the worker shall end */
};

/* Listens; NULL with one line on stderr when it cannot. */
struct serve *serve_open(const struct serve_options *options);

/* Serves until `stop` is readable, then closes everything and frees `s`. */
void serve_run(struct serve *s);

#endif
