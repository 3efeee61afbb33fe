#include "common/db_sqlite.h"

#include "common/db_library.h"
#include "common/random.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SONAME "libsqlite3.so.0"
/* Written into the file's header, so that somebody else's database is never emptied. "lbps" */
#define APPLICATION_ID 0x6c627073
#define BUSY_STEP_MS   2
#define REPLY_GUESS    ((size_t)32 * 1024)

// clang-format off
#define FUNCTIONS(X)                                                                               \
    X(bind_int64) X(bind_text) X(busy_handler) X(close_v2) X(column_bytes) X(column_int64)         \
    X(column_text) X(config) X(db_config) X(errmsg) X(exec) X(extended_errcode) X(finalize)        \
    X(get_autocommit) X(open_v2) X(prepare_v3) X(reset) X(step)
// clang-format on

static struct {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator
#define MEMBER(name) __typeof__(&sqlite3_##name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} sqlite;

struct db_sqlite {
    sqlite3 *handle;
    sqlite3_stmt *begin, *insert, *newest, *commit, *rollback;
    const atomic_bool *stop;
    int64_t busy_ns; /* when the lock was first found held, by CLOCK_MONOTONIC */
    size_t guess;    /* the length of a reply, as the last one was */
    char error[128];
};

int db_sqlite_load(char *error, size_t error_size) {
#define SYMBOL(name) {"sqlite3_" #name, (size_t)((char *)&sqlite.name - (char *)&sqlite)},
    const struct db_symbol symbols[] = {FUNCTIONS(SYMBOL)};
#undef SYMBOL
    if (db_library_load(SONAME, "libsqlite3-0", symbols, sizeof symbols / sizeof symbols[0],
                        &sqlite, error, error_size) != 0) {
        return -1;
    }
    /* Its statistics take a lock of the whole process at every allocation. */
    (void)sqlite.config(SQLITE_CONFIG_MEMSTATUS, 0);
    return 0;
}

static int64_t now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* SQLite's own handler sleeps up to 100 ms at a time and knows of no stopping. Time is read, not
 * counted in steps: on a busy machine a step takes several times as long as was asked for. */
static int on_busy(void *arg, int tries) {
    struct db_sqlite *db = arg;
    struct timespec step = {0, BUSY_STEP_MS * 1000000L};
    int64_t now = now_ns();
    if (tries == 0) {
        db->busy_ns = now;
    }
    if (now - db->busy_ns >= (int64_t)store_patience_ms() * 1000000 ||
        (db->stop != NULL && atomic_load(db->stop))) {
        return 0;
    }
    (void)nanosleep(&step, NULL);
    return 1;
}

static int fail(struct db_sqlite *db, const char *path, char *error, size_t error_size) {
    (void)snprintf(error, error_size, "%s: %s", path, sqlite.errmsg(db->handle));
    return -1;
}

static struct db_sqlite *open_file(const char *path, int flags, const atomic_bool *stop,
                                   char *error, size_t error_size) {
    struct db_sqlite *db = calloc(1, sizeof *db);
    if (db == NULL) {
        (void)snprintf(error, error_size, "%s: out of memory", path);
        return NULL;
    }
    db->stop = stop;
    db->guess = REPLY_GUESS;
    /* One thread has it: no mutex. */
    if (sqlite.open_v2(path, &db->handle, flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                       NULL) != SQLITE_OK) {
        fail(db, path, error, error_size);
        db_sqlite_close(db);
        return NULL;
    }
    (void)sqlite.busy_handler(db->handle, on_busy, db);
    return db;
}

static int execute(struct db_sqlite *db, const char *sql) {
    return sqlite.exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

static sqlite3_stmt *prepare(struct db_sqlite *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    (void)sqlite.prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

/* Runs a statement that gives at most one row; the first column of it, or -1. */
static int64_t ask_number(struct db_sqlite *db, const char *sql) {
    int64_t value = -1;
    sqlite3_stmt *statement = prepare(db, sql);
    if (statement != NULL && sqlite.step(statement) == SQLITE_ROW) {
        value = sqlite.column_int64(statement, 0);
    }
    (void)sqlite.finalize(statement);
    return value;
}

/* Runs to the end. */
static int finish(sqlite3_stmt *statement) {
    int code = sqlite.step(statement);
    (void)sqlite.reset(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

static int insert(struct db_sqlite *db, struct app_slice author, int64_t date_ms,
                  struct app_slice content) {
    (void)sqlite.bind_text(db->insert, 1, author.base, (int)author.len, SQLITE_STATIC);
    (void)sqlite.bind_int64(db->insert, 2, date_ms);
    (void)sqlite.bind_text(db->insert, 3, content.base, (int)content.len, SQLITE_STATIC);
    return finish(db->insert);
}

static int prepare_all(struct db_sqlite *db) {
    db->begin = prepare(db, "BEGIN IMMEDIATE");
    db->insert = prepare(db, "INSERT INTO posts (author, date, content) VALUES (?1, ?2, ?3)");
    db->newest =
        prepare(db, "SELECT id, author, date, content FROM posts ORDER BY id DESC LIMIT ?1");
    db->commit = prepare(db, "COMMIT");
    db->rollback = prepare(db, "ROLLBACK");
    if (db->begin == NULL || db->insert == NULL || db->newest == NULL || db->commit == NULL ||
        db->rollback == NULL) {
        return -1;
    }
    return sqlite.bind_int64(db->newest, 1, STORE_NEWEST) == SQLITE_OK ? 0 : -1;
}

/* The file may hold nothing, or a store. */
static int claim(struct db_sqlite *db, const char *path, char *error, size_t error_size) {
    int64_t id = ask_number(db, "PRAGMA application_id");
    int64_t tables = ask_number(db, "SELECT count(*) FROM sqlite_schema");
    if (id < 0 || tables < 0) {
        return fail(db, path, error, error_size);
    }
    if (id != APPLICATION_ID && tables != 0) {
        (void)snprintf(error, error_size, "%s is a database of something else: name another file",
                       path);
        return -1;
    }
    return 0;
}

static int seed(struct db_sqlite *db) {
    struct random random;
    struct timespec now;
    char author[STORE_AUTHOR];
    char content[STORE_CONTENT];
    random_init(&random);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    int64_t date_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    for (unsigned i = 0; i < STORE_SEEDS; i++) {
        random_text(&random, author, sizeof author);
        random_text(&random, content, sizeof content);
        if (insert(db, (struct app_slice){author, sizeof author}, date_ms - (STORE_SEEDS - i),
                   (struct app_slice){content, sizeof content}) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Some file systems cannot: the mode then stays what it was. */
static int switch_to_wal(struct db_sqlite *db) {
    sqlite3_stmt *statement = prepare(db, "PRAGMA journal_mode = WAL");
    bool done = statement != NULL && sqlite.step(statement) == SQLITE_ROW &&
                strcmp((const char *)sqlite.column_text(statement, 0), "wal") == 0;
    (void)sqlite.finalize(statement);
    return done ? 0 : -1;
}

static int fill(struct db_sqlite *db) {
    /* Empties the file whatever is in it, under SQLite's own locks: what readers it may still have
     * see an old snapshot or nothing. */
    (void)sqlite.db_config(db->handle, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
    int failed = execute(db, "VACUUM");
    (void)sqlite.db_config(db->handle, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
    /* With WAL, NORMAL syncs at checkpoints only: a commit survives the process, and a power cut
     * takes the last ones without harming the file. */
    return failed != 0 || switch_to_wal(db) != 0 ||
                   execute(db, "PRAGMA synchronous = NORMAL") != 0 ||
                   execute(db, "BEGIN IMMEDIATE") != 0 ||
                   execute(db, "PRAGMA application_id = 1818390643") != 0 ||
                   execute(db, "CREATE TABLE posts (id INTEGER PRIMARY KEY, author TEXT NOT NULL, "
                               "date INTEGER NOT NULL, content TEXT NOT NULL)") != 0 ||
                   prepare_all(db) != 0 || seed(db) != 0 || finish(db->commit) != 0
               ? -1
               : 0;
}

int db_sqlite_create(const char *path, const atomic_bool *stop, char *error, size_t error_size) {
    struct db_sqlite *db = open_file(path, SQLITE_OPEN_CREATE, stop, error, error_size);
    if (db == NULL) {
        return -1;
    }
    int failed = claim(db, path, error, error_size);
    if (failed == 0 && fill(db) != 0) {
        failed = fail(db, path, error, error_size);
    }
    db_sqlite_close(db);
    return failed;
}

struct db_sqlite *db_sqlite_open(const char *path, const atomic_bool *stop, char *error,
                                 size_t error_size) {
    struct db_sqlite *db = open_file(path, 0, stop, error, error_size);
    if (db == NULL) {
        return NULL;
    }
    if (execute(db, "PRAGMA synchronous = NORMAL") != 0 || prepare_all(db) != 0) {
        fail(db, path, error, error_size);
        db_sqlite_close(db);
        return NULL;
    }
    return db;
}

void db_sqlite_close(struct db_sqlite *db) {
    if (db != NULL) {
        (void)sqlite.finalize(db->begin);
        (void)sqlite.finalize(db->insert);
        (void)sqlite.finalize(db->newest);
        (void)sqlite.finalize(db->commit);
        (void)sqlite.finalize(db->rollback);
        (void)sqlite.close_v2(db->handle);
        free(db);
    }
}

static struct app_slice column(sqlite3_stmt *statement, int index) {
    /* text before bytes, as SQLite asks */
    const char *text = (const char *)sqlite.column_text(statement, index);
    int len = sqlite.column_bytes(statement, index);
    return text != NULL ? (struct app_slice){text, (size_t)len} : APP_SLICE("");
}

/* Reads the newest documents into the reply. */
static int read_newest(struct db_sqlite *db, struct posts_text *text) {
    int code;
    posts_text_begin(text, db->guess);
    while ((code = sqlite.step(db->newest)) == SQLITE_ROW) {
        posts_text_add(text, (uint64_t)sqlite.column_int64(db->newest, 0), column(db->newest, 1),
                       sqlite.column_int64(db->newest, 2), column(db->newest, 3));
    }
    (void)sqlite.reset(db->newest);
    if (posts_text_end(text) != 0 || code != SQLITE_DONE) {
        return -1;
    }
    db->guess = text->size;
    return 0;
}

static int run(struct db_sqlite *db, struct store_post *first) {
    if (finish(db->begin) != 0) {
        return -1;
    }
    for (struct store_post *post = first; post != NULL; post = post->next) {
        if (insert(db, post->author, post->date_ms, post->content) != 0 ||
            read_newest(db, &post->newest) != 0) {
            return -1;
        }
    }
    return finish(db->commit);
}

enum db_sqlite_outcome db_sqlite_run(struct db_sqlite *db, struct store_post *first) {
    bool done = run(db, first) == 0;
    int code = sqlite.extended_errcode(db->handle) & 0xff;
    for (struct store_post *post = first; post != NULL; post = post->next) {
        post->result = done ? STORE_DONE : STORE_FAILED;
        if (!done) {
            posts_text_release(&post->newest);
        }
    }
    if (done) {
        return DB_SQLITE_DONE;
    }
    (void)snprintf(db->error, sizeof db->error, "%s", sqlite.errmsg(db->handle));
    if (sqlite.get_autocommit(db->handle) == 0) {
        (void)finish(db->rollback);
    }
    return code == SQLITE_BUSY || code == SQLITE_FULL ? DB_SQLITE_FAILED : DB_SQLITE_BROKEN;
}

const char *db_sqlite_error(const struct db_sqlite *db) {
    return db->error;
}
