#include "common/db_postgres.h"

#include "common/db_library.h"
#include "common/random.h"
#include "common/store.h"

#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SONAME          "libpq.so.5"
#define SCHEMA_PREFIX   "loopbench_"
#define SCHEMA_PATTERN  "^" SCHEMA_PREFIX "[0-9a-f]{8}$"
#define LOCK_CLASS      0x6c627073 /* "lbps": the first key of our advisory locks */
#define END_PATIENCE_MS 2500       /* more than lock_timeout */
#define OID_INT8        20         /* pg_type.dat */
#define OID_TEXT        25

struct db_pq db_pq;

int db_postgres_load(char *error, size_t error_size) {
#define SYMBOL(name) {"PQ" #name, offsetof(struct db_pq, name)},
    static const struct db_symbol symbols[] = {DB_PQ_FUNCTIONS(SYMBOL)};
#undef SYMBOL
    return db_library_load(SONAME, "libpq5", symbols, sizeof symbols / sizeof symbols[0], &db_pq,
                           error, error_size);
}

void db_postgres_reason(const char *message, char *out, size_t size) {
    /* Where libpq cannot read a URL it quotes it, or a part of it: with the password. */
    static const char *const quotes[] = {" in URI: \"", "\"/\"): \"", " token: \"", " value: \""};
    size_t len = strcspn(message, "\n");
    for (size_t i = 0; i < sizeof quotes / sizeof quotes[0]; i++) {
        const char *quote = strstr(message, quotes[i]);
        if (quote != NULL && (size_t)(quote - message) < len) {
            len = (size_t)(quote - message) + strcspn(quote, ":");
        }
    }
    (void)snprintf(out, size, "%.*s", (int)len, message);
}

/* --- connecting -------------------------------------------------------------------------------
 */

struct parameters {
    const char *names[12], *values[12];
    size_t count;
};

static void add(struct parameters *parameters, const char *name, const char *value) {
    if (value != NULL && *value != '\0') {
        parameters->names[parameters->count] = name;
        parameters->values[parameters->count++] = value;
    }
    parameters->names[parameters->count] = parameters->values[parameters->count] = NULL;
}

/* What comes before the URL it may override; what comes after overrides it. */
static struct parameters collect(const struct db_postgres *db, const char *patience) {
    struct parameters parameters = {.count = 0};
    add(&parameters, "connect_timeout", patience);
    add(&parameters, "application_name", "loopbench");
    add(&parameters, "dbname", db->url);
    add(&parameters, "host", db->host);
    add(&parameters, "hostaddr", db->hostaddr);
    add(&parameters, "port", db->port);
    add(&parameters, "client_encoding", "UTF8");
    return parameters;
}

/* libpq would print them on stderr: "terminating connection", say, on one that is idle. */
static void ignore_notice(void *arg, const char *message) {
    (void)arg;
    (void)message;
}

PGconn *db_postgres_start(const struct db_postgres *db) {
    struct parameters parameters = collect(db, "5");
    PGconn *conn = db_pq.connectStartParams(parameters.names, parameters.values, 1);
    if (conn != NULL) {
        (void)db_pq.setNoticeProcessor(conn, ignore_notice, NULL);
    }
    return conn;
}

static PGconn *connect_blocking(const struct db_postgres *db, const char *patience) {
    struct parameters parameters = collect(db, patience);
    PGconn *conn = db_pq.connectdbParams(parameters.names, parameters.values, 1);
    if (conn != NULL) {
        (void)db_pq.setNoticeProcessor(conn, ignore_notice, NULL);
    }
    return conn;
}

static char *copy(const char *text) {
    return text != NULL && *text != '\0' ? strdup(text) : NULL;
}

/* --- the schema ------------------------------------------------------------------------------- */

/* The end of a server must not wait for whoever looks into its schema. */
static const char settings[] = "SET lock_timeout = 2000";

/* Runs a statement; its result when all is well, else NULL. */
static PGresult *ask(PGconn *conn, const char *sql) {
    PGresult *result = db_pq.exec(conn, sql);
    ExecStatusType status = db_pq.resultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
        return result;
    }
    db_pq.clear(result);
    return NULL;
}

