/* verify: judging and comparing replies, and whole contracts against a server of the test's own
 * that keeps the contract or breaks it in one way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/workload.h"
#include "bodies.h"
#include "scripted.h"
#include "target/verify_parts.h"

#define SECOND 1000000000LL
#define DATE   "Mon, 30 Nov 2026 12:00:00 GMT"
#define NOON   1796040000

static void test_date(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t when;
    } cases[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Thu, 29 Feb 2024 23:59:59 GMT", 1709251199},
        {DATE, NOON},
        {"Mon, 06 Nov 1994 08:49:37 GMT", -1},  /* it was a Sunday */
        {"Sun, 6 Nov 1994 08:49:37 GMT", -1},   /* one digit */
        {"Sun, 06 Nov 1994 08:49:37 UTC", -1},  /* not GMT */
        {"Thu, 30 Feb 2024 00:00:00 GMT", -1},  /* no such day */
        {"Sun, 06 ovD 1994 08:49:37 GMT", -1},  /* no such month */
        {"Sunday, 06-Nov-94 08:49:37 GMT", -1}, /* obsolete form */
        {"Sun, 06 Nov 1994 08:49:37 GMT ", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (verify_parse_date(cases[i].text) != cases[i].when) {
            fail_msg("'%s' gave %lld", cases[i].text, (long long)verify_parse_date(cases[i].text));
        }
    }
}

static void test_printable(void **state) {
    (void)state;
    char out[16];
    verify_printable("a\r\n\"\\\x1b\xff", 7, out, sizeof out);
    assert_string_equal(out, "a\\r\\n\\\"\\\\...");
    verify_printable("a\x1b\xff", 3, out, sizeof out);
    assert_string_equal(out, "a\\x1b\\xff");
    verify_printable("", 0, out, sizeof out);
    assert_string_equal(out, "");
    for (size_t size = 4; size < 16; size++) {
        memset(out, 'x', sizeof out);
        verify_printable("\xff\xff\xff\xff\xff\xff", 6, out, size);
        assert_true(strlen(out) < size);
    }
}

/* A reply received at NOON. */
static void reply_from(struct http_reply *r, const char *text, bool to_head) {
    struct http_parser *p = http_parser_new(r, to_head);
    size_t used;
    bool done;
    assert_int_equal(http_parser_feed(p, text, strlen(text), &used, &done), HTTP_OK);
    assert_true(done);
    http_parser_free(p);
    r->sent_s = r->received_s = NOON;
}

#define HEAD_OF(date, connection, length, server)                                                  \
    "HTTP/1.1 200 OK\r\nDate: " date "\r\nConnection: " connection "\r\nContent-Length: " length   \
    "\r\nServer: " server "\r\ncontent-type: text/plain\r\n\r\n"
#define GOOD HEAD_OF(DATE, "keep-alive", "12", "loopbench") "Hello world!"

