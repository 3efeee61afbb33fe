/* http1: what is answered to which bytes, however they are cut. */
#include "http1_harness.h"

#include <stdio.h>

#define HOST   "Host: a\r\n"
#define GET(p) "GET " p " HTTP/1.1\r\n" HOST "\r\n"

static struct harness_world *world;

/* "200 404/close": the statuses in order, then how it ended when it did. */
static void summarise(const struct harness *h, char *out, size_t size) {
    size_t len = 0;
    out[0] = '\0';
    for (const char *at = h->out; (at = strstr(at, "HTTP/1.1 ")) != NULL; at += 9) {
        len += (size_t)snprintf(out + len, size - len, "%s%.3s", len != 0 ? " " : "", at + 9);
    }
    const char *end = h->next == HTTP1_READ     ? ""
                      : h->next == HTTP1_CLOSE  ? "/close"
                      : h->next == HTTP1_LINGER ? "/linger"
                                                : "/other";
    (void)snprintf(out + len, size - len, "%s", end);
}

static const struct {
    const char *name, *input, *expected;
} cases[] = {
    {"hello", GET("/hello"), "200"},
    {"root", GET("/"), "200"},
    {"query is ignored", GET("/hello?x=1?y"), "200"},
    {"path is compared as it is", GET("/%68ello"), "404"},
    {"absolute form", GET("http://a.b:1/hello"), "200"},
    {"absolute form, no path", GET("http://a.b"), "200"},
    {"not found", GET("/nothing"), "404"},
    {"star", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "404"},
    {"wrong method", "DELETE /hello HTTP/1.1\r\n" HOST "\r\n", "405"},
    {"connect is a method like any", "CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n" GET("/"), "404 200"},
    {"head", "HEAD /html HTTP/1.1\r\n" HOST "\r\n", "200"},
    {"pipelined", GET("/hello") GET("/json") GET("/x") "HEAD / HTTP/1.1\r\n" HOST "\r\n" GET("/"),
     "200 200 404 200 200"},
    {"empty lines before a request", "\r\n\r\n\n" GET("/") "\r\n" GET("/"), "200 200"},
    {"1.1 close", "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", "200/close"},
    {"close, any case, in a list", "GET / HTTP/1.1\r\n" HOST "connection: foo, CLOSE\r\n\r\n",
     "200/close"},
    {"close between tabs", "GET / HTTP/1.1\r\n" HOST "Connection: \t close \t \r\n\r\n",
     "200/close"},
    {"1.0 keep-alive after a tab", "GET / HTTP/1.0\r\nConnection: x,\tkeep-alive\r\n\r\n" GET("/"),
     "200 200"},
    {"close in a second header",
     "GET / HTTP/1.1\r\n" HOST
     "Connection: keep-alive\r\nConnection: x\r\nconnection: y, close\r\n\r\n",
     "200/close"},
    {"tokens that only begin like close",
     "GET / HTTP/1.1\r\n" HOST "Connection: closed, clos\r\n\r\n", "200"},
    {"chunk longer than it says",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n",
     "400/linger"},
    {"close beats keep-alive", "GET / HTTP/1.1\r\n" HOST "Connection: close, keep-alive\r\n\r\n",
     "200/close"},
    {"what follows a close is not answered",
     "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n" GET("/"), "200/linger"},
    {"1.0", "GET / HTTP/1.0\r\n\r\n", "200/close"},
    {"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" GET("/"), "200 200"},
    {"1.0 keep-alive and close", "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
     "200/close"},
    {"upgrade is ignored",
     "GET / HTTP/1.1\r\n" HOST "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
     "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n" GET("/"),
     "200 200"},
    {"upgrade with a body",
     "POST / HTTP/1.1\r\n" HOST
     "Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 4\r\n\r\nGET " GET("/"),
     "405 200"},
    {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400/linger"},
    {"body by length", "POST /x HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nGET /" GET("/"),
     "404 200"},
    {"body of a GET", "GET /hello HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc" GET("/"),
     "200 200"},
    {"chunked",
     "POST /x HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
     "4\r\nGET \r\n3;c=\"d;e\"\r\nabc\r\n1;a;b\r\nx\r\n0\r\nTrailer: x\r\nHost: y\r\n\r\n" GET("/"),
     "404 200"},
    {"empty header name", "GET / HTTP/1.1\r\n" HOST ": x\r\n\r\n", "400/linger"},
    {"folded header", "GET / HTTP/1.1\r\n" HOST "X: a\r\n b\r\n\r\n", "200"},
    {"folded length", "POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n 2\r\n\r\nx", "400/linger"},
    {"folded coding",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n , gzip\r\n\r\n0\r\n\r\n",
     "400/linger"},
    {"bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", "400/linger"},
    {"bare line feeds in chunks",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n", "400/linger"},
    {"Chunked, any case", "GET / HTTP/1.1\r\n" HOST "TRANSFER-ENCODING:  Chunked \r\n\r\n0\r\n\r\n",
     "200"},
    {"expect, length",
     "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx", "100 405"},
    {"expect, chunked",
     "POST / HTTP/1.1\r\n" HOST
     "expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "100 405"},
    {"expect without a body", "GET / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n\r\n", "200"},
    {"expect in 1.0 is ignored",
     "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", "405/close"},
    {"expect something else",
     "POST / HTTP/1.1\r\n" HOST "Expect: miracle\r\nContent-Length: 1\r\n\r\nx", "417/linger"},
    {"expect, too large: no 100",
     "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 1048577\r\n\r\n",
     "413/linger"},
    {"the largest length", "POST / HTTP/1.1\r\n" HOST "Content-Length: 1048576\r\n\r\n", ""},
    {"one more", "POST / HTTP/1.1\r\n" HOST "Content-Length: 1048577\r\n\r\n", "413/linger"},
    {"the largest chunk",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\nFFFFF\r\n", ""},
    {"one more in a chunk",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n100000\r\n",
     "413/linger"},
    {"no host", "GET / HTTP/1.1\r\n\r\n", "400/linger"},
    {"no host needed in 1.0", "GET / HTTP/1.0\r\n\r\n", "200/close"},
    {"two hosts", "GET / HTTP/1.1\r\n" HOST HOST "\r\n", "400/linger"},
    {"two hosts in 1.0", "GET / HTTP/1.0\r\n" HOST "hOST:\r\n\r\n", "400/linger"},
    {"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "200"},
    {"host-like names", "GET / HTTP/1.1\r\nHosts: a\r\nHos: b\r\nXHost: c\r\n\r\n", "400/linger"},
    {"length twice", "POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
     "400/linger"},
    {"lengths that differ",
     "POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", "400/linger"},
    {"length in a list", "POST / HTTP/1.1\r\n" HOST "Content-Length: 1, 1\r\n\r\nx", "400/linger"},
    {"negative length", "POST / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n", "400/linger"},
    {"signed length", "POST / HTTP/1.1\r\n" HOST "Content-Length: +1\r\n\r\nx", "400/linger"},
    {"empty length", "POST / HTTP/1.1\r\n" HOST "Content-Length: \r\n\r\n", "400/linger"},
    {"length over 64 bits",
     "POST / HTTP/1.1\r\n" HOST "Content-Length: 18446744073709551616\r\n\r\n", "400/linger"},
    {"length and coding",
     "POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "400/linger"},
    {"coding and length",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
     "400/linger"},
    {"unknown coding", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\n", "400/linger"},
    {"unknown coding, then chunked",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "400/linger"},
    {"chunked, then unknown",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", "400/linger"},
    {"coding twice",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
     "0\r\n\r\n",
     "400/linger"},
    {"coding like chunked",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "400/linger"},
    {"empty coding", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding:\r\n\r\n", "400/linger"},
    {"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "400/linger"},
    {"bad chunk size", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
     "400/linger"},
    {"chunk size over 64 bits",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n",
     "400/linger"},
    {"unknown method", "BREW / HTTP/1.1\r\n" HOST "\r\n", "400/linger"},
    {"lower-case method", "get / HTTP/1.1\r\n" HOST "\r\n", "400/linger"},
    {"no version", "GET /\r\n", "400/linger"},
    {"version 2", "GET / HTTP/2.0\r\n" HOST "\r\n", "400/linger"},
    {"version 1.2", "GET / HTTP/1.2\r\n" HOST "\r\n", "400/linger"},
    {"blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400/linger"},
    {"blank before the colon of a framing header",
     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "400/linger"},
    {"tab before the colon", "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding\t: chunked\r\n\r\n",
     "400/linger"},
    {"header without a colon", "GET / HTTP/1.1\r\n" HOST "nonsense\r\n\r\n", "400/linger"},
    {"control character", "GET / HTTP/1.1\r\n" HOST "X: a\001b\r\n\r\n", "400/linger"},
    {"TLS", "\026\003\001\002", "400/linger"},
    {"answered until the bad one", GET("/") GET("/json") "garbage\r\n\r\n" GET("/"),
     "200 200 400/linger"},
};
enum { NUM_CASES = sizeof cases / sizeof cases[0] };

static void feed_pieces(struct harness *h, const char *input, size_t first, size_t step) {
    size_t len = strlen(input);
    size_t at = 0;
    while (at < len && h->next == HTTP1_READ) {
        size_t n = at == 0 ? first : step;
        n = n > len - at ? len - at : n;
        harness_feed(h, input + at, n);
        at += n;
    }
    /* How the end is reached depends on how much was read by then: both close the connection. */
    if (h->next == HTTP1_LINGER && strstr(h->out, "HTTP/1.1 4") == NULL) {
        h->next = HTTP1_CLOSE;
    }
    harness_blank_dates(h);
}

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < NUM_CASES; i++) {
        char got[128];
        struct harness h;
        harness_init(&h, world);
        harness_feed(&h, cases[i].input, strlen(cases[i].input));
        summarise(&h, got, sizeof got);
        if (strcmp(got, cases[i].expected) != 0) {
            print_error("# %s\n", cases[i].name);
        }
        assert_string_equal(got, cases[i].expected);
        harness_release(&h);
    }
}

static void assert_same(const struct harness *a, const struct harness *b, const char *name,
                        size_t cut) {
    if (a->next != b->next || strcmp(a->out, b->out) != 0) {
        print_error("# %s, cut at %zu\n", name, cut);
    }
    assert_string_equal(a->out, b->out);
    assert_int_equal(a->next, b->next);
}

static void test_every_cut(void **state) {
    (void)state;
    for (size_t i = 0; i < NUM_CASES; i++) {
        size_t len = strlen(cases[i].input);
        struct harness whole;
        harness_init(&whole, world);
        feed_pieces(&whole, cases[i].input, len, len);
        for (size_t cut = 1; cut <= len; cut++) {
            struct harness two;
            harness_init(&two, world);
            /* The last round is byte by byte. */
            feed_pieces(&two, cases[i].input, cut == len ? 1 : cut, cut == len ? 1 : len);
            assert_same(&whole, &two, cases[i].name, cut);
            harness_release(&two);
        }
        harness_release(&whole);
    }
}

#define REPLY(status, connection, length, rest)                                                    \
    "HTTP/1.1 " status "\r\nDate: -----------------------------\r\nConnection: " connection        \
    "\r\nContent-Length: " length "\r\nServer: loopbench\r\n" rest

static void test_exact_bytes(void **state) {
    static const char input[] = GET("/hello") "HEAD /hello HTTP/1.1\r\n" HOST "\r\n" GET(
        "/json") "PUT /json HTTP/1.1\r\n" HOST "\r\n" GET("/none") "GET / HTTP/1.0\r\n\r\n";
    struct harness h;
    (void)state;
    harness_init(&h, world);
    harness_feed(&h, input, sizeof input - 1);
    harness_blank_dates(&h);
    assert_string_equal(
        h.out,
        REPLY("200 OK", "keep-alive", "12", "content-type: text/plain\r\n\r\nHello world!")
            REPLY("200 OK", "keep-alive", "12", "content-type: text/plain\r\n\r\n")
                REPLY("200 OK", "keep-alive", "31",
                      "content-type: application/json\r\n\r\n{\"test\":1,\"data\":\"hello world\"}")
                    REPLY("405 Method Not Allowed", "keep-alive", "18",
                          "content-type: text/plain\r\nallow: GET, HEAD\r\n\r\nMethod Not Allowed")
                        REPLY("404 Not Found", "keep-alive", "50",
                              "content-type: text/html\r\n\r\n"
                              "<!doctype html><title>404</title><p>Not Found</p>\n")
                            REPLY("200 OK", "close", "12",
                                  "content-type: text/plain\r\n\r\nHello world!"));
    assert_int_equal(h.writes, 1); /* six replies */
    assert_int_equal(h.next, HTTP1_CLOSE);
    harness_release(&h);
}

static void test_html_is_utf8(void **state) {
    struct harness h;
    (void)state;
    harness_init(&h, world);
    harness_feed(&h, GET("/html"), strlen(GET("/html")));
    assert_non_null(strstr(h.out, "\r\ncontent-type: text/html; charset=utf-8\r\n"));
    assert_non_null(strstr(h.out, "\xc4\x8d"));
    size_t body = strlen(strstr(h.out, "\r\n\r\n") + 4);
    size_t said = strtoul(strstr(h.out, "Content-Length: ") + 16, NULL, 10);
    assert_int_equal(body, said);
    harness_release(&h);
}

static void assert_summary(struct harness *h, const char *expected) {
    char got[128];
    summarise(h, got, sizeof got);
    assert_string_equal(got, expected);
}

/* A request whose head has `len` bytes, filled up by a header or by the target's query. */
static char *sized_request(size_t len, bool in_target) {
    const char *begin = in_target ? "GET /hello?" : "GET /hello HTTP/1.1\r\nHost: a\r\nX: ";
    const char *end = in_target ? " HTTP/1.1\r\nHost: a\r\n\r\n" : "\r\n\r\n";
    char *text = malloc(len + 1);
    assert_non_null(text);
    memset(text, 'a', len);
    for (size_t i = 0; begin[i] != '\0'; i++) {
        text[i] = begin[i];
    }
    for (size_t i = 0; i <= strlen(end); i++) {
        text[len - strlen(end) + i] = end[i];
    }
    return text;
}

static void try_sized(size_t len, bool in_target, size_t step, const char *expected) {
    char *text = sized_request(len, in_target);
    struct harness h;
    harness_init(&h, world);
    harness_feed(&h, GET("/"), strlen(GET("/"))); /* limits count anew for each request */
    size_t at = 0;
    while (at < len && h.next == HTTP1_READ) {
        size_t n = step < len - at ? step : len - at;
        harness_feed(&h, text + at, n);
        at += n;
    }
    assert_summary(&h, expected);
    harness_release(&h);
    free(text);
}

static void test_head_limit(void **state) {
    (void)state;
    for (size_t step = 1; step <= 65536; step = step * 7 + 1) {
        try_sized(APP_MAX_HEAD, false, step, "200 200");
        try_sized(APP_MAX_HEAD + 1, false, step, "200 431/linger");
    }
}

static void test_target_limit(void **state) {
    size_t around = strlen("GET  HTTP/1.1\r\nHost: a\r\n\r\n");
    (void)state;
    for (size_t step = 1; step <= 65536; step = step * 7 + 1) {
        try_sized(APP_MAX_TARGET + around, true, step, "200 200");
        try_sized(APP_MAX_TARGET + around + 1, true, step, "200 414/linger");
    }
}

/* A target without end is refused when the limit is passed, not at its end. */
static void test_target_refused_early(void **state) {
    char piece[1000];
    size_t sent = 5;
    struct harness h;
    (void)state;
    memset(piece, 'x', sizeof piece);
    harness_init(&h, world);
    harness_feed(&h, "GET /", 5);
    while (h.next == HTTP1_READ && sent < 100000) {
        harness_feed(&h, piece, sizeof piece);
        sent += sizeof piece;
    }
    assert_summary(&h, "414/linger");
    assert_true(sent <= APP_MAX_TARGET + sizeof piece + 5);
    harness_release(&h);
}

/* Trailers and chunk extensions without end are bounded too. */
static void test_framing_is_bounded(void **state) {
    static const char *const begins[] = {"0\r\nTrailer: ", "1;extension="};
    char piece[1000];
    (void)state;
    memset(piece, 'x', sizeof piece);
    for (size_t i = 0; i < 2; i++) {
        static const char head[] = "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";
        struct harness h;
        size_t sent = 0;
        harness_init(&h, world);
        harness_feed(&h, head, sizeof head - 1);
        harness_feed(&h, begins[i], strlen(begins[i]));
        while (h.next == HTTP1_READ && sent < 1000000) {
            harness_feed(&h, piece, sizeof piece);
            sent += sizeof piece;
        }
        assert_summary(&h, "431/linger");
        assert_true(sent <= 3 * APP_MAX_HEAD);
        harness_release(&h);
    }
}

/* Many tiny chunks up to the limit are fine; the byte too many is refused. */
static void test_chunked_body_limit(void **state) {
    static const char head[] = "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";
    struct harness h;
    (void)state;
    world->worker.max_body = 20000;
    harness_init(&h, world);
    harness_feed(&h, head, sizeof head - 1);
    for (size_t i = 0; i < world->worker.max_body; i++) {
        harness_feed(&h, "1\r\nx\r\n", 6);
    }
    harness_feed(&h, "1\r\n", 3);
    assert_summary(&h, "413/linger");
    world->worker.max_body = world->options.max_body;
    harness_release(&h);
}

/* Between requests a connection holds nothing, whatever came before. */
static void test_idle_holds_nothing(void **state) {
    static const char input[] = "POST /x?y HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc";
    struct harness h;
    (void)state;
    harness_init(&h, world);
    assert_true(http1_idle(&h.http));
    for (size_t i = 0; i < sizeof input - 1; i++) {
        harness_feed(&h, input + i, 1);
        assert_int_equal(http1_idle(&h.http), i == sizeof input - 2);
    }
    assert_null(h.http.kept);
    assert_null(h.http.stash);
    assert_null(h.http.pending);
    harness_release(&h);
}

static void test_requests_are_counted(void **state) {
    uint64_t before = stats_get(&world->app.counters.requests);
    struct harness h;
    (void)state;
    harness_init(&h, world);
    harness_feed(&h, GET("/") GET("/none") "bad\r\n", strlen(GET("/") GET("/none") "bad\r\n"));
    assert_int_equal(stats_get(&world->app.counters.requests) - before, 2);
    harness_release(&h);
}

static int set_up(void **state) {
    (void)state;
    world = world_new();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    free(world);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_exact_bytes),
        cmocka_unit_test(test_html_is_utf8),
        cmocka_unit_test(test_head_limit),
        cmocka_unit_test(test_target_limit),
        cmocka_unit_test(test_target_refused_early),
        cmocka_unit_test(test_framing_is_bounded),
        cmocka_unit_test(test_chunked_body_limit),
        cmocka_unit_test(test_idle_holds_nothing),
        cmocka_unit_test(test_requests_are_counted),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("http1", tests, set_up, tear_down);
}