static int execute(PGconn *conn, const char *sql) {
    PGresult *result = ask(conn, sql);
    db_pq.clear(result);
    return result != NULL ? 0 : -1;
}

static int lock_schema(PGconn *conn, const char *function, uint32_t key, bool *locked) {
    char sql[128];
    (void)snprintf(sql, sizeof sql, "SELECT %s(%d, %" PRId32 ")", function, LOCK_CLASS,
                   (int32_t)key);
    PGresult *result = ask(conn, sql);
    if (result == NULL) {
        return -1;
    }
    /* Functions that return void give an empty value, those that try "t" or "f". */
    *locked = db_pq.ntuples(result) == 1 && *db_pq.getvalue(result, 0, 0) != 'f';
    db_pq.clear(result);
    return 0;
}

/* Drops a schema unless a session of its process still holds the lock. Whether that succeeds is no
 * matter: it may be another user's. */
static void drop_if_left(PGconn *conn, const char *schema) {
    char sql[128];
    bool locked = false;
    uint32_t key = (uint32_t)strtoul(schema + sizeof SCHEMA_PREFIX - 1, NULL, 16);
    if (execute(conn, "BEGIN") == 0 &&
        lock_schema(conn, "pg_try_advisory_xact_lock", key, &locked) == 0 && locked) {
        (void)snprintf(sql, sizeof sql, "DROP SCHEMA IF EXISTS %.24s CASCADE", schema);
        (void)execute(conn, sql);
    }
    (void)execute(conn, "COMMIT"); /* of a failed transaction: a rollback */
}

static void sweep(PGconn *conn) {
    PGresult *found = ask(conn, "SELECT nspname FROM pg_catalog.pg_namespace "
                                "WHERE nspname ~ '" SCHEMA_PATTERN "'");
    for (int i = 0; found != NULL && i < db_pq.ntuples(found); i++) {
        drop_if_left(conn, db_pq.getvalue(found, i, 0));
    }
    db_pq.clear(found);
}

static int seed(const struct db_postgres *db) {
    struct random random;
    struct timespec now;
    char sql[128];
    char author[STORE_AUTHOR + 1] = "";
    char content[STORE_CONTENT + 1] = "";
    char date[24];
    const char *const values[] = {author, date, content};
    random_init(&random);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    int64_t date_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO %s.posts (author, date, content) VALUES ($1, $2::bigint, $3)",
                   db->schema);
    for (unsigned i = 0; i < STORE_SEEDS; i++) {
        random_text(&random, author, STORE_AUTHOR);
        random_text(&random, content, STORE_CONTENT);
        (void)snprintf(date, sizeof date, "%" PRId64, date_ms - (STORE_SEEDS - i));
        PGresult *result = db_pq.execParams(db->keeper, sql, 3, NULL, values, NULL, NULL, 0);
        bool done = db_pq.resultStatus(result) == PGRES_COMMAND_OK;
        db_pq.clear(result);
        if (!done) {
            return -1;
        }
    }
    return 0;
}

static int make_schema(struct db_postgres *db) {
    struct random random;
    char sql[512];
    bool locked;
    random_init(&random);
    db->key = (uint32_t)random_next(&random);
    (void)snprintf(db->schema, sizeof db->schema, SCHEMA_PREFIX "%08" PRIx32, db->key);
    (void)snprintf(sql, sizeof sql,
                   "CREATE SCHEMA %s; CREATE TABLE %s.posts "
                   "(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, author text NOT NULL, "
                   "date bigint NOT NULL, content text NOT NULL)",
                   db->schema, db->schema);
    /* Locked before it is there: another server's sweep must not find it unlocked. */
    return lock_schema(db->keeper, "pg_advisory_lock_shared", db->key, &locked) != 0 ||
                   execute(db->keeper, "BEGIN") != 0 || execute(db->keeper, sql) != 0 ||
                   seed(db) != 0 || execute(db->keeper, "COMMIT") != 0
               ? -1
               : 0;
}