static void test_reply(void **state) {
    (void)state;
    static const struct {
        const char *reply;
        const char *wrong; /* checks that fail, with ours */
        const char *guest; /* with a guest */
    } cases[] = {
        {GOOD, "", ""},
        {HEAD_OF("Mon, 30 Nov 2026 12:00:01 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         "", ""},
        {HEAD_OF("Mon, 30 Nov 2026 11:59:59 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         "", ""},
        {HEAD_OF("Mon, 30 Nov 2026 12:00:02 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         "Date within a second;", "Date within a second;"},
        {HEAD_OF("Mon, 30 Nov 2026 11:59:58 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         "Date within a second;", "Date within a second;"},
        {HEAD_OF("now", "keep-alive", "12", "loopbench") "Hello world!", "Date;", "Date;"},
        {HEAD_OF(DATE, "keep-alive", "13", "loopbench") "Hello world!\n", "body;", "body;"},
        {HEAD_OF(DATE, "keep-alive", "012", "loopbench") "Hello world!", "Content-Length;", ""},
        {HEAD_OF(DATE, "keep-alive", "12", "nginx") "Hello world!", "Server;", ""},
        {"HTTP/1.1 500 Oops\r\nDate: " DATE
         "\r\nConnection: close\r\nContent-Length: 0\r\nServer: loopbench\r\n\r\n",
         "status;", "status;"},
        {"HTTP/1.1 200 OK\r\nServer: loopbench\r\nDate: " DATE
         "\r\nConnection: keep-alive\r\nContent-Length: 12\r\nContent-Type: Text/Plain; "
         "charset=utf-8\r\n\r\nHello world!",
         "order of headers;", ""},
        {"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello world!",
         "order of headers;Date;content type;", "content type;"},
        {"HTTP/1.0 200 OK\r\nDate: " DATE
         "\r\nConnection: keep-alive\r\nContent-Length: 12\r\nServer: loopbench\r\n"
         "content-type: text/plainer\r\n\r\nHello world!",
         "version;content type;", "content type;"},
    };
    struct verify_probe probe = {.name = "GET /hello",
                                 .workload = workload_find("hello"),
                                 .status = 200,
                                 .content_type = "text/plain",
                                 .length = -1};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        bool guest = i % 2;
        struct verify_target target = {.name = "t", .kind = guest ? VERIFY_GUEST : VERIFY_OURS};
        struct verify_findings f = {0};
        struct http_reply r = {0};
        struct err e = {0};
        char wrong[200] = "";
        size_t used = 0;
        reply_from(&r, cases[i / 2].reply, false);
        assert_int_equal(verify_check_reply(&target, &probe, &r, &f, &e), 0);
        for (size_t k = 0; k < f.n; k++) {
            if (f.items[k].level == VERIFY_FAIL) {
                assert_memory_equal(f.items[k].check, "GET /hello: ", 12);
                used += (size_t)snprintf(wrong + used, sizeof wrong - used, "%s;",
                                         f.items[k].check + 12);
            }
        }
        const char *wanted = guest ? cases[i / 2].guest : cases[i / 2].wrong;
        if (strcmp(wrong, wanted) != 0) {
            fail_msg("case %zu, guest %d: wrong were '%s', not '%s'", i / 2, guest, wrong, wanted);
        }
        assert_int_equal(verify_failures(&f) == 0, f.n == 1 && f.items[0].level == VERIFY_PASS);
        verify_findings_release(&f);
        http_reply_release(&r);
    }
}

static void test_same(void **state) {
    (void)state;
    static const struct {
        const char *reply;
        bool same;
        const char *in_a, *in_b;
    } cases[] = {
        {GOOD, true, "", ""},
        {HEAD_OF("Tue, 01 Dec 2026 00:00:00 GMT", "keep-alive", "12", "loopbench") "Hello world!",
         true, "", ""},
        {HEAD_OF(" " DATE, "keep-alive", "12", "loopbench") "Hello world!", false,
         "\"Date: " DATE "\\r\\n\"", "\"Date:  " DATE "\\r\\n\""},
        {HEAD_OF(DATE, "Keep-Alive", "12", "loopbench") "Hello world!", false,
         "\"Connection: keep-alive\\r\\n\"", "\"Connection: Keep-Alive\\r\\n\""},
        {HEAD_OF(DATE, "keep-alive", "12", "loopbench") "Hello World!", false,
         "body of 12 bytes, from byte 0: \"Hello world!\"",
         "body of 12 bytes, from byte 0: \"Hello World!\""},
        {HEAD_OF(DATE, "keep-alive", "13", "loopbench") "Hello world!!", false,
         "\"Content-Length: 12\\r\\n\"", "\"Content-Length: 13\\r\\n\""},
        {"HTTP/1.1 200 OK\r\nDate: " DATE "\r\nConnection: keep-alive\r\nContent-Length: "
         "12\r\nServer: loopbench\r\n\r\nHello world!",
         false, "\"content-type: text/plain\\r\\n\"", "\"\\r\\n\""},
        {"HTTP/1.1 200 OK\nDate: " DATE
         "\r\nConnection: keep-alive\r\nContent-Length: 12\r\nServer: loopbench\r\n"
         "content-type: text/plain\r\n\r\nHello world!",
         false, "\"HTTP/1.1 200 OK\\r\\n\"", "\"HTTP/1.1 200 OK\\n\""},
    };
    struct http_reply a = {0};
    reply_from(&a, GOOD, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct http_reply b = {0};
        char in_a[200] = "";
        char in_b[200] = "";
        reply_from(&b, cases[i].reply, false);
        if (verify_same_reply(&a, &b, NULL, in_a, in_b, sizeof in_a) != cases[i].same) {
            fail_msg("case %zu: %s / %s", i, in_a, in_b);
        }
        assert_string_equal(in_a, cases[i].in_a);
        assert_string_equal(in_b, cases[i].in_b);
        http_reply_release(&b);
    }
    struct http_reply other = {0};
    char in_a[200];
    char in_b[200];
    reply_from(&other, HEAD_OF(DATE, "keep-alive", "12", "loopbench") "any 12 bytes", false);
    assert_true(
        verify_same_reply(&a, &other, &(struct workload){.varies = true}, in_a, in_b, sizeof in_a));
    http_reply_release(&other);
    http_reply_release(&a);
}

static void test_guest_differences(void **state) {
    (void)state;
    const struct verify_target ours = {.name = "libuv", .kind = VERIFY_OURS};
    const struct verify_target theirs = {.name = "express", .kind = VERIFY_GUEST};
    struct verify_reply a = {.probe = "GET /hello"};
    struct verify_reply b = {.probe = "GET /hello"};
    struct verify_reply unasked = {.probe = "HEAD /hello"};
    reply_from(&a.reply, GOOD, false);
    reply_from(&b.reply,
               "HTTP/1.1 200 OK\r\nX-Powered-By: Express\r\nETag: 1\r\nContent-Type: text/plain\r\n"
               "content-length: 12\r\nDate: " DATE "\r\n\r\nHello world!",
               false);
    struct verify_replies ra = {
        .target = &ours, .items = (struct verify_reply[]){a, unasked}, .n = 2};
    struct verify_replies rb = {.target = &theirs, .items = &b, .n = 1};
    struct verify_findings f = {0};
    struct err e;
    assert_int_equal(verify_compare(&ra, &rb, &f, &e), 0);
    assert_int_equal(verify_failures(&f), 0);
    assert_int_equal(f.n, 2);
    assert_string_equal(f.items[0].check, "GET /hello: size beside libuv");
    assert_string_equal(f.items[0].expected, "157 bytes (head 145, body 12)");
    assert_string_equal(f.items[1].got, "adds X-Powered-By, ETag; lacks Connection, Server");
    verify_findings_release(&f);
    http_reply_release(&a.reply);
    http_reply_release(&b.reply);
}

/* ---- a server that keeps the contract, or breaks it in one way */

enum fault {
    NO_FAULT,
    WRONG_BODY,
    STALE_DATE,
    OTHER_HEADER,
    NO_ALLOW,
    SWAPPED,      /* pipelined replies out of order */
    ONE_SHOT,     /* closes every connection, saying so */
    DROPS,        /* closes after a reply that promised to stay */
    STAYS,        /* ignores Connection: close */
    BODY_TO_HEAD, /* sends the length of nothing to HEAD */
    ALL_OK,       /* 200 whatever is asked */
    POOR_STATS,   /* /stats without memory */
    TWO_LINES,    /* a reason of two lines for a bad parameter */
    NOT_RANDOM,   /* one letter only */
    ALWAYS_SAME,  /* letters, but always the same */
    GARBAGE,      /* and what follows: no answer at all */
    SILENT,
};

#define STATS                                                                                      \
    "{\"server\":\"x\",\"versions\":{},\"pid\":1,\"workers\":1,\"requests\":1,"                    \
    "\"connections\":{\"accepted\":1,\"open\":1},\"cpu\":{\"user_us\":1,\"system_us\":1}"

struct answer {
    char *text;
    size_t len;
    bool close;
};

static const struct workload *workload_of_path(const char *path) {
    for (size_t i = 0; workload_at(i); i++) {
        if (strcmp(workload_at(i)->path, path) == 0) {
            return workload_at(i);
        }
    }
    return strcmp(path, "/") == 0 ? workload_find("hello") : NULL;
}

/* Whether it is the path of a workload with a parameter that is wrong. */
static bool is_bad_query(const char *path) {
    for (size_t i = 0; workload_at(i); i++) {
        const struct workload *w = workload_at(i);
        size_t len = strcspn(w->path, "?");
        if (w->param.key && strncmp(path, w->path, len) == 0 && strcspn(path, "?") == len) {
            return true;
        }
    }
    return false;
}

static void answer(enum fault fault, const char *request, struct answer *a) {
    static const char missing[] = "<html>404</html>";
    char method[16] = "";
    char path[64] = "";
    int minor = 1;
    char date[64];
    time_t now = time(NULL) - (fault == STALE_DATE ? 10 : 0);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    assert_int_equal(sscanf(request, "%15s %63s HTTP/1.%d", method, path, &minor), 3);
    const struct workload *w = workload_of_path(path);
    bool stats = strcmp(path, "/stats") == 0;
    w = stats ? workload_find("json") : w;
    bool to_head = strcmp(method, "HEAD") == 0;
    bool keep = minor == 1 ? !strstr(request, "Connection: close")
                           : strstr(request, "Connection: keep-alive") != NULL;
    keep = (keep && fault != ONE_SHOT) || fault == STAYS;
    size_t length = 0;
    char *made = w ? bodies_make(w, &length) : NULL;
    const char *status = w ? "200 OK" : "404 Not Found";
    const char *body = w ? made : missing;
    bool allow = w && strcmp(method, w->method) != 0 && !to_head;
    if (allow) {
        status = "405 Method Not Allowed";
        body = missing;
    } else if (!w && is_bad_query(path)) {
        status = "400 Bad Request";
        body = fault == TWO_LINES ? "bad\nparameter" : "bad parameter";
    }
    if (stats) {
        body = fault == POOR_STATS ? STATS "}"
                                   : STATS ",\"memory\":{\"rss_bytes\":1,\"peak_rss_bytes\":2}}";
    }
    if (fault == ALL_OK) {
        status = "200 OK";
    }
    if (fault == WRONG_BODY && w && strcmp(w->name, "json") == 0) {
        body = "{}";
    }
    if (fault == NOT_RANDOM && w && strcmp(w->name, "concat") == 0) {
        memset(made, 'x', length);
    }
    if (fault == ALWAYS_SAME && w && strcmp(w->name, "concat") == 0) {
        for (size_t i = 0; i < length; i++) {
            made[i] = (char)('A' + i % 26 + (i / 26 % 2 ? 'a' - 'A' : 0));
        }
    }
    length = fault == BODY_TO_HEAD && to_head ? 0 : strlen(body);
    int n = asprintf(&a->text,
                     "HTTP/1.1 %s\r\nDate: %s\r\nConnection: %s\r\nContent-Length: %zu\r\n"
                     "Server: loopbench\r\ncontent-type: %s\r\n%s%s%s%s\r\n%s",
                     status, date, keep ? "keep-alive" : "close", length,
                     w && !allow                                  ? w->content_type
                     : status[0] == '4' && !w && status[2] == '0' ? "text/plain"
                                                                  : "text/html",
                     fault == OTHER_HEADER ? "x-more: 1\r\n" : "",
                     allow && fault != NO_ALLOW ? "allow: " : "",
                     allow && fault != NO_ALLOW ? w->method : "",
                     allow && fault != NO_ALLOW ? "\r\n" : "", to_head ? "" : body);
    assert_true(n > 0);
    free(made);
    a->len = (size_t)n;
    a->close = !keep || fault == DROPS;
}

/* The next whole request, with its body; its head is NUL-terminated in buf. */
static bool next_request(struct scripted *s, int fd, char *buf, size_t size, size_t *used,
                         size_t *head, size_t *whole) {
    if (!scripted_request(s, fd, buf, size, used, head)) {
        return false;
    }
    buf[*head - 1] = '\0';
    const char *length = strstr(buf, "Content-Length: ");
    *whole = *head + (length ? strtoul(length + 16, NULL, 10) : 0);
    while (*used < *whole) {
        ssize_t n = scripted_wait(s, fd) ? recv(fd, buf + *used, size - *used, 0) : 0;
        if (n <= 0) {
            return false;
        }
        *used += (size_t)n;
    }
    return true;
}

static bool take(struct scripted *s, int fd, char *buf, size_t size, size_t *used, enum fault fault,
                 struct answer *a) {
    size_t head;
    size_t whole;
    if (!next_request(s, fd, buf, size, used, &head, &whole)) {
        return false;
    }
    answer(fault, buf, a);
    memmove(buf, buf + whole, *used - whole);
    *used -= whole;
    return true;
}

static void serve(struct scripted *s, int fd) {
    enum fault fault = *(const enum fault *)s->script;
    size_t size = 200000;
    size_t used = 0;
    size_t head = 0;
    bool more = true;
    char *own = malloc(size);
    assert_non_null(own);
    while (more && fault < GARBAGE) {
        struct answer first = {0};
        struct answer second = {0};
        more = take(s, fd, own, size, &used, fault, &first);
        if (more && fault == SWAPPED && memmem(own, used, "\r\n\r\n", 4) &&
            take(s, fd, own, size, &used, fault, &second)) {
            scripted_say(fd, second.text, second.len);
        }
        scripted_say(fd, first.text, more ? first.len : 0);
        more = more && !first.close;
        free(first.text);
        free(second.text);
    }
    if (fault >= GARBAGE && scripted_request(s, fd, own, size, &used, &head)) {
        if (fault == GARBAGE) {
            scripted_say(fd, "220 smtp.example\r\n", 18);
        } else {
            scripted_wait(s, s->stop[0]);
        }
    }
    free(own);
}

static void verify_two(enum fault fault, enum verify_kind kind, int64_t timeout_ns,
                       struct verify_findings *f) {
    const struct workload *all[] = {workload_find("hello"), workload_find("json"),
                                    workload_find("html")};
    static const enum fault good = NO_FAULT;
    struct scripted a;
    struct scripted b;
    struct err e;
    assert_true(scripted_start(&a, AF_INET, serve, &good));
    assert_true(scripted_start(&b, AF_INET, serve, &fault));
    const struct verify_target targets[] = {
        {.name = "good", .host = "127.0.0.1", .port = a.port, .kind = VERIFY_OURS},
        {.name = "other", .host = "127.0.0.1", .port = b.port, .kind = kind},
    };
    assert_int_equal(verify_all(&targets[0], 2, all, 3, timeout_ns, f, &e), 0);
    scripted_stop(&a);
    scripted_stop(&b);
    for (size_t i = 0; i < f->n; i++) {
        if (f->items[i].level == VERIFY_FAIL && strcmp(f->items[i].target, "good") == 0) {
            fail_msg("%s: expected %s, got %s", f->items[i].check, f->items[i].expected,
                     f->items[i].got);
        }
    }
}

static const struct verify_finding *find(const struct verify_findings *f, const char *check,
                                         enum verify_level level) {
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->items[i].check, check) == 0 && f->items[i].level == level &&
            strcmp(f->items[i].target, "other") == 0) {
            return &f->items[i];
        }
    }
    return NULL;
}

static void test_contract_kept(void **state) {
    (void)state;
    static const struct {
        enum verify_kind kind;
        size_t checks; /* 59 of the first target, those of the other, and one comparison */
    } cases[] = {{VERIFY_OURS, 119}, {VERIFY_NULL, 63}, {VERIFY_GUEST, 66}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verify_findings f = {0};
        verify_two(NO_FAULT, cases[i].kind, 10 * SECOND, &f);
        assert_int_equal(verify_failures(&f), 0);
        assert_int_equal(f.n, cases[i].checks);
        assert_int_equal(f.wires, cases[i].kind == VERIFY_GUEST ? 3 : 0);
        for (size_t k = 0; k < f.wires; k++) {
            assert_int_equal(f.wire[k].served, SERVED);
            assert_string_equal(f.wire[k].reference, "good");
            assert_true(f.wire[k].same_body && f.wire[k].same_headers && f.wire[k].keeps);
            assert_int_equal(f.wire[k].head, f.wire[k].head_of_reference);
        }
        assert_false(verify_is_useless(&f));
        verify_findings_release(&f);
    }
}

static void test_contract_broken(void **state) {
    (void)state;
    static const struct {
        enum fault fault;
        const char *check;
    } cases[] = {
        {WRONG_BODY, "GET /json: body"},
        {WRONG_BODY, "GET /json: same bytes as good"},
        {STALE_DATE, "HEAD /html: Date within a second"},
        {OTHER_HEADER, "GET /hello: same bytes as good"},
        {NO_ALLOW, "DELETE /hello: Allow"},
        {SWAPPED, "pipelining in order"},
        {ONE_SHOT, "keep-alive"},
        {DROPS, "keep-alive"},
        {STAYS, "Connection: close"},
        {STAYS, "HTTP/1.0"},
        {BODY_TO_HEAD, "HEAD /json: Content-Length"},
        {ALL_OK, "GET of a missing page: status"},
        {ALL_OK, "DELETE /hello: status"},
        {POOR_STATS, "GET /stats: body"},
        {TWO_LINES, "GET /bytes?n=1x: body"},
        {NOT_RANDOM, "GET /concat: body"},
        {ALWAYS_SAME, "GET /concat: random"},
        {ALL_OK, "GET /wait: status"},
        {ALL_OK, "DELETE /upload: status"},
        {GARBAGE, "GET /hello"},
        {SILENT, "GET /hello"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verify_findings f = {0};
        char line[700];
        bool silent = cases[i].fault == SILENT;
        verify_two(cases[i].fault, VERIFY_OURS, silent ? SECOND / 4 : 10 * SECOND, &f);
        if (!find(&f, cases[i].check, VERIFY_FAIL)) {
            verify_print(&f, true, stderr);
            fail_msg("fault %d: no failure '%s'", cases[i].fault, cases[i].check);
        }
        verify_first_failure(&f, line, sizeof line);
        assert_memory_equal(line, "other: ", 7);
        assert_null(strchr(line, '\n'));
        if (silent) { /* given up at once, not after a timeout for each check */
            assert_int_equal(verify_failures(&f), 1);
        }
        verify_findings_release(&f);
    }
}

static void test_guest_is_noted(void **state) {
    (void)state;
    struct verify_findings f = {0};
    verify_two(ONE_SHOT, VERIFY_GUEST, 10 * SECOND, &f);
    assert_non_null(find(&f, "keep-alive", VERIFY_NOTE));
    assert_int_equal(verify_failures(&f), 0);
    /* It closes without a word: what its replies announce is not what it does. */
    for (size_t i = 0; i < f.wires; i++) {
        assert_false(f.wire[i].keeps);
    }
    verify_findings_release(&f);
    verify_two(WRONG_BODY, VERIFY_GUEST, 10 * SECOND, &f);
    assert_non_null(find(&f, "GET /json: body", VERIFY_FAIL));
    assert_true(verify_is_useless(&f));
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    verify_print_fair(&f, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "other beside good"));
    assert_non_null(strstr(text, "Not to be compared: 1 workload is answered wrongly"));
    free(text);
    verify_findings_release(&f);
}

static void test_print(void **state) {
    (void)state;
    struct verify_findings f = {0};
    struct err e;
    char *text = NULL;
    size_t len = 0;
    verify_add(&f, &e, "h2o", VERIFY_PASS, "", "", "GET %s", "/hello");
    verify_add(&f, &e, "libuv", VERIFY_FAIL, "12", "13", "GET /hello: Content-Length");
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    verify_print(&f, true, out);
    fclose(out);
    assert_string_equal(text, "target  check                       result\n"
                              "h2o     GET /hello                  ok\n"
                              "libuv   GET /hello: Content-Length  DIFFERS\n"
                              "          expected  12\n"
                              "          got       13\n"
                              "2 checks: 1 ok, 1 differs\n");
    free(text);
    verify_findings_release(&f);
    verify_add(&f, &e, "h2o", VERIFY_PASS, "", "", "GET %s", "/hello");
    out = open_memstream(&text, &len);
    assert_non_null(out);
    verify_print(&f, false, out);
    fclose(out);
    assert_string_equal(text, "1 check: 1 ok, 0 differ\n");
    free(text);
    verify_findings_release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_date),
        cmocka_unit_test(test_printable),
        cmocka_unit_test(test_reply),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_guest_differences),
        cmocka_unit_test(test_contract_kept),
        cmocka_unit_test(test_contract_broken),
        cmocka_unit_test(test_guest_is_noted),
        cmocka_unit_test(test_print),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
