/*
 * The store on SQLite. A database thread per worker waits for the disk and for locks in the loop's
 * place. What has gathered by the time it looks again is stored in one transaction: each request
 * still gets the documents as they stood after its own insert, and is answered after the commit.
 */
#include "common/db_sqlite.h"
#include "common/store.h"
#include "common/store_temp.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define SCHEME       "sqlite:"
#define BATCH_MAX    64
#define THREAD_STACK ((size_t)256 * 1024)

struct sqlite_store {
    struct store base;
    char *path; /* NULL: not made yet */
    struct store_temp temp;
    int lock; /* on a named file, so that no other server empties it */
    bool loaded;
    /* SQLite lets one writer in at a time. Who must wait does so here, not in its busy handler. */
    pthread_mutex_t writer;
    cpu_set_t cpus; /* the process's: workers may be pinned, database threads are not */
    bool any_cpu;   /* cpus could not be read */
};

struct sqlite_worker {
    struct store_worker base;
    struct loop *loop;
    struct loop_waker waker;
    size_t waiting; /* handed over and not given back; the loop's thread only */
    pthread_t thread;
    struct db_sqlite *db; /* the database thread's own */
    atomic_bool stop;
    pthread_mutex_t mutex; /* guards the lists */
    pthread_cond_t changed;
    struct store_list queue, done;
};

/* --- the file -------------------------------------------------------------------------------- */

static int lock_file(struct sqlite_store *store, char *error, size_t error_size) {
    /* flock, which SQLite does not use; never closed before SQLite's own descriptors, which would
     * lose their locks. */
    store->lock = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (store->lock < 0) {
        (void)snprintf(error, error_size, "%s: %s: name a file that can be written", store->path,
                       strerror(errno));
        return -1;
    }
    if (flock(store->lock, LOCK_EX | LOCK_NB) != 0) {
        (void)snprintf(error, error_size, "%s is in use by another server: name another file",
                       store->path);
        return -1;
    }
    return 0;
}

static int load(struct sqlite_store *store, char *error, size_t error_size) {
    if (!store->loaded && db_sqlite_load(error, error_size) != 0) {
        return -1;
    }
    store->loaded = true;
    return 0;
}

/* Makes the temporary store. */
static int make_temporary(struct sqlite_store *store, const atomic_bool *stop, char *error,
                          size_t error_size) {
    char path[sizeof store->temp.path];
    if (load(store, error, error_size) != 0 ||
        store_temp_make(&store->temp, error, error_size) != 0) {
        return -1;
    }
    (void)snprintf(path, sizeof path, "%s/" STORE_TEMP_FILE, store->temp.path);
    if (db_sqlite_create(path, stop, error, error_size) != 0) {
        store_temp_remove(&store->temp);
        return -1;
    }
    store->path = strdup(path);
    if (store->path == NULL) {
        (void)snprintf(error, error_size, "out of memory");
        store_temp_remove(&store->temp);
        return -1;
    }
    return 0;
}

static void free_store(struct sqlite_store *store) {
    store_temp_remove(&store->temp);
    if (store->lock >= 0) {
        close(store->lock);
    }
    pthread_mutex_destroy(&store->writer);
    free(store->path);
    free(store);
}

static void close_store(struct store *base) {
    free_store((struct sqlite_store *)base);
}

static struct store *open_store(const char *url, char *error, size_t error_size) {
    struct sqlite_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        (void)snprintf(error, error_size, "out of memory");
        return NULL;
    }
    store->temp.fd = store->lock = -1;
    pthread_mutex_init(&store->writer, NULL);
    store->any_cpu = sched_getaffinity(0, sizeof store->cpus, &store->cpus) != 0;
    if (*url == '\0') {
        return &store->base;
    }
    url += sizeof SCHEME - 1;
    if (*url == ':') { /* ":memory:" would be a database of each connection's own */
        (void)snprintf(error, error_size, "'%s' names no file: write ./%s for one", url, url);
        free_store(store);
        return NULL;
    }
    store->path = strdup(url);
    if (store->path == NULL || load(store, error, error_size) != 0 ||
        lock_file(store, error, error_size) != 0 ||
        db_sqlite_create(store->path, NULL, error, error_size) != 0) {
        free_store(store);
        return NULL;
    }
    return &store->base;
}

/* --- the database thread --------------------------------------------------------------------- */

/* Under store->writer. */
static int ensure_open(struct sqlite_worker *worker) {
    struct sqlite_store *store = (struct sqlite_store *)worker->base.store;
    char error[512];
    if (worker->db != NULL) {
        return 0;
    }
    if (store->path == NULL && make_temporary(store, &worker->stop, error, sizeof error) != 0) {
        store_complain(&store->base, error);
        return -1;
    }
    worker->db = db_sqlite_open(store->path, &worker->stop, error, sizeof error);
    if (worker->db == NULL) {
        store_complain(&store->base, error);
        return -1;
    }
    return 0;
}

