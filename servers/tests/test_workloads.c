/* What the workloads are made of: queries, growing text, page templates, and the endpoints without
 * a transport. */
#include "common/loop.h"
#include "common/page.h"
#include "common/options.h"
#include "common/query.h"
#include "common/text.h"
#include "common/workloads.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct app_worker *worker;
static struct options options;

static int set_up(void **state) {
    (void)state;
    worker = aligned_alloc(64, (sizeof *worker + 63) / 64 * 64);
    assert_non_null(worker);
    app_worker_init(worker, &options, NULL);
    return routes_prepare();
}

static int tear_down(void **state) {
    (void)state;
    free(worker);
    return 0;
}

static struct app_slice slice(const char *text) {
    return (struct app_slice){text, strlen(text)};
}

static struct app_exchange make_exchange(enum app_method method, const char *path,
                                         const char *query) {
    return (struct app_exchange){
        .worker = worker,
        .method = method,
        .minor = 1,
        .num_hosts = 1,
        .path = slice(path),
        .query = query != NULL ? slice(query) : (struct app_slice){NULL, 0},
    };
}

static bool equals(struct app_slice got, const char *expected) {
    return got.len == strlen(expected) &&
           (got.len == 0 || memcmp(got.base, expected, got.len) == 0);
}

static void test_query(void **state) {
    static const struct {
        const char *query;
        const char *wrong; /* NULL: the value is right */
        uint64_t value;
    } rows[] = {
        {"n=0", NULL, 0},
        {"n=35", NULL, 35},
        {"n=7&m=8", NULL, 7},
        {"m=8&n=7", NULL, 7},
        {"&&n=7&", NULL, 7},
        {"nn=9&n=7&xn=3", NULL, 7},
        {"n=007", NULL, 7},
        {"n=00000000000000000000000000000000000007", NULL, 7},
        {NULL, "is missing", 0},
        {"", "is missing", 0},
        {"&", "is missing", 0},
        {"m=3", "is missing", 0},
        {"N=3", "is missing", 0},
        {"%6e=3", "is missing", 0},
        {"n=3&n=3", "is given more than once", 0},
        {"n=3&n", "is given more than once", 0},
        {"n=&n=", "is given more than once", 0},
        {"n", "is not a number", 0},
        {"n=", "is not a number", 0},
        {"n=x", "is not a number", 0},
        {"n=3x", "is not a number", 0},
        {"n=-3", "is not a number", 0},
        {"n=+3", "is not a number", 0},
        {"n=3.0", "is not a number", 0},
        {"n=0x3", "is not a number", 0},
        {"n= 3", "is not a number", 0},
        {"n=%33", "is not a number", 0},
        {"n==3", "is not a number", 0},
        {"n=36", "is out of range", 0},
        {"n=100", "is out of range", 0},
        {"n=18446744073709551615", "is out of range", 0},
        {"n=18446744073709551651", "is out of range", 0}, /* 2^64 + 35 */
        {"n=99999999999999999999999999999999", "is out of range", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct app_exchange exchange = make_exchange(APP_GET, "/fibonacci", rows[i].query);
        uint64_t value = 99;
        bool good = query_uint(&exchange, "n", 0, 35, &value);
        assert_int_equal(good, rows[i].wrong == NULL);
        if (good) {
            assert_int_equal(value, rows[i].value);
            continue;
        }
        char expected[200];
        (void)snprintf(expected, sizeof expected,
                       "The parameter n %s: give it once, a whole number from 0 to 35.",
                       rows[i].wrong);
        assert_int_equal(exchange.reply.status, 400);
        assert_true(equals(exchange.reply.body, expected));
        assert_true(exchange.reply.in_scratch);
        assert_false(exchange.reply.close);
    }
}

static void test_query_minimum(void **state) {
    struct app_exchange exchange = make_exchange(APP_GET, "/", "n=4");
    uint64_t value;
    (void)state;
    assert_false(query_uint(&exchange, "n", 5, UINT64_MAX - 1, &value));
    exchange.query = slice("n=5");
    assert_true(query_uint(&exchange, "n", 5, UINT64_MAX - 1, &value));
    exchange.query = slice("n=18446744073709551614");
    assert_true(query_uint(&exchange, "n", 5, UINT64_MAX - 1, &value));
    assert_true(value == UINT64_MAX - 1);
}

static void test_text(void **state) {
    struct text text = {0};
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        text_append_char(&text, (char)('a' + i % 26));
        assert_int_equal(text.len, i + 1);
        assert_true(text.size >= text.len && text.size <= (text.len < 16 ? 16 : 2 * text.len));
    }
    text_append(&text, NULL, 0);
    text_append(&text, "end", 3);
    assert_int_equal(text.len, 1003);
    assert_memory_equal(text.base + 998, "kl", 2);
    assert_memory_equal(text.base + 1000, "end", 3);
    assert_false(text.failed);
    free(text.base);
}