int db_postgres_prepare(const struct db_postgres *db, PGconn *conn) {
    static const Oid types[] = {OID_TEXT, OID_INT8, OID_TEXT};
    char lock[96];
    char post[512];
    (void)snprintf(lock, sizeof lock, "SELECT pg_advisory_lock_shared(%d, %" PRId32 ")", LOCK_CLASS,
                   (int32_t)db->key);
    /* One statement: its snapshot is older than its row's id, which is therefore the greatest. */
    (void)snprintf(post, sizeof post,
                   "WITH new AS (INSERT INTO %s.posts (author, date, content) VALUES ($1, $2, $3) "
                   "RETURNING id, author, date, content) SELECT * FROM new UNION ALL "
                   "(SELECT id, author, date, content FROM %s.posts ORDER BY id DESC LIMIT %d) "
                   "ORDER BY id DESC",
                   db->schema, db->schema, STORE_NEWEST - 1);
    /* A plan is kept for long, and while the table is small, or never analysed, it would be a scan
     * of the whole and a sort. */
    return db_pq.sendQueryParams(conn, "SET enable_seqscan = off", 0, NULL, NULL, NULL, NULL, 0) &&
                   db_pq.sendQueryParams(conn, lock, 0, NULL, NULL, NULL, NULL, 0) &&
                   db_pq.sendPrepare(conn, DB_POSTGRES_POST, post, 3, types) &&
                   db_pq.pipelineSync(conn)
               ? 0
               : -1;
}

int db_postgres_open(struct db_postgres *db, const char *url, char *error, size_t error_size) {
    if (db_postgres_load(error, error_size) != 0) {
        return -1;
    }
    db->url = copy(url);
    db->keeper = db->url != NULL ? connect_blocking(db, "5") : NULL;
    if (db->keeper == NULL) {
        (void)snprintf(error, error_size, "out of memory");
        return -1;
    }
    if (db_pq.status(db->keeper) != CONNECTION_OK) {
        db_postgres_reason(db_pq.errorMessage(db->keeper), error, error_size);
        return -1;
    }
    db->host = copy(db_pq.host(db->keeper));
    db->hostaddr = copy(db_pq.hostaddr(db->keeper));
    db->port = copy(db_pq.port(db->keeper));
    (void)execute(db->keeper, settings);
    sweep(db->keeper);
    if (make_schema(db) != 0) {
        char reason[256];
        db_postgres_reason(db_pq.errorMessage(db->keeper), reason, sizeof reason);
        (void)snprintf(error, error_size, "cannot make schema %s: %s", db->schema, reason);
        return -1;
    }
    return 0;
}

/* Waits until the answers to what was sent have come. Returns 0, or -1: not in time, or lost. */
static int await_answers(PGconn *conn, int patience_ms) {
    while (db_pq.isBusy(conn)) {
        struct pollfd wait = {.fd = db_pq.socket(conn), .events = POLLIN};
        if (poll(&wait, 1, patience_ms) != 1 || !db_pq.consumeInput(conn)) {
            return -1; /* a signal ends the waiting too: a second SIGTERM */
        }
    }
    return 0;
}

/* A database that hangs must not keep the server from ending. */
static int drop_schema(const struct db_postgres *db) {
    char sql[128];
    PGresult *result;
    bool done = true;
    (void)snprintf(sql, sizeof sql, "%s; DROP SCHEMA IF EXISTS %s CASCADE", settings, db->schema);
    if (!db_pq.sendQuery(db->keeper, sql)) {
        return -1;
    }
    do {
        if (await_answers(db->keeper, END_PATIENCE_MS) != 0) {
            return -1;
        }
        result = db_pq.getResult(db->keeper);
        done = done && (result == NULL || db_pq.resultStatus(result) == PGRES_COMMAND_OK);
        db_pq.clear(result);
    } while (result != NULL);
    return done ? 0 : -1;
}

void db_postgres_release(struct db_postgres *db) {
    if (db->keeper != NULL && db->schema[0] != '\0' && drop_schema(db) != 0 &&
        db_pq.status(db->keeper) != CONNECTION_OK) {
        /* The database was away meanwhile; if it is back, it shall be tidy. */
        db_pq.finish(db->keeper);
        db->keeper = connect_blocking(db, "2");
        (void)drop_schema(db);
    }
    if (db->keeper != NULL) {
        db_pq.finish(db->keeper);
    }
    free(db->url);
    free(db->host);
    free(db->hostaddr);
    free(db->port);
    *db = (struct db_postgres){0};
}