static void run_batch(struct sqlite_worker *worker, struct store_list *batch) {
    struct sqlite_store *store = (struct sqlite_store *)worker->base.store;
    pthread_mutex_lock(&store->writer);
    if (ensure_open(worker) != 0) {
        for (struct store_post *post = batch->first; post != NULL; post = post->next) {
            post->result = STORE_FAILED;
        }
        pthread_mutex_unlock(&store->writer);
        return;
    }
    enum db_sqlite_outcome outcome = db_sqlite_run(worker->db, batch->first);
    if (outcome == DB_SQLITE_DONE) {
        store_recovered(&store->base);
    } else {
        store_complain(&store->base, db_sqlite_error(worker->db));
    }
    if (outcome == DB_SQLITE_BROKEN) {
        db_sqlite_close(worker->db);
        worker->db = NULL;
    }
    pthread_mutex_unlock(&store->writer);
}

static void *thread_main(void *arg) {
    struct sqlite_worker *worker = arg;
    pthread_mutex_lock(&worker->mutex);
    for (;;) {
        struct store_list batch = {0};
        while (worker->queue.first == NULL && !atomic_load(&worker->stop)) {
            pthread_cond_wait(&worker->changed, &worker->mutex);
        }
        if (atomic_load(&worker->stop)) {
            break;
        }
        while (batch.count < BATCH_MAX && worker->queue.first != NULL) {
            store_push(&batch, store_pop(&worker->queue));
        }
        pthread_mutex_unlock(&worker->mutex);
        run_batch(worker, &batch);
        pthread_mutex_lock(&worker->mutex);
        store_append(&worker->done, &batch);
        loop_wake(&worker->waker);
    }
    pthread_mutex_unlock(&worker->mutex);
    db_sqlite_close(worker->db);
    return NULL;
}

static int start_thread(struct sqlite_worker *worker) {
    const struct sqlite_store *store = (const struct sqlite_store *)worker->base.store;
    pthread_attr_t attr;
    sigset_t all;
    sigset_t before;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, THREAD_STACK);
    if (!store->any_cpu) {
        pthread_attr_setaffinity_np(&attr, sizeof store->cpus, &store->cpus);
    }
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&worker->thread, &attr, thread_main, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return error == 0 ? 0 : -1;
}

/* --- the loop's side ------------------------------------------------------------------------- */

static void on_wake(struct loop_waker *waker) {
    struct sqlite_worker *worker = waker->data;
    struct store_list done = {0};
    struct store_post *post;
    pthread_mutex_lock(&worker->mutex);
    store_append(&done, &worker->done);
    pthread_mutex_unlock(&worker->mutex);
    worker->waiting -= done.count;
    while ((post = store_pop(&done)) != NULL) {
        post->done(post);
    }
}

static void free_worker(struct sqlite_worker *worker) {
    loop_waker_close(worker->loop, &worker->waker);
    pthread_mutex_destroy(&worker->mutex);
    pthread_cond_destroy(&worker->changed);
    free(worker);
}

static struct store_worker *open_worker(struct store *store, struct loop *loop) {
    struct sqlite_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        return NULL;
    }
    worker->base.store = store;
    worker->loop = loop;
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->changed, NULL);
    if (loop_waker_open(loop, &worker->waker, on_wake, worker) != 0 || start_thread(worker) != 0) {
        free_worker(worker);
        return NULL;
    }
    return &worker->base;
}

static void close_worker(struct store_worker *base) {
    struct sqlite_worker *worker = (struct sqlite_worker *)base;
    struct store_post *post;
    pthread_mutex_lock(&worker->mutex);
    atomic_store(&worker->stop, true);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    pthread_join(worker->thread, NULL);
    for (struct store_post *left = worker->queue.first; left != NULL; left = left->next) {
        left->result = STORE_FAILED;
    }
    store_append(&worker->done, &worker->queue);
    while ((post = store_pop(&worker->done)) != NULL) {
        post->done(post);
    }
    free_worker(worker);
}

static int submit(struct store_worker *base, struct store_post *post) {
    struct sqlite_worker *worker = (struct sqlite_worker *)base;
    if (worker->waiting >= base->store->waiting_max) {
        return -1;
    }
    worker->waiting++;
    pthread_mutex_lock(&worker->mutex);
    bool idle = worker->queue.first == NULL;
    store_push(&worker->queue, post);
    pthread_mutex_unlock(&worker->mutex);
    if (idle) {
        pthread_cond_signal(&worker->changed);
    }
    return 0;
}

const struct store_type store_sqlite = {
    .scheme = SCHEME,
    .open = open_store,
    .close = close_store,
    .worker_open = open_worker,
    .worker_close = close_worker,
    .submit = submit,
};
