/* The store on SQLite without a server: results, order, bounds, closing. */
#include "common/store.h"
#include "store_loop.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_MS 20000

struct request {
    struct store_post post; /* first */
    char name[16];
    unsigned done;
    struct request *follow; /* submitted from inside done */
};

static struct small_loop loop;
static struct store *store;
static struct store_worker *worker;
static char folder[64];

static int set_up(void **state) {
    char error[256] = "";
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/loopbench-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
    small_loop_init(&loop);
    assert_int_equal(store_open(&store, NULL, 1, "test", error, sizeof error), 0);
    worker = store_worker_open(store, &loop.loop);
    assert_non_null(worker);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    store_worker_close(worker);
    store_close(store);
    assert_true(small_loop_empty(&loop));
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
    return 0;
}

static void on_done(struct store_post *post) {
    struct request *request = (struct request *)post;
    request->done++;
    if (request->follow != NULL) {
        assert_int_equal(store_submit(worker, &request->follow->post), 0);
    }
}

static void fill(struct request *request, unsigned number) {
    memset(request, 0, sizeof *request);
    (void)snprintf(request->name, sizeof request->name, "n%u", number);
    request->post.author = (struct app_slice){request->name, strlen(request->name)};
    request->post.content = APP_SLICE("content");
    request->post.date_ms = 1000;
    request->post.done = on_done;
}

static void turn_until_done(const struct request *requests, size_t count) {
    uint64_t end = idle_now() + DEADLINE_MS;
    for (size_t i = 0; i < count; i++) {
        while (requests[i].done == 0) {
            assert_true(idle_now() < end);
            small_loop_turn(&loop);
        }
    }
}

/* The id of the first document, which must be the request's own. */
static json_int_t check_own(const struct request *request) {
    const struct posts_text *text = &request->post.newest;
    assert_int_equal(request->post.result, STORE_DONE);
    json_t *root = json_loadb(text->base, text->len, 0, NULL);
    assert_int_equal(json_array_size(root), STORE_NEWEST);
    const json_t *first = json_array_get(root, 0);
    assert_string_equal(json_string_value(json_object_get(first, "author")), request->name);
    json_int_t id = json_integer_value(json_object_get(first, "id"));
    json_decref(root);
    return id;
}

static void release(struct request *requests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        posts_text_release(&requests[i].post.newest);
    }
}

/* Far more than a transaction takes: each sees itself first, in the order of handing over. */
static void test_batches(void **state) {
    enum { N = 300 };
    static struct request requests[N];
    (void)state;
    for (unsigned i = 0; i < N; i++) {
        fill(&requests[i], i);
        assert_int_equal(store_submit(worker, &requests[i].post), 0);
        assert_int_equal(requests[i].done, 0);
    }
    turn_until_done(requests, N);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(requests[i].done, 1);
        assert_int_equal(check_own(&requests[i]), STORE_SEEDS + 1 + i);
    }
    release(requests, N);
}

static void test_bound(void **state) {
    struct request requests[6];
    (void)state;
    store->waiting_max = 4;
    for (unsigned i = 0; i < 6; i++) {
        fill(&requests[i], i);
        assert_int_equal(store_submit(worker, &requests[i].post), i < 4 ? 0 : -1);
    }
    turn_until_done(requests, 4);
    /* Given back, there is room again. */
    fill(&requests[4], 4);
    assert_int_equal(store_submit(worker, &requests[4].post), 0);
    turn_until_done(&requests[4], 1);
    assert_int_equal(requests[5].done, 0);
    assert_int_equal(check_own(&requests[4]), STORE_SEEDS + 5);
    release(requests, 5);
}

static void test_submit_from_done(void **state) {
    struct request requests[3];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        fill(&requests[i], i);
        requests[i].follow = i < 2 ? &requests[i + 1] : NULL;
    }
    assert_int_equal(store_submit(worker, &requests[0].post), 0);
    turn_until_done(requests, 3);
    assert_int_equal(check_own(&requests[2]), STORE_SEEDS + 3);
    release(requests, 3);
}

/* Closed with requests in hand: each is given back once, stored or not. */
static void test_close(void **state) {
    enum { N = 200 };
    static struct request requests[N];
    (void)state;
    for (unsigned i = 0; i < N; i++) {
        fill(&requests[i], i);
        assert_int_equal(store_submit(worker, &requests[i].post), 0);
    }
    store_worker_close(worker);
    worker = NULL;
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(requests[i].done, 1);
        if (requests[i].post.result == STORE_DONE) {
            (void)check_own(&requests[i]);
        } else {
            assert_int_equal(requests[i].post.result, STORE_FAILED);
            assert_null(requests[i].post.newest.base);
        }
    }
    release(requests, N);
}

static void test_lists(void **state) {
    struct store_post posts[4] = {0};
    struct store_list a = {0};
    struct store_list b = {0};
    (void)state;
    assert_null(store_pop(&a));
    store_append(&a, &b);
    assert_null(a.first);
    store_push(&b, &posts[0]);
    store_push(&b, &posts[1]);
    store_append(&a, &b);
    assert_int_equal(a.count, 2);
    assert_int_equal(b.count, 0);
    assert_null(b.first);
    store_push(&b, &posts[3]);
    store_push(&a, &posts[2]);
    store_append(&a, &b);
    for (unsigned i = 0; i < 4; i++) {
        assert_ptr_equal(store_pop(&a), &posts[i]);
        assert_int_equal(a.count, 3 - i);
    }
    assert_null(store_pop(&a));
    store_push(&a, &posts[0]);
    assert_ptr_equal(store_pop(&a), &posts[0]);
}

static void test_urls(void **state) {
    static const char *const good[] = {"sqlite:x", "sqlite:/a b", "postgresql:///x",
                                       "postgres://x"};
    static const char *const bad[] = {"", "x", "sqlite", "sqlite:", "SQLITE:x", "mysql://x"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(store_check_url(good[i]), 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(store_check_url(bad[i]), -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_batches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_submit_from_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_close, set_up, tear_down),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_urls),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("store_sqlite", tests, NULL, NULL);
}