static void test_escape(void **state) {
    static const struct {
        const char *value, *html;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"&", "&amp;"},
        {"<script>alert(\"it's me\");</script>",
         "&lt;script&gt;alert(&quot;it&#39;s me&quot;);&lt;/script&gt;"},
        {"a&&b", "a&amp;&amp;b"},
        {"&amp;", "&amp;amp;"},
        {"žluťoučký 日本", "žluťoučký 日本"},
        {"<>&\"'", "&lt;&gt;&amp;&quot;&#39;"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text text = {0};
        text_append_html(&text, slice(rows[i].value));
        assert_true(equals((struct app_slice){text.base, text.len}, rows[i].html));
        free(text.base);
    }
}

static const char *const names[] = {"who", "what"};

static struct app_slice page_value_of(void *data, int field, int row) {
    static char number[8];
    (void)data;
    if (field == 0) {
        return row < 0 ? APP_SLICE("<all>") : APP_SLICE("one");
    }
    int len = snprintf(number, sizeof number, "%d", row);
    return (struct app_slice){number, (size_t)len};
}

static void check_page(const char *source, int rows, const char *expected) {
    struct page page;
    struct text text = {0};
    assert_int_equal(page_parse(&page, source, names, 2), 0);
    page_render(&page, &text, rows, page_value_of, NULL);
    assert_true(equals((struct app_slice){text.base, text.len}, expected));
    free(text.base);
}

static void test_page(void **state) {
    (void)state;
    check_page("", 3, "");
    check_page("text only", 3, "text only");
    check_page("{{who}}", 0, "&lt;all&gt;");
    check_page("a{{who}}b{{who}}c", 2, "a&lt;all&gt;b&lt;all&gt;c");
    check_page("[{{#rows}}{{what}},{{/rows}}]{{who}}", 3, "[0,1,2,]&lt;all&gt;");
    check_page("[{{#rows}}{{what}},{{/rows}}]", 0, "[]");
    check_page("{{#rows}}x{{/rows}}", 2, "xx");
    check_page("{ {not} }}", 1, "{ {not} }}");
}

static void test_page_mistakes(void **state) {
    static const char *const rows[] = {
        "{{unknown}}",
        "{{who",
        "{{}}",
        "{{ who }}",
        "{{/rows}}",
        "{{#rows}}x",
        "{{Who}}",
        "{{#rows}}{{#rows}}{{/rows}}",
        "{{#rows}}{{/rows}}{{/rows}}",
        "{{#rows}}{{/rows}}{{#rows}}{{/rows}}",
    };
    char many[1024] = "";
    size_t len = 0;
    struct page page;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(page_parse(&page, rows[i], names, 2), -1);
    }
    for (unsigned i = 0; i <= PAGE_MAX_PARTS; i++) {
        memcpy(many + len, "{{who}}", 7);
        len += 7;
        many[len] = '\0';
        assert_int_equal(page_parse(&page, many, names, 2), i < PAGE_MAX_PARTS ? 0 : -1);
    }
}

