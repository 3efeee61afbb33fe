/*
 * The store on PostgreSQL: the process's part, and how requests find a connection. The connections
 * themselves are store_link.c's.
 */
#include "common/store_link.h"

#include "common/idle.h"

#include <stdio.h>
#include <stdlib.h>

#define SCHEME "postgresql://"
/* A server of many workers must stay below PostgreSQL's own limit, 100 unless it was raised. */
#define LINKS_MAX    4
#define LINKS_IN_ALL 64
/* How often requests that take too long are looked for. */
#define TICK_MS 500

static void close_store(struct store *base) {
    struct postgres_store *store = (struct postgres_store *)base;
    db_postgres_release(&store->db);
    free(store);
}

static struct store *open_store(const char *url, char *error, size_t error_size) {
    struct postgres_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        (void)snprintf(error, error_size, "out of memory");
        return NULL;
    }
    if (db_postgres_open(&store->db, url, error, error_size) != 0) {
        close_store(&store->base);
        return NULL;
    }
    return &store->base;
}

/* --- requests --------------------------------------------------------------------------------- */

static struct link *find_link(struct postgres_worker *worker) {
    struct link *best = NULL;
    for (unsigned i = 0; i < worker->num_links; i++) {
        struct link *link = &worker->links[i];
        if (link->state == LINK_READY && link->flight.count < LINK_FLIGHT_MAX &&
            (best == NULL || link->flight.count < best->flight.count)) {
            best = link;
        }
    }
    return best;
}

/* Hands waiting requests to the connections there are; with no hope of any, gives them back. */
static void dispatch(struct postgres_worker *worker) {
    struct link *link;
    bool hope = false;
    while (worker->waiting.first != NULL && (link = find_link(worker)) != NULL) {
        link_send(link, store_pop(&worker->waiting));
    }
    for (unsigned i = 0; i < worker->num_links; i++) {
        hope = hope || worker->links[i].state != LINK_DOWN;
    }
    while (!hope && worker->waiting.first != NULL) {
        link_give_back(worker, store_pop(&worker->waiting), STORE_FAILED);
    }
}

void postgres_turn(struct postgres_worker *worker) {
    struct store_post *post;
    do {
        dispatch(worker);
        /* What is answered may bring the next request of its connection, by store_submit. */
        while ((post = store_pop(&worker->finished)) != NULL) {
            worker->in_hand--;
            post->done(post);
        }
    } while (worker->waiting.first != NULL && find_link(worker) != NULL);
}

static void on_soon(struct loop_timer *timer) {
    postgres_turn(timer->data);
}

static void start_tick(struct postgres_worker *worker) {
    worker->ticking = loop_timer_start(worker->loop, &worker->tick, TICK_MS) == 0;
}

static void on_tick(struct loop_timer *timer) {
    struct postgres_worker *worker = timer->data;
    uint64_t now = idle_now();
    uint64_t patience = store_patience_ms();
    for (unsigned i = 0; i < worker->num_links; i++) {
        struct link *link = &worker->links[i];
        if (link->flight.first != NULL && now - link->flight.first->since_ms > patience) {
            link_lose(link, patience == STORE_PATIENCE_MS
                                ? "no answer from the database for 5 s"
                                : "no answer from the database at the end");
        }
    }
    while (worker->waiting.first != NULL && now - worker->waiting.first->since_ms > patience) {
        link_give_back(worker, store_pop(&worker->waiting), STORE_FAILED);
    }
    worker->ticking = false;
    postgres_turn(worker);
    if (worker->in_hand != 0) {
        start_tick(worker);
    }
}

static int submit(struct store_worker *base, struct store_post *post) {
    struct postgres_worker *worker = (struct postgres_worker *)base;
    bool hope = false;
    for (unsigned i = 0; i < worker->num_links; i++) {
        hope = hope || worker->links[i].state != LINK_DOWN;
    }
    if (!hope || worker->in_hand >= base->store->waiting_max) {
        return -1;
    }
    worker->in_hand++;
    post->since_ms = idle_now();
    store_push(&worker->waiting, post);
    dispatch(worker);
    if (worker->finished.first != NULL && worker->soon.impl == NULL) {
        (void)loop_timer_start(worker->loop, &worker->soon, 0);
    }
    if (!worker->ticking) {
        start_tick(worker);
    }
    return 0;
}

/* --- the worker ------------------------------------------------------------------------------- */

static void close_worker(struct store_worker *base) {
    struct postgres_worker *worker = (struct postgres_worker *)base;
    struct store_post *post;
    loop_timer_cancel(worker->loop, &worker->soon);
    loop_timer_cancel(worker->loop, &worker->tick);
    for (unsigned i = 0; i < worker->num_links; i++) {
        link_release(&worker->links[i]);
    }
    while ((post = store_pop(&worker->waiting)) != NULL) {
        link_give_back(worker, post, STORE_FAILED);
    }
    while ((post = store_pop(&worker->finished)) != NULL) {
        post->done(post);
    }
    free(worker);
}

static struct store_worker *open_worker(struct store *store, struct loop *loop) {
    unsigned links = LINKS_IN_ALL / store->workers;
    links = links > LINKS_MAX ? LINKS_MAX : links;
    links = links > 0 ? links : 1;
    struct postgres_worker *worker = calloc(1, sizeof *worker + links * sizeof worker->links[0]);
    if (worker == NULL) {
        return NULL;
    }
    worker->base.store = store;
    worker->db = &((struct postgres_store *)store)->db;
    worker->loop = loop;
    worker->num_links = links;
    worker->soon = (struct loop_timer){.on_fire = on_soon, .data = worker};
    worker->tick = (struct loop_timer){.on_fire = on_tick, .data = worker};
    for (unsigned i = 0; i < links; i++) {
        link_init(&worker->links[i], worker);
    }
    return &worker->base;
}

const struct store_type store_postgres = {
    .scheme = SCHEME,
    .open = open_store,
    .close = close_store,
    .worker_open = open_worker,
    .worker_close = close_worker,
    .submit = submit,
};
