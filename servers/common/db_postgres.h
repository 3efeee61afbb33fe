/* libpq, loaded when it is asked for, and the schema that the documents of this process are in. */
#ifndef LOOPBENCH_SERVERS_DB_POSTGRES_H
#define LOOPBENCH_SERVERS_DB_POSTGRES_H

#include <libpq-fe.h>
#include <stddef.h>
#include <stdint.h>

// clang-format off
#define DB_PQ_FUNCTIONS(X)                                                                         \
    X(clear) X(connectPoll) X(connectStartParams) X(connectdbParams) X(consumeInput)               \
    X(enterPipelineMode) X(errorMessage) X(exec) X(execParams) X(finish) X(flush) X(getResult)     \
    X(getlength) X(getvalue) X(host) X(hostaddr) X(isBusy) X(nfields) X(ntuples) X(pipelineSync)   \
    X(port) X(resultErrorMessage) X(resultStatus) X(sendPrepare) X(sendQueryParams)                \
    X(sendQuery) X(sendQueryPrepared) X(setNoticeProcessor) X(setnonblocking) X(socket) X(status)
// clang-format on

/* db_pq.exec is PQexec, and so on. */
struct db_pq {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator
#define DB_PQ_MEMBER(name) __typeof__(&PQ##name) name;
    DB_PQ_FUNCTIONS(DB_PQ_MEMBER)
#undef DB_PQ_MEMBER
};
extern struct db_pq db_pq;

/* Loads libpq. Returns 0, or -1 with one line in `error`. */
int db_postgres_load(char *error, size_t error_size);

/* Where this process's documents are. */
struct db_postgres {
    char *url;
    char *host, *hostaddr, *port; /* of the server found at start: no name is looked up later */
    char schema[32];
    uint32_t key;   /* of the advisory lock that says the schema is in use */
    PGconn *keeper; /* holds that lock from start to end; blocking, at start and end only */
};

/* Connects, removes schemas of processes that are gone, makes a new one with its table and seeds
 * it. Blocking. Zero `db` first. Returns 0, or -1 with one line in `error` (release it all the
 * same). */
int db_postgres_open(struct db_postgres *db, const char *url, char *error, size_t error_size);

/* Drops the schema and disconnects. Blocking, for a few seconds at most. */
void db_postgres_release(struct db_postgres *db);

/* Begins a connection without blocking (PQconnectStart). NULL: no memory. */
PGconn *db_postgres_start(const struct db_postgres *db);

/* Queues what a new connection needs before it serves, as one pipeline with one sync: settings, the
 * lock, the statement DB_POSTGRES_POST. Returns 0, or -1: see PQerrorMessage. */
int db_postgres_prepare(const struct db_postgres *db, PGconn *conn);

/* The prepared statement: author (text), date (bigint), content (text), all binary; gives id,
 * author, date, content of the newest documents, newest first, the one just stored among them. */
#define DB_POSTGRES_POST "post"

/* The first line of libpq's message, without its line feed, and without a URL that it quotes. */
void db_postgres_reason(const char *message, char *out, size_t size);

#endif
