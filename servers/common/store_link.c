#include "common/store_link.h"

#include <endian.h>
#include <string.h>

#define PAUSE_MIN_MS 50
#define PAUSE_MAX_MS 2000
#define REPLY_GUESS  ((size_t)32 * 1024)
/* A pipeline in order never gives more NULLs in a row than this. */
#define NULLS_MAX 3

static void connect_begin(struct link *link);

void link_give_back(struct postgres_worker *worker, struct store_post *post,
                    enum store_result result) {
    post->result = result;
    if (result != STORE_DONE) {
        posts_text_release(&post->newest);
    }
    store_push(&worker->finished, post);
}

/* --- losing ----------------------------------------------------------------------------------- */

static void drop(struct link *link) {
    struct postgres_worker *worker = link->worker;
    struct store_post *post;
    loop_timer_cancel(worker->loop, &link->timer);
    loop_unwatch(worker->loop, &link->watch); /* before libpq closes the descriptor */
    if (link->conn != NULL) {
        db_pq.finish(link->conn);
        link->conn = NULL;
    }
    link->state = LINK_DOWN;
    while ((post = store_pop(&link->flight)) != NULL) {
        link_give_back(worker, post, STORE_LOST);
    }
}

static void on_pause_over(struct loop_timer *timer) {
    struct link *link = timer->data;
    connect_begin(link);
    postgres_turn(link->worker);
}

void link_lose(struct link *link, const char *reason) {
    char line[256];
    db_postgres_reason(reason, line, sizeof line);
    store_complain(link->worker->base.store, line);
    drop(link);
    link->timer.on_fire = on_pause_over;
    (void)loop_timer_start(link->worker->loop, &link->timer, link->pause_ms);
    link->pause_ms = link->pause_ms * 2 < PAUSE_MAX_MS ? link->pause_ms * 2 : PAUSE_MAX_MS;
}

static void lose(struct link *link) {
    link_lose(link, link->conn != NULL ? db_pq.errorMessage(link->conn) : "out of memory");
}

void link_release(struct link *link) {
    drop(link);
}

/* --- using ------------------------------------------------------------------------------------ */

/* Waits for what libpq waits for. Returns 0, or -1: the connection is of no use. */
static int flush(struct link *link) {
    int left = db_pq.flush(link->conn);
    unsigned events = left > 0 ? LOOP_READ | LOOP_WRITE : LOOP_READ;
    if (left < 0) {
        return -1;
    }
    if (events != link->events) {
        link->events = events;
        return loop_watch(link->worker->loop, &link->watch, events);
    }
    return 0;
}

void link_send(struct link *link, struct store_post *post) {
    uint64_t date = htobe64((uint64_t)post->date_ms);
    const char *const values[] = {post->author.base, (const char *)&date, post->content.base};
    const int lengths[] = {(int)post->author.len, sizeof date, (int)post->content.len};
    static const int binary[] = {1, 1, 1};
    store_push(&link->flight, post);
    if (!db_pq.sendQueryPrepared(link->conn, DB_POSTGRES_POST, 3, values, lengths, binary, 1) ||
        !db_pq.pipelineSync(link->conn) || flush(link) != 0) {
        lose(link);
    }
}

static uint64_t get_number(const PGresult *result, int row, int column) {
    uint64_t value = 0;
    if (db_pq.getlength(result, row, column) == sizeof value) {
        memcpy(&value, db_pq.getvalue(result, row, column), sizeof value);
    }
    return be64toh(value);
}

static struct app_slice get_text(const PGresult *result, int row, int column) {
    return (struct app_slice){db_pq.getvalue(result, row, column),
                              (size_t)db_pq.getlength(result, row, column)};
}

/* The documents, or an error in their place. The request is not done yet: it is committed at the
 * sync. */
static void take_answer(struct link *link, const PGresult *result) {
    struct postgres_worker *worker = link->worker;
    struct store_post *post = link->flight.first;
    if (db_pq.resultStatus(result) != PGRES_TUPLES_OK || db_pq.nfields(result) != 4 ||
        post == NULL) {
        char reason[256];
        db_postgres_reason(db_pq.resultErrorMessage(result), reason, sizeof reason);
        store_complain(worker->base.store, reason);
        link->failed = true;
        return;
    }
    struct posts_text *text = &post->newest;
    posts_text_begin(text, worker->guess != 0 ? worker->guess : REPLY_GUESS);
    for (int row = 0; row < db_pq.ntuples(result); row++) {
        posts_text_add(text, get_number(result, row, 0), get_text(result, row, 1),
                       (int64_t)get_number(result, row, 2), get_text(result, row, 3));
    }
    link->failed = posts_text_end(text) != 0;
    worker->guess = text->size;
}

static void take_sync(struct link *link) {
    struct store_post *post = store_pop(&link->flight);
    if (post == NULL) {
        return;
    }
    bool done = !link->failed && post->newest.len != 0;
    link_give_back(link->worker, post, done ? STORE_DONE : STORE_FAILED);
    link->failed = false;
    if (done) {
        store_recovered(link->worker->base.store);
        link->pause_ms = PAUSE_MIN_MS;
    }
}

