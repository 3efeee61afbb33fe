/*
 * Where /posts keeps its documents: SQLite or PostgreSQL, behind one interface.
 *
 * One `struct store` per process, one `struct store_worker` per worker, opened at its first
 * request. All that a store asks of a server is a `struct loop` (loop.h). A request is a
 * `struct store_post`: handed over with store_submit, given back by its `done` exactly once.
 */
#ifndef LOOPBENCH_SERVERS_STORE_H
#define LOOPBENCH_SERVERS_STORE_H

#include "common/loop.h"
#include "common/posts_text.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_SEEDS   100 /* documents in a new store, of random characters: */
#define STORE_AUTHOR  16
#define STORE_CONTENT 160
#define STORE_NEWEST  100 /* documents in a reply */
/* Requests of one worker that may wait: more than this are refused at once. */
#define STORE_WAITING_MAX 8192
/* What a request, or another process that holds a lock, may take. */
#define STORE_PATIENCE_MS 5000
/* The same once the server drains: a reply must come before what is left is cut (SERVER_DRAIN_MS).
 */
#define STORE_DRAIN_PATIENCE_MS 1500

enum store_result {
    STORE_DONE,   /* stored; `newest` holds the newest documents, this one among them */
    STORE_FAILED, /* not stored */
    STORE_LOST,   /* the connection to the database is lost: whether it was stored is not known */
};

struct store_post {
    struct store_post *next; /* the store's own until done */
    uint64_t since_ms;       /* the store's own */
    /* UTF-8 without U+0000; valid until done. */
    struct app_slice author, content;
    int64_t date_ms; /* since 1970, UTC */
    /* Called on the worker's thread, never from inside store_submit. */
    void (*done)(struct store_post *post);
    enum store_result result;
    struct posts_text newest; /* done takes it over */
};

/* A list that is added to at its end. Zero it first. */
struct store_list {
    struct store_post *first, **end;
    size_t count;
};

void store_push(struct store_list *list, struct store_post *post);
struct store_post *store_pop(struct store_list *list); /* NULL: empty */
/* Appends all of `from` and empties it. */
void store_append(struct store_list *list, struct store_list *from);

struct store;
struct store_worker;

/* What a database brings. Each function may fail with one line in `error`. */
struct store_type {
    const char *scheme; /* "sqlite:" */
    /* Opens the database for the process: blocking, before any worker runs. NULL: failed. */
    struct store *(*open)(const char *url, char *error, size_t error_size);
    void (*close)(struct store *store);
    /* NULL: no memory, descriptors or thread. */
    struct store_worker *(*worker_open)(struct store *store, struct loop *loop);
    void (*worker_close)(struct store_worker *worker);
    int (*submit)(struct store_worker *worker, struct store_post *post);
};

/* The process's store; each type's own struct begins with it. */
struct store {
    const struct store_type *type;
    const char *program;            /* begins the lines on stderr */
    size_t waiting_max;             /* STORE_WAITING_MAX; a test may lower it */
    unsigned workers;               /* how many there will be */
    atomic_bool failing;            /* an outage was complained of and is not over */
    _Atomic uint64_t complained_ms; /* when, last */
};

struct store_worker {
    struct store *store;
};

/* Opens what `url` names ("sqlite:PATH", "postgresql://…"); NULL or "" is a private temporary file
 * of SQLite's, made at the first request. `program` stays the caller's. Returns 0, or -1 with one
 * line in `error`. */
int store_open(struct store **store, const char *url, unsigned workers, const char *program,
               char *error, size_t error_size);

/* After all workers were closed. Removes what was temporary. NULL does nothing. */
void store_close(struct store *store);

/* On the thread of the loop. Returns NULL when there is no memory, descriptor or thread. */
struct store_worker *store_worker_open(struct store *store, struct loop *loop);

/* Gives back every request that is still in hand (STORE_LOST), then frees the worker. The loop must
 * still be there. NULL does nothing. */
void store_worker_close(struct store_worker *worker);

/* Hands a request over. Returns 0, or -1: too many wait, or the database is not there now. */
int store_submit(struct store_worker *worker, struct store_post *post);

/* Returns 0 when `url` names a kind of database there is, else -1: the check of --db. */
int store_check_url(const char *url);

/* What counts now of the two. */
uint64_t store_patience_ms(void);

/* For the types. Says on stderr what is wrong, once per outage and at most every five seconds (one
 * connection may fail while others still work); any thread. */
void store_complain(struct store *store, const char *text);
/* The outage is over. */
void store_recovered(struct store *store);

extern const struct store_type store_sqlite;
extern const struct store_type store_postgres;

#endif
