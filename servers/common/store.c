#include "common/store.h"

#include "common/idle.h"
#include "common/server.h"

#include <stdio.h>
#include <string.h>

#define COMPLAIN_MS 5000

static const struct store_type *const types[] = {&store_sqlite, &store_postgres};

/* The other name libpq takes for the same. */
static const char short_postgres[] = "postgres://";

static const struct store_type *find_type(const char *url) {
    if (url == NULL || *url == '\0') {
        return &store_sqlite;
    }
    if (strncmp(url, short_postgres, sizeof short_postgres - 1) == 0) {
        return &store_postgres;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t len = strlen(types[i]->scheme);
        if (strncmp(url, types[i]->scheme, len) == 0 && url[len] != '\0') {
            return types[i];
        }
    }
    return NULL;
}

int store_check_url(const char *url) {
    return *url != '\0' && find_type(url) != NULL ? 0 : -1;
}

int store_open(struct store **store, const char *url, unsigned workers, const char *program,
               char *error, size_t error_size) {
    const struct store_type *type = find_type(url);
    *store = NULL;
    if (type == NULL) {
        (void)snprintf(error, error_size, "no such kind of database");
        return -1;
    }
    struct store *opened = type->open(url != NULL ? url : "", error, error_size);
    if (opened == NULL) {
        return -1;
    }
    opened->type = type;
    opened->program = program;
    opened->waiting_max = STORE_WAITING_MAX;
    opened->workers = workers;
    *store = opened;
    return 0;
}

void store_close(struct store *store) {
    if (store != NULL) {
        store->type->close(store);
    }
}

struct store_worker *store_worker_open(struct store *store, struct loop *loop) {
    return store->type->worker_open(store, loop);
}

void store_worker_close(struct store_worker *worker) {
    if (worker != NULL) {
        worker->store->type->worker_close(worker);
    }
}

int store_submit(struct store_worker *worker, struct store_post *post) {
    post->next = NULL;
    post->newest = (struct posts_text){0};
    return worker->store->type->submit(worker, post);
}

void store_push(struct store_list *list, struct store_post *post) {
    post->next = NULL;
    if (list->first == NULL) {
        list->end = &list->first;
    }
    *list->end = post;
    list->end = &post->next;
    list->count++;
}

struct store_post *store_pop(struct store_list *list) {
    struct store_post *post = list->first;
    if (post != NULL) {
        list->first = post->next;
        list->count--;
        post->next = NULL;
    }
    return post;
}

void store_append(struct store_list *list, struct store_list *from) {
    if (from->first == NULL) {
        return;
    }
    if (list->first == NULL) {
        list->end = &list->first;
    }
    *list->end = from->first;
    list->end = from->end;
    list->count += from->count;
    *from = (struct store_list){0};
}

void store_complain(struct store *store, const char *text) {
    uint64_t now = idle_now();
    uint64_t last = atomic_load(&store->complained_ms);
    /* An outage that begins too soon after the last line is told of once that is long enough ago.
     */
    if (!atomic_load(&store->failing) && (last == 0 || now - last >= COMPLAIN_MS) &&
        atomic_compare_exchange_strong(&store->complained_ms, &last, now)) {
        atomic_store(&store->failing, true);
        (void)fprintf(stderr, "%s: /posts: %s\n", store->program, text);
    }
}

uint64_t store_patience_ms(void) {
    return server_draining() ? STORE_DRAIN_PATIENCE_MS : STORE_PATIENCE_MS;
}

void store_recovered(struct store *store) {
    if (atomic_load_explicit(&store->failing, memory_order_relaxed)) {
        atomic_store(&store->failing, false);
    }
}