/* Takes what has arrived. Returns 0, or -1: the connection is lost. */
static int take_results(struct link *link) {
    int nulls = 0;
    while (link->flight.first != NULL && nulls < NULLS_MAX && !db_pq.isBusy(link->conn)) {
        PGresult *result = db_pq.getResult(link->conn);
        if (result == NULL) {
            nulls++;
            continue;
        }
        nulls = 0;
        if (db_pq.resultStatus(result) == PGRES_PIPELINE_SYNC) {
            take_sync(link);
        } else {
            take_answer(link, result);
        }
        db_pq.clear(result);
        if (db_pq.status(link->conn) != CONNECTION_OK) {
            return -1;
        }
    }
    return 0;
}

/* The answers to db_postgres_prepare. Returns 1 when all came, 0 when not yet, -1 when one failed.
 */
static int take_preparation(struct link *link) {
    int nulls = 0;
    while (nulls < NULLS_MAX && !db_pq.isBusy(link->conn)) {
        PGresult *result = db_pq.getResult(link->conn);
        ExecStatusType status = result != NULL ? db_pq.resultStatus(result) : PGRES_COMMAND_OK;
        nulls = result != NULL ? 0 : nulls + 1;
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK &&
            status != PGRES_PIPELINE_SYNC) {
            link_lose(link, db_pq.resultErrorMessage(result));
            db_pq.clear(result);
            return -1;
        }
        db_pq.clear(result);
        if (status == PGRES_PIPELINE_SYNC) {
            return 1;
        }
    }
    return 0;
}

static void become_ready(struct link *link) {
    loop_timer_cancel(link->worker->loop, &link->timer);
    link->state = LINK_READY;
    link->failed = false;
}

static void on_usable(struct link *link, unsigned events) {
    if ((events & LOOP_READ) != 0 && !db_pq.consumeInput(link->conn)) {
        lose(link);
        return;
    }
    if (link->state == LINK_PREPARING) {
        int taken = take_preparation(link);
        if (taken < 0) {
            return;
        }
        if (taken > 0) {
            become_ready(link);
        }
    } else if (take_results(link) != 0) {
        lose(link);
        return;
    }
    if (flush(link) != 0 || db_pq.status(link->conn) != CONNECTION_OK) {
        lose(link);
    }
}

/* --- connecting ------------------------------------------------------------------------------- */

static int watch_socket(struct link *link, unsigned events) {
    link->watch.fd = db_pq.socket(link->conn);
    link->events = events;
    return link->watch.fd >= 0 ? loop_watch(link->worker->loop, &link->watch, events) : -1;
}

static void prepare(struct link *link) {
    link->state = LINK_PREPARING;
    if (db_pq.setnonblocking(link->conn, 1) != 0 || !db_pq.enterPipelineMode(link->conn) ||
        db_postgres_prepare(link->worker->db, link->conn) != 0 ||
        watch_socket(link, LOOP_READ) != 0 || flush(link) != 0) {
        lose(link);
    }
}

static void on_connecting(struct link *link) {
    /* It may go on with another descriptor, as when the server refuses TLS. */
    loop_unwatch(link->worker->loop, &link->watch);
    switch (db_pq.connectPoll(link->conn)) {
    case PGRES_POLLING_OK:
        prepare(link);
        return;
    case PGRES_POLLING_READING:
        if (watch_socket(link, LOOP_READ) == 0) {
            return;
        }
        break;
    case PGRES_POLLING_WRITING:
        if (watch_socket(link, LOOP_WRITE) == 0) {
            return;
        }
        break;
    case PGRES_POLLING_FAILED:
    case PGRES_POLLING_ACTIVE:
        break;
    }
    lose(link);
}

static void on_event(struct loop_watch *watch, unsigned events) {
    struct link *link = watch->data;
    if (link->state == LINK_CONNECTING) {
        on_connecting(link);
    } else {
        on_usable(link, events);
    }
    postgres_turn(link->worker);
}

static void on_patience_over(struct loop_timer *timer) {
    struct link *link = timer->data;
    link_lose(link, "the database does not answer a new connection");
    postgres_turn(link->worker);
}

static void connect_begin(struct link *link) {
    link->conn = db_postgres_start(link->worker->db);
    link->state = LINK_CONNECTING;
    if (link->conn == NULL || db_pq.status(link->conn) == CONNECTION_BAD ||
        watch_socket(link, LOOP_WRITE) != 0) {
        lose(link);
        return;
    }
    link->timer.on_fire = on_patience_over;
    (void)loop_timer_start(link->worker->loop, &link->timer, STORE_PATIENCE_MS);
}

void link_init(struct link *link, struct postgres_worker *worker) {
    *link = (struct link){
        .worker = worker,
        .watch = {.on_event = on_event, .data = link},
        .timer = {.data = link},
        .pause_ms = PAUSE_MIN_MS,
    };
    connect_begin(link);
}
