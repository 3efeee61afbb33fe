/*
 * One connection to PostgreSQL in a worker's event loop: made, used as a pipeline, lost and made
 * again, without ever blocking.
 *
 *     DOWN -> CONNECTING -> PREPARING -> READY
 *       ^__________|____________|__________|        lost: again after a pause that grows
 */
#ifndef LOOPBENCH_SERVERS_STORE_LINK_H
#define LOOPBENCH_SERVERS_STORE_LINK_H

#include "common/db_postgres.h"
#include "common/store.h"

#include <stdbool.h>

#define LINK_FLIGHT_MAX 32 /* requests in one connection's pipeline */

struct postgres_store {
    struct store base;
    struct db_postgres db;
};

enum link_state { LINK_DOWN, LINK_CONNECTING, LINK_PREPARING, LINK_READY };

struct link {
    struct postgres_worker *worker;
    PGconn *conn; /* NULL: DOWN */
    struct loop_watch watch;
    struct loop_timer timer;  /* DOWN: until the next try; CONNECTING, PREPARING: patience */
    struct store_list flight; /* in the pipeline, in order */
    unsigned pause_ms;        /* before the next try */
    unsigned events;          /* watched for */
    bool failed;              /* the answer being read has an error in it */
    enum link_state state;
};

struct postgres_worker {
    struct store_worker base;
    const struct db_postgres *db;
    struct loop *loop;
    struct store_list waiting, finished; /* for a connection; to be given back */
    size_t in_hand;                      /* handed over and not given back */
    struct loop_timer soon, tick;
    bool ticking;
    size_t guess; /* the length of a reply, as the last one was */
    unsigned num_links;
    struct link links[];
};

/* Begins to connect. */
void link_init(struct link *link, struct postgres_worker *worker);

/* Puts a request into the pipeline. Only when READY. When that fails the connection is lost. */
void link_send(struct link *link, struct store_post *post);

/* Gives up the connection and what is in its pipeline, and tries again later. */
void link_lose(struct link *link, const char *reason);

/* Closes for good; what is in the pipeline goes to worker->finished. */
void link_release(struct link *link);

/* Moves a request to worker->finished; postgres_turn hands it back. */
void link_give_back(struct postgres_worker *worker, struct store_post *post,
                    enum store_result result);

/* store_postgres.c: hands out waiting requests and gives back finished ones. Called at the end of
 * every callback of the loop, when no connection is in the middle of something. */
void postgres_turn(struct postgres_worker *worker);

#endif