/* Runs an endpoint that answers at once. */
static struct app_exchange ask(enum app_method method, const char *path, const char *query) {
    struct app_exchange exchange = make_exchange(method, path, query);
    app_begin(&exchange);
    assert_int_equal(app_end(&exchange), APP_NOW);
    return exchange;
}

static void test_concat(void **state) {
    (void)state;
    struct app_exchange one = ask(APP_GET, "/concat", NULL);
    struct app_exchange two = ask(APP_GET, "/concat", NULL);
    unsigned counts[256] = {0};
    assert_int_equal(one.reply.body.len, 10000);
    assert_int_equal(two.reply.body.len, 10000);
    assert_memory_not_equal(one.reply.body.base, two.reply.body.base, 10000);
    for (size_t i = 0; i < 10000; i++) {
        counts[(unsigned char)one.reply.body.base[i]]++;
    }
    unsigned different = 0;
    for (int c = 0; c < 256; c++) {
        bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        assert_true(letter || counts[c] == 0);
        /* 161 expected, with a standard deviation of 12.6: ten of those. */
        assert_true(!letter || (counts[c] > 35 && counts[c] < 290));
        different += counts[c] != 0;
    }
    assert_int_equal(different, 62);
    app_finish(&one);
    app_finish(&two);
}

static void test_fibonacci(void **state) {
    static const struct {
        const char *query, *value;
    } rows[] = {{"n=0", "0"},   {"n=1", "1"},     {"n=2", "1"},
                {"n=10", "55"}, {"n=20", "6765"}, {"n=30", "832040"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct app_exchange exchange = ask(APP_GET, "/fibonacci", rows[i].query);
        assert_int_equal(exchange.reply.status, 200);
        assert_true(equals(exchange.reply.body, rows[i].value));
        app_finish(&exchange);
    }
}

static size_t count_in(struct app_slice text, const char *what) {
    size_t count = 0;
    const char *end = text.base + text.len;
    for (const char *at = text.base;
         (at = memmem(at, (size_t)(end - at), what, strlen(what))) != NULL; at++) {
        count++;
    }
    return count;
}

static void test_render(void **state) {
    (void)state;
    struct app_exchange one = ask(APP_GET, "/render", NULL);
    struct app_exchange two = ask(APP_HEAD, "/render", NULL);
    struct app_slice page = one.reply.body;
    assert_int_equal(page.len, two.reply.body.len);
    assert_memory_equal(page.base, two.reply.body.base, page.len); /* no chance in it */
    assert_int_equal(count_in(page, "<article id=\"post-"), 100);
    assert_int_equal(count_in(page, "<script"), 0);
    assert_int_equal(count_in(page, "&lt;script&gt;alert(&quot;it&#39;s me&quot;);&lt;/script&gt;"),
                     1);
    char last[21] = "9999";
    const char *end = page.base + page.len;
    for (const char *at = page.base;
         (at = memmem(at, (size_t)(end - at), "datetime=\"", 10)) != NULL;) {
        char date[21] = "";
        at += 10;
        memcpy(date, at, 20);
        assert_true(strcmp(date, last) <= 0);
        memcpy(last, date, sizeof last);
    }
    app_finish(&one);
    app_finish(&two);
}

static void test_bytes(void **state) {
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1024, 100001, (size_t)16 * 1024 * 1024, 70};
    const char *base = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char query[32];
        (void)snprintf(query, sizeof query, "n=%zu", sizes[i]);
        struct app_exchange exchange = ask(APP_GET, "/bytes", query);
        assert_int_equal(exchange.reply.body.len, sizes[i]);
        assert_false(exchange.reply.in_scratch);
        assert_true(base == NULL || base == exchange.reply.body.base); /* the one block */
        base = exchange.reply.body.base;
        for (size_t at = 0; at + 64 <= sizes[i]; at += 64) {
            char digits[9];
            (void)snprintf(digits, sizeof digits, "%08zx", at);
            assert_memory_equal(base + at, digits, 8);
            assert_int_equal(base[at + 63], '\n');
        }
        app_finish(&exchange);
    }
    struct app_exchange exchange = ask(APP_GET, "/bytes", "n=16777217");
    assert_int_equal(exchange.reply.status, 400);
    app_finish(&exchange);
}

static void check_upload(const char *const pieces[], size_t count, const char *expected) {
    struct app_exchange exchange = make_exchange(APP_POST, "/upload", NULL);
    app_begin(&exchange);
    for (size_t i = 0; i < count; i++) {
        app_body(&exchange, pieces[i], strlen(pieces[i]));
    }
    assert_int_equal(app_end(&exchange), APP_NOW);
    assert_true(equals(exchange.reply.body, expected));
    app_finish(&exchange);
    assert_null(exchange.state);
}

static void test_upload(void **state) {
    static const char *const whole[] = {"123456789"};
    static const char *const cut[] = {"1", "", "2345", "6789"};
    (void)state;
    /* cbf43926 is the check value of CRC-32 in every catalogue of CRCs. */
    check_upload(whole, 1, "{\"length\":9,\"crc32\":\"cbf43926\"}");
    check_upload(cut, 4, "{\"length\":9,\"crc32\":\"cbf43926\"}");
    check_upload(NULL, 0, "{\"length\":0,\"crc32\":\"00000000\"}");
    struct app_exchange exchange = ask(APP_GET, "/upload", NULL);
    assert_int_equal(exchange.reply.status, 405);
    assert_true(equals(exchange.reply.allow, "POST"));
    app_finish(&exchange);
}

/* A loop whose timers are fired by hand. */
static struct loop_timer *running;
static unsigned readied;
static bool out_of_memory;

static int fake_start(struct loop *loop, struct loop_timer *timer, uint64_t ms) {
    assert_int_equal(ms, 25);
    timer->impl = out_of_memory ? NULL : loop;
    running = out_of_memory ? NULL : timer;
    return out_of_memory ? -1 : 0;
}

static void fake_cancel(struct loop *loop, struct loop_timer *timer) {
    (void)loop;
    assert_ptr_equal(timer, running);
    running = NULL;
    timer->impl = NULL;
}

static void on_ready(struct app_exchange *exchange) {
    readied++;
    assert_int_equal(exchange->reply.status, 200);
    assert_true(equals(exchange->reply.body, "OK"));
    app_finish(exchange);
}

static void test_wait(void **state) {
    static const struct loop_ops ops = {.start = fake_start, .cancel = fake_cancel};
    struct loop loop = {&ops};
    (void)state;
    worker->loop = &loop;
    struct app_exchange exchange = make_exchange(APP_GET, "/wait", "ms=25");
    exchange.ready = on_ready;
    app_begin(&exchange);
    assert_int_equal(app_end(&exchange), APP_LATER);
    running->impl = NULL;
    running->on_fire(running);
    assert_int_equal(readied, 1);

    /* The client goes away first: the timer is gone with it. */
    app_begin(&exchange);
    assert_int_equal(app_end(&exchange), APP_LATER);
    assert_non_null(running);
    app_finish(&exchange);
    assert_null(running);
    assert_int_equal(readied, 1);

    out_of_memory = true;
    struct app_exchange refused = ask(APP_GET, "/wait", "ms=25");
    assert_int_equal(refused.reply.status, 503);
    app_finish(&refused);
    out_of_memory = false;

    refused = ask(APP_GET, "/wait", "ms=60001");
    assert_int_equal(refused.reply.status, 400);
    app_finish(&refused);
    worker->loop = NULL;
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_query),  TEST(test_query_minimum), TEST(test_text),   TEST(test_escape),
        TEST(test_page),   TEST(test_page_mistakes), TEST(test_concat), TEST(test_fibonacci),
        TEST(test_render), TEST(test_bytes),         TEST(test_upload), TEST(test_wait),
    };
#undef TEST
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
